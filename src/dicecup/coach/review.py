"""The review of a record: the luck of each roll, the loss of each decision, and a rating for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from dicecup.coach.advice import Choice, Values, advise, is_strike
from dicecup.coach.lessons import Lesson, lessons_of, worth_saying
from dicecup.dice import Dice
from dicecup.engine.record import BOT_PREFIX, Record
from dicecup.engine.state import (
    Keep,
    Move,
    Score,
    State,
    Throw,
    empty_sheet,
    final_score,
    standings,
)
from dicecup.errors import UsageError
from dicecup.rules.model import Ruleset
from dicecup.solver.solution import OnShare, no_callback

Mark = Literal["", "inaccuracy", "blunder"]
Rating = Literal["perfect", "master", "expert", "strong", "good", "casual", "beginner"]

INACCURACY = 0.02
BLUNDER = 0.12
LEAST_LUCK = 0.05  # points; a throw that moved less was neither lucky nor unlucky
# The highest error rate of each class, as a share of a perfect turn.
CLASSES: tuple[tuple[float, Rating], ...] = (
    (0.0001, "perfect"),
    (0.004, "master"),
    (0.010, "expert"),
    (0.020, "strong"),
    (0.040, "good"),
    (0.080, "casual"),
)
LAST: Rating = "beginner"


def turn_measure(expected_at_start: float, turns: int) -> float:
    """Return the points of a perfect turn, the unit in which losses are measured."""
    return max(abs(expected_at_start) / turns, 1.0)


def mark_of(loss: float, perfect_turn: float) -> Mark:
    if loss >= BLUNDER * perfect_turn:
        return "blunder"
    return "inaccuracy" if loss >= INACCURACY * perfect_turn else ""


def rating_of(error_rate: float, perfect_turn: float) -> Rating:
    """Return the class of an error rate: the mean loss of an unforced decision, in points."""
    share = error_rate / perfect_turn
    return next((rating for most, rating in CLASSES if share <= most), LAST)


@dataclass(frozen=True)
class WinChances:
    """Each player's chance to win, and the standard error of the least certain of them."""

    chances: tuple[float, ...]
    standard_error: float
    games: int  # played on for each player


def shares_of_win(rules: Ruleset, state: State) -> WinChances:
    """Return who has won a finished game; those with equal scores share it."""
    winners = [player for place, player, _ in standings(rules, state) if place == 1]
    return WinChances(tuple((p in winners) / len(winners) for p in range(len(state.sheets))), 0.0, 0)


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision, with all that could have been chosen instead, best first.

    >>> import dicecup
    >>> ann = dicecup.review("sunday.record").players[0]
    >>> ann.decisions[0].best.move, round(ann.decisions[0].loss, 2)
    (Keep(dice=(5, 5)), 15.02)
    """

    turn: int  # from 1 on
    moves: int  # the number of moves of the record before it, to try again from there
    dice: Dice
    throws_left: int
    choices: tuple[Choice, ...]
    taken: Choice
    unforced: bool
    mark: Mark
    left_out: int = 0  # choices that are not listed, after `shortened`

    @property
    def best(self) -> Choice:
        """The best choice there was.

        >>> dicecup.review("sunday.record").players[0].decisions[1].best.move
        Keep(dice=(3, 3))
        """
        return self.choices[0]

    @property
    def loss(self) -> float:
        """What the decision lost against the best choice.

        >>> [round(decision.loss, 2) for decision in dicecup.review("sunday.record").players[0].decisions]
        [15.02, 25.22]
        """
        return self.taken.loss


@dataclass(frozen=True, slots=True)
class RollLuck:
    """One throw and how it moved the expected final score.

    >>> import dicecup
    >>> ann = dicecup.review("sunday.record").players[0]
    >>> ann.throws[0].dice, round(ann.throws[0].gain, 2)
    ((2, 2, 5, 5, 6), -0.8)
    """

    turn: int
    moves: int  # the number of moves of the record up to it
    dice: Dice  # all dice as they lay after it
    gain: float  # against what could be expected of the dice that were kept
    kept: Dice = ()  # before it; nothing in the first throw of a turn


@dataclass
class PlayerReview:
    """The game of one player: what the throws gave (luck) and what the decisions lost (skill, never above 0).

    >>> import dicecup
    >>> ann = dicecup.review("sunday.record").players[0]
    >>> ann.name, round(ann.luck, 2), round(ann.skill, 2)
    ('Ann', -3.6, -40.23)
    """

    name: str
    expected_at_start: float
    final: float = 0.0  # of an unfinished game: the expected final score where it stopped
    finished: bool = False
    luck: float = 0.0
    skill: float = 0.0
    decisions: list[Decision] = field(default_factory=list)
    throws: list[RollLuck] = field(default_factory=list)
    course: list[float] = field(
        default_factory=list
    )  # expected final score, at the start and after each turn
    error_rate: float = 0.0  # mean loss of an unforced decision
    rating: Rating | None = None  # None where there was nothing to decide
    habits: tuple[Lesson, ...] = ()  # all that cost something, the costliest first
    lessons: tuple[Lesson, ...] = ()  # those worth saying
    rolls_known: bool = True  # otherwise only the choice of boxes is judged: no luck, no skill, no rating

    @property
    def within_turn(self) -> bool:
        """Whether the last turn is not over.

        >>> game = dicecup.Game("yatzy-sv", ["Ann"], seed=4)
        >>> rolled = game.roll()
        >>> game.review().players[0].within_turn
        True
        """
        return bool(self.throws) and self.throws[-1].turn >= len(self.course)

    @property
    def under_way(self) -> float | None:
        """The expected final score within a turn that is not over.

        >>> game = dicecup.Game("yatzy-sv", ["Ann"], seed=4)
        >>> rolled = game.roll()
        >>> round(game.review().players[0].under_way, 2)
        249.28
        """
        return self.final if self.within_turn else None

    @property
    def luckiest(self) -> RollLuck | None:
        """The throw that gave most; none where no throw gave anything.

        >>> luckiest = dicecup.review("sunday.record").players[1].luckiest
        >>> luckiest.kept, luckiest.dice, round(luckiest.gain, 2)
        ((6, 6), (3, 6, 6, 6, 6), 15.29)
        """
        best = max(self.throws, key=lambda throw: throw.gain, default=None)
        return best if best and best.gain > LEAST_LUCK else None

    @property
    def unluckiest(self) -> RollLuck | None:
        """The throw that cost most, against what it was thrown for; none where none cost anything.

        >>> unluckiest = dicecup.review("sunday.record").players[0].unluckiest
        >>> unluckiest.dice, round(unluckiest.gain, 2)
        ((1, 3, 3, 5, 6), -2.8)
        """
        worst = min(self.throws, key=lambda throw: throw.gain, default=None)
        return worst if worst and worst.gain < -LEAST_LUCK else None

    @property
    def costliest(self) -> Decision | None:
        """The decision that lost most, if that was more than a trifle.

        >>> costliest = dicecup.review("sunday.record").players[0].costliest
        >>> costliest.turn, costliest.dice, round(costliest.loss, 2)
        (2, (1, 3, 3, 5, 6), 25.22)
        """
        worst = max(self.decisions, key=lambda decision: decision.loss, default=None)
        return worst if worst and worst.mark else None

    def count(self, mark: Mark) -> int:
        """How many decisions have this mark.

        >>> dicecup.review("sunday.record").players[0].count("blunder")
        2
        """
        return sum(decision.mark == mark for decision in self.decisions)


@dataclass(frozen=True)
class Review:
    """A whole game, player by player.

    >>> import dicecup
    >>> review = dicecup.review("sunday.record")
    >>> review.exact, len(review.players)
    (True, 2)
    """

    players: tuple[PlayerReview, ...]
    exact: bool
    perfect_turn: float  # the points of a perfect turn: the unit of marks and ratings


def shortened(found: Review, most: int) -> Review:
    """Return the review with few choices of each decision: the best ones, so many without a strike.

    Of 50 choices a page lists five, and a puzzle nine.
    """
    players = (
        replace(player, decisions=[with_few_choices(decision, most) for decision in player.decisions])
        for player in found.players
    )
    return replace(found, players=tuple(players))


def with_few_choices(decision: Decision, most: int) -> Decision:
    plain = [place for place, choice in enumerate(decision.choices) if not is_strike(choice)]
    listed = decision.choices[: plain[most]] if len(plain) > most else decision.choices
    return replace(decision, choices=listed, left_out=len(decision.choices) - len(listed))


def review(record: Record, values: Values, on_progress: OnShare = no_callback) -> Review:
    """Review every player's luck and skill, without moves that were undone.

    `on_progress` is called with the share of the moves that are done.
    """
    rules = record.rules
    if record.header.origin.kind == "points":
        raise UsageError("coach_points_only")
    at_start = values.turn(empty_sheet(rules)).value
    perfect_turn = turn_measure(at_start, rules.turns)
    total, done = len(record.moves), 0

    def followed(steps: list[RecordStep]) -> Iterator[RecordStep]:
        nonlocal done
        for step in steps:
            yield step
            done += 1
            on_progress(done / total)

    steps = steps_by_player(record)
    players = tuple(
        review_player(record, values, number, followed(steps[number]), perfect_turn, at_start)
        for number in range(len(record.header.players))
    )
    return Review(players, values.exact, perfect_turn)


def review_player(
    record: Record,
    values: Values,
    number: int,
    steps: Iterable[RecordStep],
    perfect_turn: float,
    at_start: float,
) -> PlayerReview:
    found = PlayerReview(record.header.players[number], at_start, course=[at_start])
    found.rolls_known = rolls_known(record, number)
    current = at_start
    for place, before, move, after in steps:
        turn = turn_number(values, before)
        if not found.rolls_known:
            if isinstance(move, Score):
                last = replace(before, throws_left=0)
                decision = decide(values, last, move, turn, place, perfect_turn)
                found.decisions.append(decision)
                found.course.append(decision.taken.expected)
            continue
        if isinstance(move, Throw):
            worth = advise(values, after).expected
            found.throws.append(RollLuck(turn, place + 1, after.dice, worth - current, before.kept or ()))
            found.luck += worth - current
            current = worth
            continue
        assert isinstance(move, Keep | Score)  # of points only, or with announced boxes, no record is judged
        decision = decide(values, before, move, turn, place, perfect_turn)
        found.decisions.append(decision)
        found.skill -= decision.loss
        current = decision.taken.expected
        if isinstance(move, Score):
            found.course.append(current)
    sheet = record.state.sheets[number]
    found.finished = sheet.full
    found.final = current
    if not found.within_turn:
        # Solve the next turn, as a hint does: a learned value of the sheet alone is less accurate.
        worth = float(final_score(record.rules, sheet)) if sheet.full else values.turn(sheet).value
        found.final = found.course[-1] = worth
    if found.rolls_known:
        found.luck += found.final - current  # rounding in 32 bits, or the error of a learned value
        rate(found, perfect_turn)
    found.habits = lessons_of(record, found.decisions)
    found.lessons = worth_saying(found.habits, perfect_turn)
    return found


def rolls_known(record: Record, number: int) -> bool:
    """Return whether all rolls of a player are in the record, as far as it shows.

    Players who type dice may enter only those that a turn ends with, marked as final or not. If at least half
    of the turns end after one roll, the rolls count as incomplete. Bots' rolls are always complete.
    """
    if record.header.origin.kind != "typed":
        return True
    turns = single = 0
    kept = False
    for _place, _before, move, _after in steps_by_player(record)[number]:
        if isinstance(move, Throw) and move.final:
            return False
        kept = kept or isinstance(move, Keep)
        if isinstance(move, Score):
            turns, single, kept = turns + 1, single + (not kept), False
    return 2 * single <= turns or record.header.players[number].startswith(BOT_PREFIX)


RecordStep = tuple[int, State, Move, State]


def steps_by_player(record: Record) -> list[list[RecordStep]]:
    """Return the moves of each player: the number of moves before it, and the states around it."""
    found: list[list[RecordStep]] = [[] for _ in record.header.players]
    steps = zip(record.states, record.moves, record.states[1:], strict=False)
    for place, (before, move, after) in enumerate(steps):
        found[before.player].append((place, before, move, after))
    return found


def turn_number(values: Values, state: State) -> int:
    filled = sum(points is not None for points in state.sheet.cells)
    return filled // len(values.rules.scored) + 1


def decide(
    values: Values, state: State, move: Keep | Score, turn: int, moves: int, perfect_turn: float
) -> Decision:
    advice = advise(values, state)
    taken = advice.choice(move)
    return Decision(
        turn=turn,
        moves=moves,
        dice=state.dice,
        throws_left=state.throws_left,
        choices=advice.choices,
        taken=taken,
        unforced=is_unforced(advice.choices),
        mark=mark_of(taken.loss, perfect_turn),
    )


def is_unforced(choices: tuple[Choice, ...]) -> bool:
    """Return whether there was a choice: not striking the only open box, for example, takes no skill."""
    plain = [choice for choice in choices if not is_strike(choice)]
    return len(plain) > 1


def rate(found: PlayerReview, perfect_turn: float) -> None:
    unforced = [decision.loss for decision in found.decisions if decision.unforced]
    if unforced:
        found.error_rate = sum(unforced) / len(unforced)
        found.rating = rating_of(found.error_rate, perfect_turn)
