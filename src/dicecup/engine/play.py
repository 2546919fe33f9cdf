"""Legal moves, check, apply: the game as pure functions of rules, state and move."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from dicecup.dice import Dice, contains, format_dice, format_die, layer_faces, parts, sort_dice
from dicecup.engine.legality import allowed_placements, cell_names, cell_of, offers, refusal, repeat_pays
from dicecup.engine.state import Keep, Move, Placement, Score, Sheet, State, Throw, dice_to_throw, turn_start
from dicecup.errors import DiceError, MoveError
from dicecup.rules.model import Ruleset
from dicecup.rules.scoring import Scored


def apply(rules: Ruleset, state: State, move: Move) -> State:
    """Return the state after the move; raise the reason if it is illegal."""
    return apply_and_score(rules, state, move)[0]


def apply_and_score(rules: Ruleset, state: State, move: Move) -> tuple[State, tuple[Scored, ...]]:
    """Return the state after the move, and what each box got that it filled."""
    if state.finished:
        raise MoveError("game_over")
    match move:
        case Throw(dice):
            return apply_throw(rules, state, dice), ()
        case Keep(dice):
            return apply_keep(state, dice), ()
        case _:
            return apply_score(rules, state, move.placements)


def check(rules: Ruleset, state: State, move: Move) -> None:
    """Raise the reason if the move is illegal."""
    apply(rules, state, move)


def is_legal(rules: Ruleset, state: State, move: Move) -> bool:
    try:
        check(rules, state, move)
    except (MoveError, DiceError):
        return False
    return True


def apply_throw(rules: Ruleset, state: State, dice: Dice) -> State:
    if state.kept is None:
        raise MoveError("throw_not_due" if state.throws_left else "no_throw_left")
    check_dice(rules, dice)
    expected = dice_to_throw(rules, state)
    if len(dice) != expected:
        raise DiceError("dice_count_wrong", found=len(dice), expected=expected)
    return State(state.sheets, state.player, sort_dice(state.kept + dice), None, state.throws_left - 1)


def check_dice(rules: Ruleset, dice: Dice) -> None:
    """Reject anything that is not a die of this game."""
    layers = len(rules.dice.layers)
    for die in dice:
        faces = (die,) if isinstance(die, int) else die
        if len(faces) != layers or isinstance(die, int) != (layers == 1):
            raise DiceError("die_unreadable", text=format_die(die), example="-".join("65432"[:layers]))
        if not all(type(face) is int and 1 <= face <= rules.dice.faces for face in faces):
            raise DiceError("face_out_of_range", text=format_die(die), faces=rules.dice.faces)


def apply_keep(state: State, dice: Dice) -> State:
    if state.kept is not None:
        raise MoveError("throw_first")
    if not state.throws_left:
        raise MoveError("no_throw_left")
    dice = sort_dice(dice)
    if not contains(state.dice, dice):
        raise MoveError("keep_not_there", kept=format_dice(dice), dice=format_dice(state.dice))
    if len(dice) == len(state.dice):
        raise MoveError("keep_all")
    return State(state.sheets, state.player, state.dice, dice, state.throws_left)


def apply_score(
    rules: Ruleset, state: State, placements: tuple[Placement, ...]
) -> tuple[State, tuple[Scored, ...]]:
    if state.kept is not None:
        raise MoveError("throw_first" if state.dice else "score_before_throw")
    sheet, scored = score_sheet(rules, state.sheet, state.dice, placements)
    sheets = state.sheets[: state.player] + (sheet,) + state.sheets[state.player + 1 :]
    return turn_start(rules, sheets, (state.player + 1) % len(sheets)), scored


def score_sheet(
    rules: Ruleset, sheet: Sheet, dice: Dice, placements: tuple[Placement, ...]
) -> tuple[Sheet, tuple[Scored, ...]]:
    """Return the sheet with the dice scored in these boxes, layer by layer, and the points of each."""
    if len(placements) != len(rules.scored):
        raise MoveError("layers_wrong", layers=", ".join(rules.scored))
    places = [(placement.column, placement.box) for placement in placements]
    for place_number, (_column, box) in enumerate(places):
        if places[place_number] in places[:place_number]:
            raise MoveError("box_twice", box=box)
    written = []
    for layer, placement in zip(scored_layers(rules), placements, strict=True):
        sheet, scored = place(rules, sheet, layer_faces(dice, layer), placement)
        written.append(scored)
    return sheet, tuple(written)


def place(rules: Ruleset, sheet: Sheet, faces: tuple[int, ...], placement: Placement) -> tuple[Sheet, Scored]:
    """Fill one box with the dice of one layer."""
    cell = cell_of(rules, placement.box, placement.column)
    given = offers(rules, sheet, faces)
    if problem := refusal(rules, sheet, faces, given, cell, placement.strike):
        raise problem
    scored = Scored(0, ()) if placement.strike else given[cell]
    assert scored is not None  # a filled cell was rejected above
    return fill_cell(rules, sheet, faces, cell, scored.points), scored


def fill_cell(rules: Ruleset, sheet: Sheet, faces: tuple[int, ...], cell: int, points: int) -> Sheet:
    """Return the sheet with these points in a cell; the faces may be a repeat that pays."""
    cells = sheet.cells[:cell] + (points,) + sheet.cells[cell + 1 :]
    return Sheet(cells, sheet.repeats + repeat_pays(rules, sheet, faces))


@lru_cache(maxsize=64)
def scored_layers(rules: Ruleset) -> tuple[int, ...]:
    """Return the layers in scoring order, as indices into a die."""
    return tuple(rules.dice.layers.index(layer) for layer in rules.scored)


def legal_moves(rules: Ruleset, state: State) -> tuple[Move, ...]:
    """Return every decision the player can make now; none if a throw is due or the game is over."""
    if state.kept is not None or state.finished:
        return ()
    scores = tuple(legal_scores(rules, state.sheet, state.dice))
    return keeps(state.dice) + scores if state.throws_left else scores


@lru_cache(maxsize=5_000)
def keeps(dice: Dice) -> tuple[Keep, ...]:
    """Return every keep that throws at least one die again."""
    return tuple(Keep(part) for part in parts(dice) if len(part) < len(dice))


def legal_scores(rules: Ruleset, sheet: Sheet, dice: Dice) -> Iterator[Score]:
    """Yield every way to end the turn with these dice."""
    layers = tuple(layer_faces(dice, layer) for layer in scored_layers(rules))
    for placements in legal_placements(rules, sheet, layers):
        yield Score(placements)


def legal_placements(
    rules: Ruleset, sheet: Sheet, layers: tuple[tuple[int, ...], ...]
) -> Iterator[tuple[Placement, ...]]:
    """Yield boxes for the first layer, each combined with boxes for the rest."""
    faces, rest = layers[0], layers[1:]
    for cell, strike, scored in allowed_placements(rules, sheet, faces):
        placement = placement_of(rules, cell, strike)
        if not rest:
            yield (placement,)
            continue
        after = fill_cell(rules, sheet, faces, cell, scored.points)
        for others in legal_placements(rules, after, rest):
            yield (placement, *others)


@lru_cache(maxsize=10_000)
def placement_of(rules: Ruleset, cell: int, strike: bool) -> Placement:
    box, column = cell_names(rules, cell)
    return Placement(box, column, strike)
