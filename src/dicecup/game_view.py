"""`GameView`: everything there is to see of a game that is being played, and what the coach says about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dicecup.dice import Dice
from dicecup.engine.legality import moment_of, points_by_box
from dicecup.engine.pad import possible_values
from dicecup.engine.play import legal_moves as all_legal_moves
from dicecup.engine.record import Record
from dicecup.engine.serialize import Position
from dicecup.engine.sheet_data import SheetData, sheet_to_data
from dicecup.engine.state import Move, State, alone, standings
from dicecup.errors import MoveError, RecordError, UsageError, about
from dicecup.game_rules import Rules
from dicecup.match import Match

if TYPE_CHECKING:
    from dicecup.coach.advice import Hint, WinHint
    from dicecup.coach.review import Review


class Standing(NamedTuple):
    """One player's line of the standings; equal points share a place.

    >>> dicecup.Game("yatzy", ["Ann"]).standings
    (Standing(place=1, player='Ann', points=0),)
    """

    place: int
    player: str
    points: int


class GameView:
    """What `Game` shows: the rules, players, dice, sheets and standings, the coach's hints and its review."""

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
        return Position(self._match.record.header.reference, self.rules, alone(self.state))

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

    def __repr__(self) -> str:
        said = ", ".join(f"{player}: {points}" for _place, player, points in self.standings)
        todo = "finished" if self.finished else f"{self.player} to {'roll' if self.roll_due else 'decide'}"
        return f"<Game {self.rules.id!r} ({said}), {todo}>"

    def values(self, player: str, box: str, column: str = "") -> tuple[int, ...]:
        """The points that can be written in a box of a score pad; see `write`.

        >>> dicecup.Game("yatzy", ["Ann"], dice="points").values("Ann", "yatzy")
        (0, 50)
        """
        with about(self.rules):
            return possible_values(self.rules, self.state.sheets[self._seat(player)], box, column)

    def _seat(self, player: object) -> int:
        if not isinstance(player, str) or player not in self.players:
            raise MoveError("seat_unknown")
        return self.players.index(player)

    def hint(self) -> Hint:
        """What the position is worth, and every choice, best first; solves the game first if that takes
        seconds.

        >>> hint = dicecup.Game.from_position("yatzy-sv / ones=3 pair=12 / 1 2 6 6 6 / 2").hint()
        >>> hint.best.move, round(hint.expected, 2), round(hint.choices[1].loss, 2)
        (Keep(dice=(6, 6, 6)), 244.32, 2.32)
        """
        from dicecup.coach.advice import advise, values_at_once

        self._check_dice_known()
        return advise(values_at_once(self.rules), self.state)

    def win_hint(self) -> WinHint | None:
        """Every choice by the chance to win, against players who play for points.

        None early in the game, where only simulated games could tell, and for a single player.

        >>> game = dicecup.Game("yatzy-sv", ["Ann", "bot:greedy"], seed=3)
        >>> game.win_hint() is None
        True
        """
        from dicecup.coach.advice import known_values

        values = known_values(self.rules)
        from dicecup.coach.goals import win_hint  # needs NumPy

        return win_hint(values, self.state)

    def review(self) -> Review:
        """What rolls gave and what decisions lost so far, for every player.

        >>> game = dicecup.Game("yatzy-sv", ["Ann"], seed=4)
        >>> rolled = game.roll()
        >>> round(game.review().players[0].luck, 2)
        0.84
        """
        from dicecup.coach.advice import values_at_once
        from dicecup.coach.review import review as review_record

        self._check_dice_known()
        return review_record(self._whole_record(), values_at_once(self.rules))

    def _check_dice_known(self) -> None:
        """Refuse to judge a score pad, before anything is solved."""
        if self.record.header.origin.kind == "points":
            raise UsageError("coach_points_only")

    def _whole_record(self) -> Record:
        if self.record.first is not None:
            raise RecordError("record_from_position")
        return self.record
