"""Games as data: the ruleset model, loading rules files, and scoring dice in a box."""

from dicecup.rules.loader import builtin_ids, load_ruleset, main_ids
from dicecup.rules.model import Box, Column, DiceSet, Joker, Points, Repeat, Ruleset, Tier
from dicecup.rules.scoring import Scored, score_box

__all__ = [
    "Box",
    "Column",
    "DiceSet",
    "Joker",
    "Points",
    "Repeat",
    "Ruleset",
    "Scored",
    "Tier",
    "builtin_ids",
    "load_ruleset",
    "main_ids",
    "score_box",
]
