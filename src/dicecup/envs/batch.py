"""`BatchEnv`: thousands of games side by side on arrays, played by a compiled kernel, a decision at a time.

What a player sees is written in blocks of `BLOCK` lanes (`solver.compiled`), not box by box. All sources of
this package name the cache folder of `solver.compiled`, so an outdated kernel is never used.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from dicecup.dice import Die
from dicecup.encoding import Mask, Numbers, actions_of, checked_illegal, observation_of
from dicecup.engine.state import Sheet, State
from dicecup.envs.batch_rows import (
    FIXED,
    REPEATS,
    SCORE,
    THROWS_LEFT,
    TO_FILL,
    begin_game,
    cells_at,
    empty,
    end_turn,
    fill,
    filled,
    find_ways,
    roll_dice,
    roll_of,
    rolls_at,
    upper_at,
    written,
)
from dicecup.envs.batch_tables import (
    CELLS,
    COLUMNS,
    COUNTS,
    DICE,
    DIE_BITS,
    FACES,
    GROUPS,
    KEEP_MASK,
    KEEPS,
    LAYERS,
    MOST_FACES,
    SCORED_LAYERS,
    THROWS,
    batch_tables,
)
from dicecup.errors import MoveError, Phrase, UsageError, check_argument, check_one_of, whole_number
from dicecup.playout.perfect_kernel import OPEN, chance_of
from dicecup.rules.loader import AnyGame, as_ruleset
from dicecup.solver.compiled import BLOCK, entry_kernel, kernel, load_block, store_block


@kernel()
def show_pairs(
    tables: Any, rows: Any, game: int, seen: Any, first: int, masks: Any, begin: int, offers: Any, ways: Any
) -> None:
    """Write what the dice of both layers give, and which pairs of boxes are legal."""
    count, inner, outer = tables[CELLS], roll_of(tables, rows, game, 0), roll_of(tables, rows, game, 1)
    find_ways(tables, rows, game, inner, seen, first, ways, 0)
    find_ways(tables, rows, game, outer, seen, first + count, ways, 2 * count + BLOCK)
    for way in range(2 * count):
        at = begin + way * 2 * count
        if ways[way]:
            before = fill(tables, rows, game, inner, way % count, way >= count)[1]
            find_ways(tables, rows, game, outer, offers, 0, masks, at)
            empty(tables, rows, game, way % count, before)
        else:
            masks[at : at + 2 * count] = 0


@kernel()
def show(
    tables: Any, rows: Any, game: int, seen: Any, at: int, masks: Any, begin: int, offers: Any, ways: Any
) -> None:
    """Write what the player sees: the parts of `encoding.Observation` from `at` on, the mask from `begin` on.

    Parts are written in blocks and in this order, so that each overwrites the surplus of the block before it.
    There must be room for a whole block behind the last part.
    """
    count, keeps, cells = tables[CELLS], tables[KEEPS], game * rows.shape[1] + cells_at(tables)
    show_keeps(tables, rows, game, masks, begin)
    at = show_dice(tables, rows, game, seen, at)
    seen[at] = rows[game, THROWS_LEFT]
    at += 1
    if tables[SCORED_LAYERS] > 1:
        show_pairs(tables, rows, game, seen, at, masks, begin + keeps, offers, ways)
    else:
        find_ways(tables, rows, game, roll_of(tables, rows, game, 0), seen, at, masks, begin + keeps)
    at += tables[SCORED_LAYERS] * count
    for cell in range(0, count, BLOCK):
        own = load_block(rows, cells + cell)
        store_block(seen, at + cell, filled(own, own))
    at += count
    for cell in range(0, count, BLOCK):
        own = load_block(rows, cells + cell)
        store_block(seen, at + cell, written(own, own))
    at += count
    for column in range(tables[COLUMNS]):
        seen[at + column] = rows[game, upper_at(tables) + column]
    at += tables[COLUMNS]
    seen[at] = rows[game, REPEATS]
    seen[at + 1] = rows[game, SCORE]


@kernel(forceinline=True)
def show_keeps(tables: Any, rows: Any, game: int, masks: Any, begin: int) -> None:
    if rows[game, THROWS_LEFT] == 0:
        equal = 1 << tables[DICE] - 1  # the last row of the table: nothing may be kept
    else:
        equal = 0
        for place in range(tables[DICE] - 1):
            equal |= (rows[game, FIXED + place] == rows[game, FIXED + place + 1]) << place
    row = tables[KEEP_MASK] + equal * tables[KEEPS]
    for keep in range(0, tables[KEEPS], BLOCK):
        store_block(masks, begin + keep, load_block(tables, row + keep))


@kernel(forceinline=True)
def show_dice(tables: Any, rows: Any, game: int, seen: Any, at: int) -> Any:
    """Write the dice and how many show each face; return where that ends."""
    count, faces, layers = tables[DICE], tables[FACES], tables[LAYERS]
    if layers == 1:
        for place in range(0, count, BLOCK):
            store_block(seen, at + place, load_block(rows, game * rows.shape[1] + FIXED + place))
        at += count
    else:
        for place in range(count):
            die = rows[game, FIXED + place]
            for layer in range(layers):
                seen[at] = die >> DIE_BITS * (layers - 1 - layer) & MOST_FACES
                at += 1
    for layer in range(layers):
        begin = tables[COUNTS] + rows[game, rolls_at(tables) + layer] * faces
        for face in range(0, faces, BLOCK):
            store_block(seen, at + face, load_block(tables, begin + face))
        at += faces
    return at


@entry_kernel(nogil=True)
def begin_games(tables: Any, rows: Any, chances: Any, seed: Any) -> None:
    """Begin all games, each with dice of its own; the first step rolls them."""
    for game in range(rows.shape[0]):
        chances[game] = chance_of(seed, game, 0)
        begin_game(tables, rows, game)


@entry_kernel(nogil=True)
def step_games(
    begin: int,
    end: int,
    tables: Any,
    rows: Any,
    chances: Any,
    actions: Any,
    settings: Any,
    seen: Any,
    masks: Any,
    rewards: Any,
    legal: Any,
    ended: Any,
    final: Any,
) -> None:
    """Play an action in each of these games and write all results; where nothing was rolled yet, roll.

    A game that ends begins anew; an illegal action changes nothing. `settings` are the reward of an illegal
    action and whether rewards come at the end.
    """
    keeps, throws, games = tables[KEEPS], tables[THROWS], rows.shape[0]
    width, count = seen.size // games, masks.size // games
    offers, ways = np.zeros(tables[CELLS] + BLOCK, np.int16), np.zeros(4 * tables[CELLS] + 2 * BLOCK, np.int8)
    last_seen, last_mask = np.zeros(width + BLOCK, np.int16), np.zeros(count + BLOCK, np.int8)
    for game in range(begin, end):
        action, before, keep = actions[game], rows[game, SCORE], 0
        over, total, reward = False, 0, np.float32(0)
        if rows[game, THROWS_LEFT] == throws:
            may = True
        elif 0 <= action < keeps:
            may, keep = rows[game, THROWS_LEFT] > 0, action
        else:
            may = 0 <= action < count
            may = may and end_turn(tables, rows, game, action - keeps, offers, ways)
            if may:
                rows[game, THROWS_LEFT] = throws
                over = rows[game, TO_FILL] == 0
                if over:
                    total = rows[game, SCORE]
                reward = np.float32(total if settings[1] else rows[game, SCORE] - before)
                if over:
                    begin_game(tables, rows, game)
        if may:
            roll_dice(tables, rows, game, chances, keep)
        rewards[game] = reward if may else settings[0]
        legal[game], ended[game], final[game] = may, over, total
        if game < end - 1:
            show(tables, rows, game, seen, game * width, masks, game * count, offers, ways)
        else:  # a block would overrun the array, or a game of another thread
            show(tables, rows, game, last_seen, 0, last_mask, 0, offers, ways)
            seen[game * width : (game + 1) * width] = last_seen[:width]
            masks[game * count : (game + 1) * count] = last_mask[:count]


ILLEGAL = -1.0
MOST_GAMES = 10_000_000
MOST_SEED = (1 << 63) - 1
ALONE = 256  # games that one thread plays faster than two
REWARDS = ("points", "final")

BatchStep = tuple[
    Numbers, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]
]


class Results(NamedTuple):
    """The arrays of a step, in the order in which `step_games` takes them."""

    observations: Numbers
    masks: Mask
    rewards: npt.NDArray[np.float32]
    legal: npt.NDArray[np.bool_]
    ended: npt.NDArray[np.bool_]
    final: npt.NDArray[np.int32]
    truncated: npt.NDArray[np.bool_]  # always false


class BatchEnv:
    """Many games of one player, a decision in each of them a step, with the arrays of the environments.

    `games` is how many. Actions, observations and masks are those of `dicecup/yatzy-sv-v0` and so on, with a
    row for each game. A game that ends begins anew in the same step. The same seed and actions give the same
    games, whatever the number of threads. Unless `copy` is false, every step returns arrays of its own;
    otherwise the next step writes into the same ones.

    >>> env = dicecup.envs.BatchEnv("yatzy-sv", games=1000)
    >>> observations, info = env.reset(seed=1)
    >>> actions = info["action_mask"].argmax(axis=1)
    >>> observations, rewards, ended, truncated, info = env.step(actions)
    >>> observations.shape, info["action_mask"].shape, bool(ended.any())
    ((1000, 60), (1000, 61), False)
    """

    def __init__(
        self,
        game: AnyGame,
        games: int = 1024,
        options: Mapping[str, str] | None = None,
        *,
        reward: str = "points",
        illegal: float | None = ILLEGAL,
        threads: int | None = None,
        copy: bool = True,
    ) -> None:
        self.rules = as_ruleset(game, options)
        self.games = whole_number("games", games, 1, MOST_GAMES)
        check_one_of("reward", reward, REWARDS)
        check_argument("copy", isinstance(copy, bool), "expected_true_or_false")
        self.illegal, self.copy = checked_illegal(illegal), copy
        self._settings = np.array([self.illegal or 0, reward == "final"], dtype=np.float32)
        self._tables = batch_tables(self.rules)
        self.actions, self.observation = actions_of(self.rules), observation_of(self.rules)
        most = numba.get_num_threads() if threads is None else whole_number("threads", threads, 1, 4096)
        self.threads = max(1, min(most, self.games // ALONE))
        self._pool = ThreadPoolExecutor(self.threads - 1) if self.threads > 1 else None
        dice = self.rules.dice
        sheet = len(self.rules.columns) + int(self._tables[GROUPS]) + self.rules.cells
        width = FIXED + dice.count + len(dice.layers) + sheet
        cells = np.zeros(self.games * width + BLOCK, dtype=np.int32)  # the last row is read in blocks, too
        self._rows = cells[:-BLOCK].reshape(self.games, width)
        self._chances = np.zeros(self.games, dtype=np.uint64)
        self._same = None if copy else self._results()
        self._begun = False

    def reset(self, seed: int | None = None) -> tuple[Numbers, dict[str, Mask]]:
        """Begin all games anew; return the observations, and `action_mask` in a dictionary.

        >>> observations, info = dicecup.envs.BatchEnv("yatzy-sv", games=1000).reset(seed=1)
        >>> observations.shape, info["action_mask"].shape
        ((1000, 60), (1000, 61))
        """
        chosen = secrets.randbits(48) if seed is None else whole_number("seed", seed, 0, MOST_SEED)
        begin_games(self._tables, self._rows, self._chances, np.uint64(chosen))
        found = self._play(np.zeros(self.games, dtype=np.int64))  # the first roll, whatever the action
        self._begun = True
        return found.observations, {"action_mask": found.masks}

    def step(self, actions: npt.ArrayLike) -> BatchStep:
        """Play an action in every game.

        Return observations, rewards, which games ended, which were cut short (none), and a dictionary with
        `action_mask`, `legal` (whether the action was) and `final_score` of the games that ended. An illegal
        action changes nothing in its game; with `illegal=None` it raises an error, after the others have been
        played.

        >>> env = dicecup.envs.BatchEnv("yatzy-sv", games=3)
        >>> observations, info = env.reset(seed=1)
        >>> observations, rewards, ended, truncated, info = env.step([44, 44, 44])
        >>> env.actions.name(44), rewards.tolist(), info["legal"].tolist()
        ('score chance', [20.0, 20.0, 21.0], [True, True, True])
        """
        given = np.asarray(actions)
        if given.shape != (self.games,) or given.dtype.kind not in "iu":
            expected = Phrase("expected_actions", games=self.games)
            raise UsageError("argument_wrong", argument="actions", expected=expected)
        if not self._begun:
            self.reset()
        chosen = np.ascontiguousarray(given, dtype=np.int64)
        found = self._play(chosen)
        if self.illegal is None and not found.legal.all():
            game = int(found.legal.argmin())
            raise MoveError("action_illegal", action=int(chosen[game]), game=game)
        info = {"action_mask": found.masks, "legal": found.legal, "final_score": found.final}
        return found.observations, found.rewards, found.ended, found.truncated, info

    def state(self, game: int) -> State:
        """The state of one game, as the engine and the coach know it.

        >>> env = dicecup.envs.BatchEnv("yatzy", games=2)
        >>> observations, info = env.reset(seed=1)
        >>> env.state(1).throws_left, len(env.state(1).dice)
        (2, 5)
        """
        if not self._begun:
            raise MoveError("game_not_begun")
        game = whole_number("game", game, 0, self.games - 1)
        row = self._rows[game].tolist()
        cells = tuple(None if points == OPEN else points for points in row[-self.rules.cells :])
        dice = tuple(self._die(die) for die in row[FIXED : FIXED + self.rules.dice.count])
        return State((Sheet(cells, row[REPEATS]),), 0, dice, None, row[THROWS_LEFT])

    def _die(self, number: int) -> Die:
        layers = len(self.rules.dice.layers)
        faces = tuple(number >> DIE_BITS * (layers - 1 - layer) & MOST_FACES for layer in range(layers))
        return faces[0] if layers == 1 else faces

    def _results(self) -> Results:
        """Return new arrays; the kernel writes every element but those of `truncated`."""
        return Results(
            np.empty((self.games, self.observation.size), dtype=np.int16),
            np.empty((self.games, self.actions.count), dtype=np.int8),
            np.empty(self.games, dtype=np.float32),
            np.empty(self.games, dtype=np.bool_),
            np.empty(self.games, dtype=np.bool_),
            np.empty(self.games, dtype=np.int32),
            np.zeros(self.games, dtype=np.bool_),
        )

    def _play(self, actions: npt.NDArray[np.int64]) -> Results:
        """Let every thread play a part of the games."""
        found = self._same or self._results()
        ends = [self.games * part // self.threads for part in range(self.threads + 1)]
        seen, masks, *others = found[:-1]
        flat = (seen.reshape(-1), masks.reshape(-1), *others)
        given = (self._tables, self._rows, self._chances, actions, self._settings, *flat)
        pool = self._pool
        waiting = [pool.submit(step_games, begin, end, *given) for begin, end in pairwise(ends[1:]) if pool]
        step_games(0, ends[1], *given)
        for part in waiting:
            part.result()
        return found
