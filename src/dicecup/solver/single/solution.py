"""A solved game of one layer: the value of every sheet, throw, keep and box, from its table, by kernels.

All values are expected final scores under perfect play, the points on the sheet included.
"""

from __future__ import annotations

from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from dicecup.dice import Dice, Faces, Lattice, lattice
from dicecup.engine.serialize import Position
from dicecup.engine.state import Sheet, State, bonus, score, start
from dicecup.errors import PositionError, check_one_of
from dicecup.rules.model import Ruleset
from dicecup.solver.arrays import Array
from dicecup.solver.compiled import VECTOR_BYTES, entry_kernel, kernel, lanes, load, store
from dicecup.solver.files.tables import TableFile, damaged
from dicecup.solver.single.index import Index, Place, build_index
from dicecup.solver.single.kernel_tables import ChoiceTables, KernelTables, build_choices, build_program
from dicecup.solver.single.level_kernels import (
    NONE,
    choose,
    expect,
    first_throw,
    joker_column,
    pay_repeats,
    score_jokers,
    score_throws,
)
from dicecup.solver.single.packing import Source, open_source, read
from dicecup.solver.solution import BoxValue, FinalScores, Play, Solution, Turn

if TYPE_CHECKING:
    from dicecup.solver.single.chances import GameChances


@kernel()
def follows_lower(
    program: KernelTables, source: Any, lower: int, above: int, position: int, part: int, target: int
) -> Any:
    """Return the value after filling a lower box."""
    digit = (lower // program.stride[part]) % program.digits[part]
    after = lower + (program.target_class[target] - digit) * program.stride[part]
    if program.kinds[after] != program.kinds[lower]:
        position = program.promote[program.promote_first[above] + position]
    return read(source, after, position)


@kernel()
def follows_upper(
    program: KernelTables, source: Any, lower: int, above: int, position: int, target: int
) -> Any:
    """Return the value after filling an upper box; -inf if the gain is impossible."""
    kind = program.kinds[lower]
    move = program.move_first[kind, above] + target * program.group_size[kind, above] + position
    if program.move[move] < 0:
        return NONE
    return read(source, lower, program.move[move])


@kernel()
def gather_one(
    program: KernelTables, source: Any, lower: int, above: int, position: int, ahead: Any, states: Any
) -> int:
    """Load the values after each target of one sheet into lane 0 of `ahead`; return the number of states."""
    used = noted = 0
    width = lanes(ahead)
    for part in range(program.stride.size):
        digit = (lower // program.stride[part]) % program.digits[part]
        state = program.digit_state[program.digit_first[part] + digit]
        states[noted, 0] = state
        states[noted, 1] = used
        noted += 1
        for target in range(program.target_start[state], program.target_start[state + 1]):
            ahead[used * width] = follows_lower(program, source, lower, above, position, part, target)
            used += 1
    member = program.member[program.group_first[program.kinds[lower], above] + position]
    for part in range(program.member_state.shape[1]):
        state = program.member_state[member, part]
        states[noted, 0] = state
        states[noted, 1] = used
        noted += 1
        for target in range(program.target_start[state], program.target_start[state + 1]):
            ahead[used * width] = follows_upper(program, source, lower, above, position, target)
            used += 1
    return noted


@entry_kernel()
def turn_values(
    program: KernelTables,
    source: Any,
    lower: int,
    above: int,
    position: int,
    room: Any,
    kept: Any,
    thrown: Any,
) -> Any:
    """Compute all values of a turn on one sheet; return its value before the first throw.

    `kept[n, k]`: keeping multiset k with n + 1 throws left; `thrown[n, d]`: throw d with n throws left.
    All buffers have 64 bits, whatever the precision of the table.
    """
    rows, throws, keeps = program.take_starts.size - 1, program.weights.size, program.add.shape[0]
    width = lanes(room)
    work, final = room[: rows * width], room[rows * width : (rows + throws) * width]
    ahead = room[(rows + throws) * width :]
    states = np.empty((program.stride.size + program.member_state.shape[1], 2), np.int64)
    noted = gather_one(program, source, lower, above, position, ahead, states)
    score_throws(program, ahead, states, noted, final, work)
    if program.joker_dice.size > 0 and program.ready[lower]:
        score_jokers(program, lower, above, position, ahead, states, noted, final)
    if program.repeat_dice.size:
        pay_repeats(program, lower, above, position, final)
    for throw in range(throws):
        store(work, (keeps + throw) * width, load(final, throw * width))
        thrown[0, throw] = final[throw * width]
    for left in range(1, program.settings[0]):
        expect(program, work)
        for keep in range(keeps):
            kept[left - 1, keep] = work[keep * width]
        choose(program, work, final)
        for throw in range(throws):
            thrown[left, throw] = work[(keeps + throw) * width]
    store(work, 0, first_throw(program, work))
    return work[0]


@entry_kernel()
def box_values(
    program: KernelTables,
    choices: ChoiceTables,
    source: Any,
    lower: int,
    above: int,
    position: int,
    locals_: Any,
    throw: int,
    values: Any,
    points: Any,
) -> None:
    """Compute points and values of every box for a throw: [box, 0] as the dice score, [box, 1] struck; or
    NaN.

    `locals_` are the numbers of the sheets of the groups of boxes, upper ones first.
    """
    member = program.member[program.group_first[program.kinds[lower], above] + position]
    uppers = program.member_state.shape[1]
    columns = choices.joker.size + 2 * program.joker_dice.size
    column = option_column(program, choices, lower, member, throw)
    repeats = repeat_points(program, lower, member, throw)
    highest = 0
    for part in range(locals_.size):
        row = (choices.first_state[part] + locals_[part]) * columns + column
        for option in range(choices.option_start[row], choices.option_start[row + 1]):
            highest = max(highest, choices.option_precedence[option])
    values[:] = np.nan
    for part in range(locals_.size):
        state = choices.first_state[part] + locals_[part]
        row = state * columns + column
        for option in range(choices.option_start[row], choices.option_start[row + 1]):
            if choices.option_endurance[option] < highest:
                continue
            target = program.target_start[state] + choices.option_target[option]
            if part < uppers:
                ahead = follows_upper(program, source, lower, above, position, target)
            else:
                ahead = follows_lower(program, source, lower, above, position, part - uppers, target)
            box, struck = choices.option_box[option], choices.option_struck[option]
            points[box, struck] = choices.option_points[option]
            values[box, struck] = ahead + choices.option_points[option] + repeats


@kernel(inline="always")
def option_column(program: KernelTables, choices: ChoiceTables, lower: int, member: int, throw: int) -> Any:
    """Return the column of a throw: its own, or that of a joker if the sheet is ready for one."""
    joker = choices.joker[throw]
    if joker < 0 or not (program.ready[lower] and program.upper_ready[member]):
        return throw
    return choices.joker.size + joker_column(program, member, joker)


@kernel()
def repeat_points(program: KernelTables, lower: int, member: int, throw: int) -> Any:
    """Return what a repeat adds to this throw, in any box."""
    if program.holding[lower] or program.upper_holding[member]:
        for number in program.repeat_dice:
            if number == throw:
                return program.settings[1]
    return 0


class SingleTurn(Turn):
    """All values of one turn on one sheet."""

    def __init__(self, solution: SingleSolution, sheet: Sheet) -> None:
        self.rules = solution.rules
        self.solution = solution
        self.sheet = sheet
        self.place = solution.place(sheet)
        self.so_far = points_so_far(solution.rules, sheet)
        self.value = self._solve()

    def _solve(self) -> float:
        """Return the value before the first throw, and compute all others."""
        solution, place = self.solution, self.place
        throws, keeps = solution.rules.throws, solution.lattice.keeps
        self._kept = np.empty((max(throws - 1, 1), keeps))
        self._thrown = np.empty((throws, len(solution.lattice.throws)))
        if not place.level:
            return self._whole(bonus(solution.rules, upper_sum(solution.rules, self.sheet)))
        above = place.level - int(solution.index.opens[place.lower])
        value = turn_values(
            solution.program,
            solution.source(place.level - 1),
            place.lower,
            above,
            place.position,
            solution.room,
            self._kept,
            self._thrown,
        )
        return self._whole(value)

    def _whole(self, more: float) -> float:
        return (self.so_far + float(more)) * self.solution.rules.columns[0].multiplier

    def _keep(self, dice: Dice, throws_left: int) -> float:
        return self._whole(self._kept[throws_left - 1, self.solution.lattice.number[faces_of(dice)]])

    def _throw(self, dice: Dice, throws_left: int) -> float:
        number = self.solution.lattice.number[faces_of(dice)] - self.solution.lattice.keeps
        return self._whole(self._thrown[throws_left, number])

    def _boxes(self, dice: Dice) -> list[BoxValue]:
        solution, place = self.solution, self.place
        boxes = solution.rules.boxes
        values = np.empty((len(boxes), 2))
        points = np.zeros((len(boxes), 2), dtype=np.int64)
        box_values(
            solution.program,
            solution.choices,
            solution.source(place.level - 1),
            place.lower,
            place.level - int(solution.index.opens[place.lower]),
            place.position,
            np.array(place.states, dtype=np.int64),
            solution.lattice.number[faces_of(dice)] - solution.lattice.keeps,
            values,
            points,
        )
        whole = (self.so_far + values.ravel()) * solution.rules.columns[0].multiplier
        found = zip(solution.moves, points.ravel().tolist(), whole.tolist(), strict=True)
        return [BoxValue(move, worth, value) for move, worth, value in found if not isnan(value)]


class SingleSolution(Solution):
    """A game and its table. Its turns share the work space of the kernels: one thread at a
    time solves one.
    """

    def __init__(self, rules: Ruleset, table: TableFile) -> None:
        self.rules = rules
        self.table = table
        self.index: Index = build_index(rules)
        self.program: KernelTables = build_program(self.index)
        self.lattice: Lattice = lattice(rules.dice.count, rules.dice.faces)
        self.sources: dict[int, Source] = {}
        column = rules.columns[0].id
        self.moves = [score(box.id, column, strike=strike) for box in rules.boxes for strike in (False, True)]
        rows = self.lattice.rows + len(self.lattice.throws) + len(self.program.target_class)
        self.room: Array = np.zeros(rows * VECTOR_BYTES // np.dtype(np.float64).itemsize)

    @cached_property
    def choices(self) -> ChoiceTables:
        return build_choices(self.index)

    def source(self, level: int) -> Source:
        if level not in self.sources:
            source = open_source(self.index, self.table, level)
            values = len(source.values) + len(source.values_32)
            if self.table.header.encoding == "plain" and values != self.index.level(level).size:
                raise damaged(self.table.path)  # compiled code would read past the end
            self.sources[level] = source
        return self.sources[level]

    def place(self, sheet: Sheet) -> Place:
        try:
            return self.index.locate(sheet)
        except KeyError:
            raise PositionError("sheet_impossible") from None

    @property
    def expected(self) -> float:
        return self.table.header.expected

    def _unchecked_turn(self, sheet: Sheet) -> SingleTurn:
        return SingleTurn(self, sheet)

    def final_scores(self, position: Position | State | None = None, play: Play = "points") -> FinalScores:
        check_one_of("play", play, ("points", "target"))
        state = start(self.rules) if position is None else self._state_of(position)
        return self.chances.final_scores(state, play)

    @cached_property
    def chances(self) -> GameChances:
        from dicecup.solver.single.chances import GameChances

        return GameChances(self)

    @cached_property
    def computed_chances(self) -> GameChances:
        """The chances of sheets with few open boxes, the same whatever tables are stored."""
        from dicecup.solver.single.chances import GameChances

        return GameChances(self, stored=False)


def faces_of(dice: Dice) -> Faces:
    """Return the faces of dice of one layer."""
    return tuple(die if isinstance(die, int) else die[0] for die in dice)


def upper_sum(rules: Ruleset, sheet: Sheet) -> int:
    return sum(sheet.cells[index] or 0 for index in rules.upper)


def points_so_far(rules: Ruleset, sheet: Sheet) -> int:
    """Return the points on the sheet; the bonus is still to come."""
    repeats = sheet.repeats * rules.repeat.points if rules.repeat else 0
    return sum(points or 0 for points in sheet.cells) + repeats
