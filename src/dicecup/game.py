"""`Game`: the object people use to play, keep score and ask the coach."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from dicecup.bots.registry import Bot, bot_name, checked_bot, find_bot, is_bot, known_bot
from dicecup.dice import AnyDie, Dice
from dicecup.engine.fairness import MOST_SEED
from dicecup.engine.pad import written
from dicecup.engine.play import as_dice
from dicecup.engine.record import BOT_PREFIX, Header, Record
from dicecup.engine.record_header import MOST_NAME, check_header, good_date, good_name
from dicecup.engine.serialize import Position, move_from_data, position_from_data, position_from_line
from dicecup.engine.state import MOST_PLAYERS, Announce, Keep, Move, Throw, TurnMove, Write, alone
from dicecup.errors import Phrase, UsageError, about, check_argument, whole_number
from dicecup.game_rules import Rules
from dicecup.game_view import GameView
from dicecup.installation import path_of
from dicecup.match import DiceSource, Match, dice_origin
from dicecup.rules.loader import AnyGame

if TYPE_CHECKING:
    from dicecup.coach.review import Review

MOST_STEPS = 10**6

Player = str | Bot


class Game(GameView):
    """A game that is being played, by any number of people and bots.

    `rules` is the id of a game, the path of a rules file, `Rules` or a `Ruleset`; `players` are names, bots
    by name (`"bot:greedy"`), or bots of your own. The dice come from `dice`: "verifiable" (the default: a
    secret whose fingerprint is known before the game and that is revealed after it), "seed" (with `seed=`,
    repeatable), "system" (the operating system's chance) or "typed" (real dice: give them to `roll`). With
    "points" there are no dice: the game is a score pad, see `write`. A `seed` repeats what bots choose by
    chance, too. With `same_dice` all players get the same dice in every turn and roll, whatever they keep.

    >>> import dicecup
    >>> game = dicecup.Game("yatzy", players=["Ann", "Bo"], seed=161)
    >>> game.roll()
    (3, 3, 5, 6, 6)
    >>> game.keep(6, 6)
    >>> game.roll()
    (1, 4, 5, 6, 6)
    >>> game.score("sixes")
    12
    >>> game.player
    'Bo'

    Every move is checked; one that the rules do not allow raises a `MoveError` whose text says why:

    >>> game.score("yatzy")
    Traceback (most recent call last):
    dicecup.errors.MoveError: You haven’t rolled yet. Roll the dice first.
    """

    def __init__(
        self,
        rules: AnyGame,
        players: Sequence[Player] = ("You",),
        *,
        options: Mapping[str, str] | None = None,
        dice: DiceSource | None = None,
        seed: int | None = None,
        same_dice: bool = False,
        date: str = "",
    ) -> None:
        bound = Rules(rules, options)
        names, bots = seats_of(players)
        check_argument("date", good_date(date), "expected_text")
        origin, secret = dice_origin(dice, seed, names, same_dice=same_dice)
        header = Header(bound.reference, bound, names, origin, date)
        self._match = Match(Record(header), secret=secret, bot_seed=seed, bots=bots)

    @classmethod
    def from_position(
        cls,
        position: Position | str | Mapping[str, Any],
        player: Player = "You",
        *,
        dice: DiceSource | None = None,
        seed: int | None = None,
    ) -> Game:
        """The game of one player from a position on: its one-line notation, its JSON data, or a `Position`.

        Such a game has no record of its beginning, so it can be neither saved nor reviewed.

        >>> game = dicecup.Game.from_position("yatzy-sv / ones=3 pair=12 / 1 2 6 6 6 / 2")
        >>> game.dice, game.rolls_left, game.sheet
        ((1, 2, 6, 6, 6), 2, {'ones': 3, 'pair': 12})
        """
        found = position_of(position)
        game = cls(found.rules, [player], dice=dice, seed=seed)
        begun = Record(game.record.header, first=alone(found.state))
        return game._with(begun)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        bots: Mapping[str, Bot] | None = None,
        seed: int | None = None,
    ) -> Game:
        """The game in a record file, to look at or to play on in memory.

        Bots of your own that have a seat in it are given by their name in `bots`: a record never loads code.

        >>> dicecup.Game.load("sunday.record").players
        ('Ann', 'bot:greedy')
        """
        from dicecup.storage.record_file import read_record, read_secret

        file = path_of("path", path, "expected_path")
        known = {} if bots is None else named_bots(bots)
        number = None if seed is None else whole_number("seed", seed, 0, MOST_SEED)
        return cls._of(read_record(file), read_secret(file), known, number)

    @classmethod
    def _of(cls, record: Record, secret: bytes | None, bots: Mapping[str, Bot], seed: int | None) -> Game:
        seats = {
            seat: bot
            for seat, name in enumerate(record.header.players)
            if is_bot(name) and (bot := bots.get(name.removeprefix(BOT_PREFIX), known_bot(name))) is not None
        }
        game = cls.__new__(cls)
        game._match = Match(record, secret=secret, bot_seed=seed, bots=seats)
        return game

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the record of the game so far; `load` reads it, and so does every command.

        Until the end of a game with verifiable dice, their secret is kept in a file beside it.

        >>> dicecup.Game("yatzy", ["Ann"]).save("new.record")
        """
        from dicecup.storage.record_file import write_record

        record = self._whole_record()
        file = path_of("path", path, "expected_path")
        write_record(file, record, self._match.secret, overwrite=overwrite)

    def copy(self) -> Game:
        """Another game in the same state, to try things on.

        >>> game = dicecup.Game("yatzy", ["Ann"])
        >>> trial = game.copy()
        >>> len(trial.roll()), game.dice
        (5, ())
        """
        return self._with(self.record)

    def _with(self, record: Record) -> Game:
        match = self._match
        game = type(self).__new__(type(self))
        game._match = Match(record, secret=match.secret, bot_seed=match.bot_seed, bots=match.bots)
        return game

    def write(self, player: str, box: str, points: int | None, column: str = "") -> None:
        """Write points in any box of any player of a score pad, or correct them; None empties the box.

        >>> game = dicecup.Game("yatzy", ["Ann", "Bo"], dice="points")
        >>> game.write("Bo", "sixes", 24)
        >>> game.write("Bo", "sixes", 18)
        >>> game.values("Ann", "sixes")
        (0, 6, 12, 18, 24, 30)
        >>> game.write("Ann", "sixes", 25)
        Traceback (most recent call last):
        dicecup.errors.MoveError: sixes can’t hold 25. Choose one of the values shown.
        """
        with about(self.rules):
            seat = self._seat(player)
            was = written(self.rules, self.state.sheets[seat], box, column)
            self.play(Write(seat, box, points, column, was))

    def join(self, name: str) -> None:
        """Give another player an empty sheet on a score pad, also in the middle of a game.

        >>> game = dicecup.Game("yatzy", ["Ann"], dice="points")
        >>> game.join("Bo")
        >>> game.players
        ('Ann', 'Bo')
        """
        self._match.join(name)

    def roll(self, *dice: AnyDie, final: bool = False) -> Dice:
        """Roll the dice that are not kept, and return all dice on the table.

        Where the dice are typed, `dice` are those that fell, without the ones that were kept. `final` dice
        are those that the turn ended with, where its rolls are not known.

        >>> game = dicecup.Game("yatzy", dice="typed")
        >>> game.roll(6, 1, 3, 3, 6)
        (1, 3, 3, 6, 6)
        >>> game.keep(6, 6); game.roll(6, 2, 2)
        (2, 2, 6, 6, 6)
        """
        typed = as_dice(self.rules, dice) if dice else None
        with about(self.rules):
            self._match.throw(typed, final=final)
        return self.dice

    def keep(self, *dice: AnyDie) -> None:
        """Keep these dice; the next `roll` rolls the others. Double dice are written "6-5" or (6, 5).

        >>> game = dicecup.Game.from_position("yatzy / / 1 1 2 6 6 / 1", seed=4)
        >>> game.keep(6, 6); game.roll()
        (1, 2, 6, 6, 6)
        """
        self.play(Keep(as_dice(self.rules, dice)))

    def announce(self, box: str, column: str = "") -> None:
        """Announce the box that this turn will fill, where the game has a column for that: after the first
        roll, and before anything else. Without `column`, in the only such column.

        >>> game = dicecup.Game("jamb", seed=1)
        >>> rolled = game.roll()
        >>> game.announce("sixes")
        >>> game.score("sixes", "announced")
        0
        """
        announced = [each.id for each in self.rules.columns if each.announced]
        only = announced[0] if len(announced) == 1 else ""
        self.play(Announce(box, only if is_empty(column) else column))

    def score(
        self, box: str = "", column: str = "", *, strike: bool | str | Iterable[str] = False, **layers: str
    ) -> int:
        """End the turn with the dice in a box, and return the points that they write.

        A game with columns takes the column too. Double dice take a box for each layer, by its name;
        `strike` may name the layers whose box gets 0.

        >>> dicecup.Game.from_position("yatzy / / 1 1 2 3 5 / 0").score("pair")
        2
        >>> game = dicecup.Game.from_position("dice-in-dice / / 6-5 6-5 3-3 3-2 4-1 3-2 / 0")
        >>> game.copy().score(inner="pair", outer="sixes")
        22
        >>> game.score(inner="yatzy", outer="sixes", strike="inner")
        12
        """
        rules = self.rules
        data: dict[str, Any] = dict(layers)
        data |= {key: text for key, text in (("box", box), ("column", column)) if not is_empty(text)}
        if strike is not False:
            data["strike"] = struck_layers(rules, strike) if rules.has_layers else strike
        self.play(move_from_data(rules, data))
        return sum(scored.points for scored in self.record.last_scored)

    def cross_out(self, box: str = "", column: str = "", **layers: str) -> None:
        """End the turn with 0 in a box; of double dice, in the boxes of both layers.

        >>> game = dicecup.Game.from_position("yatzy / / 1 1 2 3 5 / 0")
        >>> game.cross_out("yatzy")
        >>> game.sheet
        {'yatzy': 0}
        """
        self.score(box, column, strike=True, **layers)

    def play(self, move: Move | Mapping[str, Any]) -> None:
        """Make a move: one of `legal_moves()`, a hint's, or its JSON data such as `{"keep": [6, 6]}`.

        >>> game = dicecup.Game.from_position("yatzy / / 1 1 2 3 5 / 0")
        >>> game.play({"box": "pair"})
        """
        if isinstance(move, Mapping):
            move = move_from_data(self.rules, move)
        if not isinstance(move, Throw | TurnMove | Write):
            raise UsageError("argument_wrong", argument="move", expected=Phrase("expected_move"))
        with about(self.rules):
            if isinstance(move, Throw):
                self._match.throw(move.dice, final=move.final)
            else:
                self._match.decide(move)
            if self._match.reveal_due:
                self._match.reveal()

    def play_bots(self) -> tuple[Move, ...]:
        """Let bots play until a person has to act or the game is over, and return their moves.

        Where the dice are typed, it stops when a bot's dice have to be typed.

        >>> game = dicecup.Game("yatzy", ["bot:greedy", "bot:random"], seed=1)
        >>> len(game.play_bots()) > 60, game.finished
        (True, True)
        """
        match, moves = self._match, list[Move]()
        while not self.finished and is_bot(self.player):
            if self.roll_due and match.record.header.origin.kind == "typed":
                break
            if self.roll_due:
                moves.append(Throw(match.throw()))
                continue
            move = match.decision_of_bot()
            self.play(move)
            moves.append(move)
        return tuple(moves)

    def undo(self, steps: int = 1) -> None:
        """Take back the last moves. Rolling again gives the same dice, where the dice are not typed.

        >>> game = dicecup.Game("yatzy", seed=4)
        >>> rolled = game.roll()
        >>> game.undo()
        >>> game.dice, game.roll() == rolled
        ((), True)
        """
        self._match.undo(whole_number("steps", steps, 1, MOST_STEPS))


def review(game: Game | Record | str | os.PathLike[str]) -> Review:
    """The review of a game, a record, or a record file: luck and skill of every player.

    >>> import dicecup
    >>> [player.name for player in dicecup.review("sunday.record").players]
    ['Ann', 'bot:greedy']
    """
    if isinstance(game, Record):
        parts: tuple[object, object] = game.header, game.entries  # whatever their types say
        check_argument("game", isinstance(parts[0], Header) and isinstance(parts[1], tuple), "expected_path")
        check_header(game.header)
        game = Game._of(game, None, {}, None)
    return (game if isinstance(game, Game) else Game.load(game)).review()


def seats_of(players: object) -> tuple[tuple[str, ...], dict[int, Bot]]:
    """The names of the players, and the bots by their seats."""
    try:
        seated = None if isinstance(players, str) else iter(players)  # type: ignore[call-overload]
    except TypeError:  # also an array that is only one number
        seated = None
    if seated is None:
        raise UsageError("argument_wrong", argument="players", expected=Phrase("expected_players"))
    names, bots = list[str](), dict[int, Bot]()
    for seat, player in enumerate(seated):
        if seat >= MOST_PLAYERS:
            raise UsageError("players_too_many", most=MOST_PLAYERS)
        name = player if isinstance(player, str) else BOT_PREFIX + bot_name(player)
        if not good_name(name):
            raise UsageError("name_wrong", name=name[:80], most=MOST_NAME)
        if not isinstance(player, str):
            bots[seat] = player
        elif is_bot(player):
            bots[seat] = find_bot(player.removeprefix(BOT_PREFIX))
        elif player in names:
            raise UsageError("name_twice")
        names.append(name)
    if not names:
        raise UsageError("players_missing")
    return tuple(names), bots


def is_empty(text: object) -> bool:
    """Whether this is a text without a character; arrays cannot be compared with one."""
    return isinstance(text, str) and not text


def struck_layers(rules: Rules, strike: object) -> list[str]:
    """The layers whose box gets 0: all of them, or those of these names."""
    if strike is True:
        return list(rules.scored)
    try:
        named = [strike] if isinstance(strike, str) else list(islice(strike, len(rules.scored) + 1))  # type: ignore[call-overload]
    except TypeError:
        known = ", ".join(("True", "False", *rules.scored))
        expected = Phrase("expected_one_of", known=known)
        raise UsageError("argument_wrong", argument="strike", expected=expected) from None
    return named


def named_bots(bots: object) -> dict[str, Bot]:
    """Bots by their names, with or without the prefix of a seat."""
    named = isinstance(bots, Mapping) and all(isinstance(name, str) for name in bots)
    check_argument("bots", named, "expected_bots")
    assert isinstance(bots, Mapping)
    return {name.removeprefix(BOT_PREFIX): checked_bot(bot, name[:80]) for name, bot in bots.items()}


def position_of(position: object) -> Position:
    if isinstance(position, Position):
        return position
    return position_from_line(position) if isinstance(position, str) else position_from_data(position)
