"""Legal moves, check, apply: the game as pure functions of rules, state and move."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from itertools import islice

from dicecup.dice import (
    Dice,
    Die,
    all_dice,
    contains,
    format_dice,
    layer_faces,
    parse_dice,
    parse_die,
    parts,
    sort_dice,
)
from dicecup.engine.legality import (
    Moment,
    allowed_placements,
    announceable,
    barred,
    cell_names,
    cell_of,
    crossed_out,
    moment_of,
    must_announce,
    offers,
    refusal,
    repeat_pays,
)
from dicecup.engine.pad import apply_write
from dicecup.engine.state import (
    Announce,
    Keep,
    Move,
    Placement,
    Score,
    Sheet,
    State,
    Throw,
    TurnMove,
    Write,
    dice_to_throw,
    rolls_made,
    turn_start,
)
from dicecup.errors import DiceError, MoveError, as_integer
from dicecup.rules.model import Ruleset
from dicecup.rules.scoring import NOTHING, Scored, score_table

made_last: list[tuple[Ruleset, State] | None] = [None]  # which needs no check: see `engine.checked`
MOST_TEXT = 200  # dice, or characters of a text with dice; longer input is invalid


def apply(rules: Ruleset, state: State, move: Move) -> State:
    """Return the state after the move; raise the reason if it is illegal. The state itself is not checked."""
    return apply_and_score(rules, state, move)[0]


def apply_and_score(rules: Ruleset, state: State, move: Move) -> tuple[State, tuple[Scored, ...]]:
    """Return the state after the move, and the points of each box that it filled."""
    scored: tuple[Scored, ...] = ()
    if state.finished and not isinstance(move, Write):
        raise MoveError("game_over")
    match move:
        case Throw(dice, final):
            after = apply_throw(rules, state, dice, final=final)
        case Keep(dice):
            after = apply_keep(rules, state, dice)
        case Announce(box, column):
            after = apply_announce(rules, state, box, column)
        case Score(placements):
            after, scored = apply_score(rules, state, placements)
        case Write():
            after, scored = apply_write(rules, state, move)
        case _:
            raise MoveError("move_unreadable")
    made_last[0] = rules, after
    return after, scored


def is_legal(rules: Ruleset, state: State, move: Move) -> bool:
    try:
        apply(rules, state, move)
    except (MoveError, DiceError):
        return False
    return True


def apply_throw(rules: Ruleset, state: State, dice: Dice, *, final: bool = False) -> State:
    check_final(final)
    if state.kept is None:
        raise MoveError("throw_not_due" if state.throws_left else "no_throw_left")
    if final and state.dice:
        raise MoveError("final_too_late")
    if final and rules.counts_rolls:
        raise MoveError("final_without_rolls")
    thrown, expected = as_dice(rules, dice), dice_to_throw(rules, state)
    if len(thrown) != expected:
        raise DiceError("dice_count_wrong", found=len(thrown), expected=expected)
    throws_left = 0 if final else state.throws_left - 1
    lying = sort_dice(state.kept + thrown)
    after = State(state.sheets, state.player, lying, None, throws_left, state.announced)
    return replace(after, winner=state.player) if wins(rules, after) else after


def check_final(final: object) -> None:
    if type(final) is not bool:
        raise MoveError("move_unreadable")


def wins(rules: Ruleset, state: State) -> bool:
    """Return whether the dice that lie on the table win the game at once."""
    win = rules.win
    if win is None or rolls_made(rules, state) > win.roll:
        return False
    return score_table(rules)[layer_faces(state.dice, 0)][rules.box_index[win.box]].points > 0


def as_dice(rules: Ruleset, dice: object) -> Dice:
    """Return sorted dice of this game from any input form: `(6, 3)`, `["6-5"]`, `"6 3"`, NumPy integers."""
    if isinstance(dice, str):
        if len(dice) > MOST_TEXT:
            raise unreadable(rules, dice)
        return parse_dice(dice.replace(",", " ").split(), rules.dice.faces, len(rules.dice.layers))
    if not isinstance(dice, Iterable):
        raise unreadable(rules, dice)
    known = known_dice(rules.dice.faces, len(rules.dice.layers))
    try:
        given = tuple(islice(dice, MOST_TEXT))
    except TypeError:  # an array without dimensions
        raise unreadable(rules, dice) from None
    try:
        return sort_dice(tuple([known[die] for die in given]))
    except (KeyError, TypeError):  # strings and lists, or invalid input
        return sort_dice(tuple(as_die(rules, die) for die in given))


@lru_cache(maxsize=64)
def known_dice(faces: int, layers: int) -> dict[object, Die]:
    """Every die by its value, which NumPy integers share."""
    return {die: die for die in all_dice(faces, layers)}


def as_kept(rules: Ruleset, state: State, dice: object) -> Dice:
    """Like `as_dice`, but numbers that are not faces of this game are reported as dice not thrown."""
    try:
        return as_dice(rules, dice)
    except DiceError as error:
        numbers = isinstance(dice, tuple) and all(isinstance(die, int) for die in dice)
        if error.code != "face_out_of_range" and not numbers:
            raise
        kept = error.values["text"]
        raise MoveError("keep_not_there", kept=kept, dice=format_dice(state.dice)) from None


def as_die(rules: Ruleset, die: object) -> Die:
    layers = len(rules.dice.layers)
    if isinstance(die, str):
        if len(die) > MOST_TEXT:
            raise unreadable(rules, die)
        return parse_die(die, rules.dice.faces, layers)
    if layers == 1:
        return as_face(rules, die, die)
    if not isinstance(die, Iterable):
        raise unreadable(rules, die)
    try:
        given = tuple(islice(die, layers + 1))
    except TypeError:
        raise unreadable(rules, die) from None
    faces = tuple(as_face(rules, face, die) for face in given)
    if len(faces) != layers:
        raise unreadable(rules, die)
    return faces


def as_face(rules: Ruleset, face: object, die: object) -> int:
    number = as_integer(face)
    if number is None:
        raise unreadable(rules, die)
    if not 1 <= number <= rules.dice.faces:
        raise DiceError("face_out_of_range", text=shown(die), faces=rules.dice.faces)
    return number


def unreadable(rules: Ruleset, die: object) -> DiceError:
    return DiceError("die_unreadable", text=shown(die), example="-".join("65432"[: len(rules.dice.layers)]))


def shown(die: object) -> str:
    """Return a die for an error message, shortened if it is long."""
    return "-".join(map(str, die))[:20] if isinstance(die, tuple) else repr(die)[:20]


def apply_keep(rules: Ruleset, state: State, dice: Dice) -> State:
    if state.kept is not None:
        raise MoveError("throw_first")
    if not state.throws_left:
        raise MoveError("no_throw_left")
    kept = as_kept(rules, state, dice)
    if not contains(state.dice, kept):
        raise MoveError("keep_not_there", kept=format_dice(kept), dice=format_dice(state.dice))
    if len(kept) == len(state.dice):
        raise MoveError("keep_all")
    if announcement_missing(rules, state):
        raise MoveError("announce_first")
    return State(state.sheets, state.player, state.dice, kept, state.throws_left, state.announced)


def announcement_missing(rules: Ruleset, state: State) -> bool:
    """Return whether a box has to be announced now: after the first roll, when no other box is open."""
    return state.announced is None and "announced" in rules.extensions and must_announce(rules, state.sheet)


def apply_announce(rules: Ruleset, state: State, box: str, column: str) -> State:
    if state.kept is not None:
        raise MoveError("throw_first" if state.dice else "score_before_throw")
    if type(box) is not str or type(column) is not str:
        raise MoveError("move_unreadable")
    cell = cell_of(rules, box, column)
    if not rules.columns[cell // len(rules.boxes)].announced:
        raise MoveError("column_not_announced", column=column)
    if state.announced is not None or rolls_made(rules, state) > 1:
        raise MoveError("announce_too_late")
    if cell not in announceable(rules, state.sheet):
        raise barred(rules, state.sheet, cell, None)
    return replace(state, announced=cell)


def apply_score(
    rules: Ruleset, state: State, placements: tuple[Placement, ...]
) -> tuple[State, tuple[Scored, ...]]:
    if state.kept is not None:
        raise MoveError("throw_first" if state.dice else "score_before_throw")
    sheet, scored = score_sheet(rules, state.sheet, state.dice, placements, moment_of(rules, state))
    if rules.saved_throws:
        sheet = replace(sheet, saved=state.throws_left)
    sheets = state.sheets[: state.player] + (sheet,) + state.sheets[state.player + 1 :]
    return turn_start(rules, sheets, (state.player + 1) % len(sheets)), scored


def score_sheet(
    rules: Ruleset,
    sheet: Sheet,
    dice: Dice,
    placements: tuple[Placement, ...],
    moment: Moment | None = None,
) -> tuple[Sheet, tuple[Scored, ...]]:
    """Return the sheet with the dice scored in these boxes, layer by layer, and the points of each."""
    check_placements(placements)
    if len(placements) != len(rules.scored):
        raise MoveError("layers_wrong", layers=", ".join(rules.scored))
    for number, one in enumerate(placements[1:], start=1):
        if any((one.column, one.box) == (other.column, other.box) for other in placements[:number]):
            raise MoveError("box_twice", box=one.box)
    written = []
    for layer, placement in zip(scored_layers(rules), placements, strict=True):
        sheet, scored = place(rules, sheet, layer_faces(dice, layer), placement, moment)
        written.append(scored)
    return sheet, tuple(written)


def check_placements(placements: object) -> None:
    """Refuse placements of the wrong types; their contents are checked elsewhere."""
    if not isinstance(placements, tuple):
        raise MoveError("move_unreadable")
    for one in placements:
        if not isinstance(one, Placement) or type(one.box) is not str or type(one.column) is not str:
            raise MoveError("move_unreadable")
        if type(one.strike) is not bool:  # a text like "no" would strike the box
            raise MoveError("move_unreadable")


def place(
    rules: Ruleset,
    sheet: Sheet,
    faces: tuple[int, ...],
    placement: Placement,
    moment: Moment | None = None,
) -> tuple[Sheet, Scored]:
    """Fill one box with the dice of one layer."""
    cell = cell_of(rules, placement.box, placement.column)
    given = offers(rules, sheet, faces, moment)
    if problem := refusal(rules, sheet, faces, given, cell, placement.strike, moment):
        raise problem
    scored = NOTHING if placement.strike else given[cell]
    assert scored is not None  # a filled cell was rejected above
    return fill_cell(rules, sheet, faces, cell, scored.points), scored


def fill_cell(rules: Ruleset, sheet: Sheet, faces: tuple[int, ...], cell: int, points: int) -> Sheet:
    """Return the sheet with these points in a cell; the faces may be a repeat that pays."""
    cells = sheet.cells[:cell] + (points,) + sheet.cells[cell + 1 :]
    repeats = sheet.repeats
    if repeat_pays(rules, sheet, faces):
        repeats += rules.columns[cell // len(rules.boxes)].multiplier
    return Sheet(cells, repeats, sheet.saved)


@lru_cache(maxsize=64)
def scored_layers(rules: Ruleset) -> tuple[int, ...]:
    """Return the layers in scoring order, as indices into a die."""
    return tuple(rules.dice.layers.index(layer) for layer in rules.scored)


def legal_moves(rules: Ruleset, state: State) -> tuple[TurnMove, ...]:
    """Return every decision the player can make now; none if a throw is due or the game is over."""
    if state.kept is not None or state.finished:
        return ()
    scores: tuple[TurnMove, ...] = (*legal_scores(rules, state.sheet, state.dice, moment_of(rules, state)),)
    if rules.extensions:
        scores = legal_announcements(rules, state) + scores
        if announcement_missing(rules, state):
            return scores
    return keeps(state.dice) + scores if state.throws_left else scores


def legal_announcements(rules: Ruleset, state: State) -> tuple[Announce, ...]:
    """Return every announcement that can be made now."""
    if state.announced is not None or rolls_made(rules, state) > 1:
        return ()
    return tuple(Announce(*cell_names(rules, cell)) for cell in announceable(rules, state.sheet))


@lru_cache(maxsize=5_000)
def keeps(dice: Dice) -> tuple[Keep, ...]:
    """Return every keep that throws at least one die again."""
    return tuple(Keep(part) for part in parts(dice) if len(part) < len(dice))


def legal_scores(rules: Ruleset, sheet: Sheet, dice: Dice, moment: Moment | None = None) -> list[Score]:
    """Return every way to end the turn with these dice."""
    layers = tuple([layer_faces(dice, layer) for layer in scored_layers(rules)])
    if len(layers) > 1:
        return [Score(placements) for placements in legal_placements(rules, sheet, layers, moment)]
    scores = scores_of_cells(rules)
    return [scores[cell][strike] for cell, strike, _ in allowed_placements(rules, sheet, layers[0], moment)]


def legal_placements(
    rules: Ruleset, sheet: Sheet, layers: tuple[tuple[int, ...], ...], moment: Moment | None = None
) -> list[tuple[Placement, ...]]:
    """Return boxes for the first layer, each combined with boxes for the rest."""
    faces, rest = layers[0], layers[1:]
    allowed = allowed_placements(rules, sheet, faces, moment)
    if not rest:
        known = placements_of_cells(rules)
        return [(known[cell][strike],) for cell, strike, _ in allowed]
    found: list[tuple[Placement, ...]] = []
    for cell, strike, scored in allowed:
        first = (placement_of(rules, cell, strike),)
        after = fill_cell(rules, sheet, faces, cell, scored.points)
        found += [first + others for others in legal_placements(rules, after, rest, moment)]
    return found


@lru_cache(maxsize=64)
def placements_of_cells(rules: Ruleset) -> tuple[tuple[Placement, Placement], ...]:
    """Return for every cell its placement, and the one that strikes it."""
    names = [cell_names(rules, cell) for cell in range(rules.cells)]
    return tuple((Placement(*name), Placement(*name, strike=True)) for name in names)


@lru_cache(maxsize=64)
def scores_of_cells(rules: Ruleset) -> tuple[tuple[Score, Score], ...]:
    """Return for every cell the move that fills it alone, and the one that strikes it."""
    return tuple((Score((plain,)), Score((struck,))) for plain, struck in placements_of_cells(rules))


def placement_of(rules: Ruleset, cell: int, strike: bool) -> Placement:
    return placements_of_cells(rules)[cell][strike]


def with_strikes(rules: Ruleset, sheet: Sheet, dice: Dice, move: Keep | Score) -> Keep | Score:
    """Return the move as people say it: a box that gets 0 is crossed out, unless it never holds points."""
    if isinstance(move, Keep):
        return move
    _, written = score_sheet(rules, sheet, dice, move.placements)
    boxes = [rules.boxes[rules.box_index[placed.box]] for placed in move.placements]
    return Score(
        tuple(
            replace(placed, strike=placed.strike or crossed_out(box, scored.points))
            for placed, box, scored in zip(move.placements, boxes, written, strict=True)
        )
    )
