"""`GameView`: everything there is to see of a game that is being played."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from dicecup.dice import Dice
from dicecup.engine.legality import moment_of, points_by_box
from dicecup.engine.play import legal_moves as all_legal_moves
from dicecup.engine.record import Record
from dicecup.engine.serialize import Position, SheetData, sheet_to_data
from dicecup.engine.state import Move, State, standings
from dicecup.errors import MoveError
from dicecup.game_rules import Rules
from dicecup.match import Match


class Standing(NamedTuple):
    """One player's line of the standings; equal points share a place.

    >>> dicecup.Game("yatzy", ["Ann"]).standings
    (Standing(place=1, player='Ann', points=0),)
    """

    place: int
    player: str
    points: int


class GameView:
    """What `Game` shows: the rules, the players, the dice on the table, the sheets and the standings."""

    _match: Match

    @property
    def rules(self) -> Rules:
        """The rules of the game.

        >>> dicecup.Game("yahtzee").rules.turns
        13
        """
        found = self._match.rules
        return found if isinstance(found, Rules) else Rules(found)

    @property
    def players(self) -> tuple[str, ...]:
        """The names of all players in the order of their turns; names of bots begin with `bot:`.

        >>> dicecup.Game("yatzy", ["Ann", "bot:steady"]).players
        ('Ann', 'bot:steady')
        """
        return self._match.record.header.players

    @property
    def player(self) -> str:
        """The name of the player whose turn it is.

        >>> dicecup.Game("yatzy", ["Ann", "Bo"]).player
        'Ann'
        """
        return self._match.player

    @property
    def dice(self) -> Dice:
        """The dice on the table, sorted; none before the first roll of a turn. A double die is (outer,
        inner).

        >>> dicecup.Game.from_position("yatzy / / 5 3 1 1 2 / 0").dice
        (1, 1, 2, 3, 5)
        """
        return self.state.dice

    @property
    def kept(self) -> Dice | None:
        """The dice that stay when the next roll is made; None while a decision is due.

        >>> game = dicecup.Game.from_position("yatzy / / 1 1 2 3 5 / 1")
        >>> game.keep(1, 1)
        >>> game.kept
        (1, 1)
        """
        return self.state.kept

    @property
    def rolls_left(self) -> int:
        """How many rolls are left in this turn.

        >>> dicecup.Game("yatzy").rolls_left
        3
        """
        return self.state.throws_left

    @property
    def roll_due(self) -> bool:
        """Whether the dice have to be rolled next; otherwise a decision is due, or the game is over.

        >>> dicecup.Game("yatzy").roll_due
        True
        """
        return self.state.throw_due

    @property
    def finished(self) -> bool:
        """Whether every sheet is full.

        >>> dicecup.Game("yatzy").finished
        False
        """
        return self.state.finished

    @property
    def sheet(self) -> SheetData:
        """The filled boxes of the player whose turn it is; in a game with columns, one table per column.

        >>> dicecup.Game.from_position("yatzy / ones=3").sheet
        {'ones': 3}
        """
        return self.sheets[self.state.player]

    @property
    def sheets(self) -> tuple[SheetData, ...]:
        """The filled boxes of every player, in the order of `players`.

        >>> dicecup.Game("yatzy", ["Ann", "Bo"]).sheets
        ({}, {})
        """
        return tuple(sheet_to_data(self.rules, sheet) for sheet in self.state.sheets)

    @property
    def standings(self) -> tuple[Standing, ...]:
        """Every player's place and points, the first place first.

        >>> [standing.player for standing in dicecup.Game("yatzy", ["Ann", "Bo"]).standings]
        ['Ann', 'Bo']
        """
        rows = standings(self.rules, self.state)
        return tuple(Standing(place, self.players[seat], points) for place, seat, points in rows)

    @property
    def state(self) -> State:
        """The state as the engine's functions take it (`dicecup.engine`): an immutable value.

        >>> dicecup.Game("yatzy").state.player
        0
        """
        return self._match.state

    @property
    def record(self) -> Record:
        """Everything that happened so far: an immutable value.

        >>> dicecup.Game("yatzy", seed=4).record.moves
        ()
        """
        return self._match.record

    @property
    def position(self) -> Position:
        """The sheet and the turn of the player whose turn it is; `str` of it is one line of text.

        >>> str(dicecup.Game("yatzy").position)
        'yatzy'
        """
        state = self.state
        winner = None if state.winner is None else 0
        alone = replace(state, sheets=(state.sheet,), player=0, winner=winner)
        return Position(self._match.record.header.reference, self.rules, alone)

    def points(self) -> dict[str, Any]:
        """The points that the dice give in every open box, in the form of `Rules.score`.

        >>> dicecup.Game.from_position("yatzy / / 1 1 2 3 5 / 0").points()["pair"]
        2
        """
        if not self.dice:
            raise MoveError("score_before_throw")
        return points_by_box(self.rules, self.state.sheet, self.dice, moment_of(self.rules, self.state))

    def legal_moves(self) -> tuple[Move, ...]:
        """Every decision the player may take now; none while a roll is due or when the game is over.

        >>> game = dicecup.Game.from_position("yatzy / / 1 1 2 3 5 / 0")
        >>> game.legal_moves()[0]
        Score(placements=(Placement(box='ones', column='', strike=False),))
        """
        return all_legal_moves(self.rules, self.state)
