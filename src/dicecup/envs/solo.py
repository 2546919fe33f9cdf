"""One game that is played on the engine by actions, as text and as a picture; its Gymnasium environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from dicecup.coach.advice import Hint, Values, advise, values_at_once
from dicecup.dice import all_dice, format_dice
from dicecup.encoding import Mask, Numbers, actions_of, checked_illegal, observation_of
from dicecup.engine.play import apply
from dicecup.engine.state import (
    Sheet,
    State,
    Throw,
    column_lines,
    dice_to_throw,
    final_score,
    overall_lines,
    start,
)
from dicecup.errors import MoveError, Phrase, UsageError, check_argument, check_one_of
from dicecup.rules.loader import AnyGame, as_ruleset, builtin_ids
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw


Pixels = npt.NDArray[np.uint8]  # [row, column, colour]


def text(rules: Ruleset, state: State) -> str:
    """Return the dice and all sheets, a line for each box; of an open box a dot."""
    rows = sheet_rows(rules, state.sheets)
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in rows
    ]
    return "\n".join([turn_text(rules, state), *lines]) + "\n"


def turn_text(rules: Ruleset, state: State) -> str:
    if state.finished:
        return f"{rules.id}: the game is over"
    player = f"player {state.player}, " if len(state.sheets) > 1 else ""
    return f"{rules.id}: {player}dice {format_dice(state.dice) or '–'}, throws left {state.throws_left}"


def sheet_rows(rules: Ruleset, sheets: tuple[Sheet, ...]) -> list[list[str]]:
    """Return a row for each line of the sheet: its id, and a cell for each column of each player."""
    boxes = len(rules.boxes)
    rows = [
        ["", *(column_name(rules, seat, column) for seat in range(len(sheets)) for column in rules.columns)]
    ]
    for line in rules.lines:
        if line == "final_score":
            continue
        if line in rules.overall_lines:
            rows.append([line, *overall_cells(rules, sheets, line)])
            continue
        cells = []
        for sheet in sheets:
            for column in range(len(rules.columns)):
                if line in rules.box_index:
                    points = sheet.cells[column * boxes + rules.box_index[line]]
                    cells.append("·" if points is None else str(points))
                else:
                    cells.append(str(column_lines(rules, sheet, column)[line]))
        rows.append([line, *cells])
    return [*rows, ["final_score", *overall_cells(rules, sheets, "final_score")]]


def overall_cells(rules: Ruleset, sheets: tuple[Sheet, ...], line: str) -> list[str]:
    """Return the cells of a line that stands once for all columns: under the last of them."""
    empty = [""] * (len(rules.columns) - 1)
    return [cell for sheet in sheets for cell in (*empty, str(overall_lines(rules, sheet)[line]))]


def column_name(rules: Ruleset, seat: int, column: Any) -> str:
    return column.id if rules.has_columns else f"player_{seat}"


DIE, GAP, LINE, LEFT, WIDTH = 48, 10, 18, 150, 60
PAPER, INK, GREY, FELT = (255, 255, 255), (20, 30, 40), (150, 160, 170), (226, 240, 234)
PIPS = {
    1: [(1, 1)],
    2: [(0, 0), (2, 2)],
    3: [(0, 0), (1, 1), (2, 2)],
    4: [(0, 0), (0, 2), (2, 0), (2, 2)],
    5: [(0, 0), (0, 2), (1, 1), (2, 0), (2, 2)],
    6: [(0, 0), (0, 1), (0, 2), (2, 0), (2, 1), (2, 2)],
}


def picture(rules: Ruleset, state: State) -> Pixels:
    """Return the dice and all sheets as an image of red, green and blue."""
    from dicecup.installation import need

    need("env")
    from PIL import Image, ImageDraw

    rows = sheet_rows(rules, state.sheets)
    dice = DIE * (2 - 0.5 ** (len(rules.dice.layers) - 1)) + GAP / 2 * (len(rules.dice.layers) - 1)
    felt = round(dice) + 2 * GAP
    height = felt + GAP + LINE * len(rows)
    width = max(LEFT + WIDTH * (len(rows[0]) - 1), (DIE + GAP) * rules.dice.count) + 2 * GAP
    image = Image.new("RGB", (width, height), PAPER)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width, felt), fill=FELT)
    for place, die in enumerate(state.dice):
        faces = (die,) if isinstance(die, int) else die
        draw_die(draw, GAP + place * (DIE + GAP), GAP, DIE, faces)
    for number, row in enumerate(rows):
        top = felt + 4 + LINE * number
        draw.line((GAP, top + LINE - 3, width - GAP, top + LINE - 3), fill=FELT)
        draw.text((GAP, top), row[0], fill=INK)
        for place, cell in enumerate(row[1:], start=1):
            right = GAP + LEFT + WIDTH * place - 4
            shown = cell.replace("·", "-")  # the default font has no such dot everywhere
            draw.text((right - draw.textlength(shown), top), shown, fill=GREY if cell == "·" else INK)
    return np.asarray(image, dtype=np.uint8).copy()


def draw_die(draw: ImageDraw, left: float, top: float, size: float, faces: tuple[int, ...]) -> None:
    """Draw a die, and small ones below it for what is inside, so that they hide no pips."""
    draw.rounded_rectangle((left, top, left + size, top + size), radius=size / 6, fill=PAPER, outline=INK)
    pips = PIPS.get(faces[0])
    if pips is None:
        draw.text((left + size / 3, top + size / 3), str(faces[0]), fill=INK)
    for row, column in pips or ():
        x, y, radius = left + size * (1 + row) / 4, top + size * (1 + column) / 4, size / 12
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=INK)
    if len(faces) > 1:
        draw_die(draw, left + size / 4, top + size + GAP / 2, size / 2, faces[1:])


Reward = Literal["points", "final", "loss", "win"]
RENDER_MODES = ["ansi", "rgb_array"]
ILLEGAL = -1.0  # the reward of an action that the rules do not allow
ActionValues = npt.NDArray[np.float64]  # by action: the expected final score, -inf where it is illegal


class EnvironmentSettings(NamedTuple):
    """The settings that all environments of a game share."""

    reward: Reward = "points"
    values: bool = False  # whether the value of every action is reported
    illegal: float | None = ILLEGAL  # None: an illegal action raises the engine's error


def checked_settings(
    reward: str, values: bool, illegal: float | None, render_mode: str | None, known: tuple[str, ...]
) -> EnvironmentSettings:
    check_one_of("reward", reward, known)
    check_argument("values", isinstance(values, bool | np.bool_), "expected_true_or_false")
    if render_mode is not None:
        check_one_of("render_mode", render_mode, RENDER_MODES)
    return EnvironmentSettings(reward, bool(values), checked_illegal(illegal))  # type: ignore[arg-type]


def action_number(action: object, count: int) -> int:
    """Return an action as an `int`; anything else is refused, also values that Python treats as integers.

    A number that no action has is illegal, like an action that the rules do not allow now.
    """
    try:
        if isinstance(action, bool | np.bool_):
            raise TypeError
        return index(action)  # type: ignore[arg-type]
    except TypeError:
        expected = Phrase("expected_whole_number", low=0, high=count - 1)
        raise UsageError("argument_wrong", argument="action", expected=expected) from None


class Outcome(NamedTuple):
    """The effect of an action."""

    legal: bool
    gained: int = 0  # how much the final score of the player grew
    loss: float = 0.0  # how much less it is worth than the best action, where values are known
    turn_over: bool = False


class LiveGame:
    """A game of one or several players in which only decisions are asked: the dice roll by themselves."""

    def __init__(
        self,
        game: AnyGame,
        options: Mapping[str, str] | None,
        settings: EnvironmentSettings,
        players: int = 1,
    ) -> None:
        self.rules = as_ruleset(game, options)
        self.settings = settings
        self.actions = actions_of(self.rules)
        self.observation = observation_of(self.rules, players)
        self.sides = all_dice(self.rules.dice.faces, len(self.rules.dice.layers))
        asked = settings.values or settings.reward == "loss"
        self.known: Values | None = values_at_once(self.rules) if asked else None
        self.players = players
        self.state = start(self.rules, players)
        self.hint: Hint | None = None

    def begin(self, chance: np.random.Generator) -> None:
        """Begin a game; one that its first roll wins has no decision, and another one begins."""
        while True:
            self.state = start(self.rules, self.players)
            self.roll(chance)
            if not self.state.finished:
                return

    def roll(self, chance: np.random.Generator) -> None:
        """Roll the dice that are due."""
        count = dice_to_throw(self.rules, self.state)
        faces = chance.integers(len(self.sides), size=count)
        self.state = apply(self.rules, self.state, Throw(tuple(self.sides[face] for face in faces)))
        self.hint = advise(self.known, self.state) if self.known and not self.state.finished else None

    def decide(self, action: int, chance: np.random.Generator, *, wait: bool = False) -> Outcome:
        """Play an action and roll the dice that follow it; with `wait` not those of the next turn."""
        state, seat = self.state, self.state.player
        try:
            move = self.actions._move(state.dice, action)
            after = apply(self.rules, state, move)
        except MoveError:
            if self.settings.illegal is None:
                raise
            return Outcome(legal=False)
        loss = self.hint.choice(move).loss if self.hint else 0.0
        self.state, turn_over = after, not after.dice
        if turn_over:
            self.hint = None
        if after.throw_due and not (turn_over and wait):
            self.roll(chance)
        gained = final_score(self.rules, after.sheets[seat]) - final_score(self.rules, state.sheets[seat])
        return Outcome(True, gained, loss, turn_over)

    def reward(self, outcome: Outcome, sheet: Sheet) -> float:
        """Return the reward of the player whose sheet this is now."""
        if not outcome.legal:
            return float(self.settings.illegal or 0.0)
        match self.settings.reward:
            case "points":
                return float(outcome.gained)
            case "loss":
                return -outcome.loss
            case "final" if sheet.full or self.state.winner is not None:
                return float(final_score(self.rules, sheet))
            case _:
                return 0.0

    def mask(self) -> Mask:
        return self.actions.mask(self.state)

    def seen(self, state: State | None = None) -> Numbers:
        return self.observation.of_state(state or self.state)

    def info(self, outcome: Outcome | None = None) -> dict[str, Any]:
        """What an environment reports beside the observation."""
        found: dict[str, Any] = {"action_mask": self.mask()}
        found["legal"] = outcome is None or outcome.legal
        if self.known is None:
            return found
        found["loss"] = outcome.loss if outcome else 0.0
        found["exact"] = self.known.exact
        found["values"] = self.action_values()
        return found

    def action_values(self) -> ActionValues:
        """Return the expected final score after each action, with perfect play from there on."""
        found = np.full(self.actions.count, -np.inf)
        for choice in self.hint.choices if self.hint else ():
            found[self.actions._number(self.state.dice, choice.move)] = choice.expected
        return found


def win_shares(rules: Ruleset, sheets: Sequence[Sheet], won: Sequence[bool]) -> list[float]:
    """Return 1 for the winner and 0 for the others; those who tie share it.

    Who has `won` at once comes before the others, whatever the scores are.
    """
    ranks = [(first, final_score(rules, sheet)) for first, sheet in zip(won, sheets, strict=True)]
    best = max(ranks)
    return [(rank == best) / ranks.count(best) for rank in ranks]


REWARDS = ("points", "final", "loss")


class SoloEnv(gymnasium.Env[Numbers, np.int64]):
    """A game of one player, a decision a step; the dice are rolled by the environment.

    docs/environments.md describes observations, actions, rewards and what `info` holds.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 4}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        game: AnyGame = "yatzy",
        options: Mapping[str, str] | None = None,
        *,
        reward: str = "points",
        values: bool = False,
        illegal: float | None = ILLEGAL,
        render_mode: str | None = None,
    ) -> None:
        self.live = LiveGame(game, options, checked_settings(reward, values, illegal, render_mode, REWARDS))
        self.render_mode = render_mode
        seen = self.live.observation
        self.observation_space = spaces.Box(seen.low, seen.high, dtype=np.int16)
        self.action_space = spaces.Discrete(self.live.actions.count)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, dict[str, Any]]:
        """Begin a game: the first dice are on the table."""
        super().reset(seed=seed, options=options)
        self.live.begin(self.np_random)
        return self.live.seen(), self._info(self.live.info())

    def step(self, action: Any) -> tuple[Numbers, float, bool, bool, dict[str, Any]]:
        """Play an action. One that is illegal changes nothing and costs `illegal`."""
        number = action_number(action, self.live.actions.count)
        if not self.live.state.dice and not self.live.state.finished:
            raise MoveError("game_not_begun")
        outcome = self.live.decide(number, self.np_random)
        reward, over = self.live.reward(outcome, self.live.state.sheet), self.live.state.finished
        return self.live.seen(), reward, over, False, self._info(self.live.info(outcome))

    def _info(self, info: dict[str, Any]) -> dict[str, Any]:
        return info | {"score": final_score(self.live.rules, self.live.state.sheet)}

    def render(self) -> Any:
        """The dice and the sheet as text, or as a picture of red, green and blue."""
        if self.render_mode == "ansi":
            return text(self.live.rules, self.live.state)
        return picture(self.live.rules, self.live.state) if self.render_mode == "rgb_array" else None


def register_solo() -> None:
    """Register every game as `dicecup/yatzy-v0` and so on."""
    for game in builtin_ids():
        name = f"dicecup/{game}-v0"
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point="dicecup.envs.solo:SoloEnv", kwargs={"game": game})
