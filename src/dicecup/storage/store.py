"""Where matches are kept: one store for both databases. Entries are only added, each number once a match."""

from __future__ import annotations

from dicecup.storage.entries import Entries
from dicecup.storage.matches import Matches
from dicecup.storage.results import Results
from dicecup.storage.seats import Seats


class Store(Matches, Seats, Entries, Results):
    """All of it; each part is in a file of its own."""
