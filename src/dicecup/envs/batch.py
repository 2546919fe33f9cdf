"""`BatchEnv`: thousands of games side by side on arrays, played by a compiled kernel."""

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
from dicecup.encoding import Mask, Numbers, actions_of, observation_of
from dicecup.engine.state import Sheet, State
from dicecup.envs.batch_kernel import FIXED, OPEN, REPEATS, THROWS_LEFT, begin_games, step_games
from dicecup.envs.batch_tables import DIE_BITS, GROUPS, MOST_FACES, batch_tables
from dicecup.errors import MoveError, Phrase, UsageError, whole_number
from dicecup.rules.loader import AnyGame, as_ruleset
from dicecup.solver.vector import BLOCK

ILLEGAL = -1.0
MOST_GAMES = 10_000_000
MOST_SEED = (1 << 63) - 1
ALONE = 256  # games that one thread plays faster than two
REWARDS = ("points", "final")

Step = tuple[Numbers, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]


class Results(NamedTuple):
    """The arrays of a step, in the order in which `step_games` takes them."""

    observations: Numbers
    masks: Mask
    rewards: npt.NDArray[np.float32]
    legal: npt.NDArray[np.bool_]
    ended: npt.NDArray[np.bool_]
    final: npt.NDArray[np.int32]
    truncated: npt.NDArray[np.bool_]  # no game ever is


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
        if reward not in REWARDS:
            expected = Phrase("expected_one_of", known=", ".join(REWARDS))
            raise UsageError("argument_wrong", argument="reward", expected=expected)
        self.illegal, self.copy = illegal, copy
        self.settings = np.array([illegal or 0, reward == "final"], dtype=np.float32)
        self.tables = batch_tables(self.rules)
        self.actions, self.observation = actions_of(self.rules), observation_of(self.rules)
        most = numba.get_num_threads() if threads is None else whole_number("threads", threads, 1, 4096)
        self.threads = max(1, min(most, self.games // ALONE))
        self.pool = ThreadPoolExecutor(self.threads - 1) if self.threads > 1 else None
        dice = self.rules.dice
        sheet = len(self.rules.columns) + int(self.tables[GROUPS]) + self.rules.cells
        width = FIXED + dice.count + len(dice.layers) + sheet
        cells = np.zeros(self.games * width + BLOCK, dtype=np.int32)  # the last row is read in blocks, too
        self.rows = cells[:-BLOCK].reshape(self.games, width)
        self.chances = np.zeros(self.games, dtype=np.uint64)
        self.same = None if copy else self._results()
        self.begun = False

    def reset(self, seed: int | None = None) -> tuple[Numbers, dict[str, Mask]]:
        """Begin all games anew; return the observations, and `action_mask` in a dictionary."""
        chosen = secrets.randbits(48) if seed is None else whole_number("seed", seed, 0, MOST_SEED)
        begin_games(self.tables, self.rows, self.chances, np.uint64(chosen))
        found = self._play(np.zeros(self.games, dtype=np.int64))  # the first roll, whatever the action
        self.begun = True
        return found.observations, {"action_mask": found.masks}

    def step(self, actions: npt.ArrayLike) -> Step:
        """Play an action in every game.

        Return observations, rewards, which games ended, which were cut short (none), and a dictionary with
        `action_mask`, `legal` (whether the action was) and `final_score` of the games that ended. An illegal
        action changes nothing in its game; with `illegal=None` it raises an error, after the others have been
        played.
        """
        given = np.asarray(actions)
        if given.shape != (self.games,) or given.dtype.kind not in "iu":
            expected = Phrase("expected_actions", games=self.games)
            raise UsageError("argument_wrong", argument="actions", expected=expected)
        if not self.begun:
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
        row = self.rows[game].tolist()
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
        found = self.same or self._results()
        ends = [self.games * part // self.threads for part in range(self.threads + 1)]
        seen, masks, *others = found[:-1]
        flat = (seen.reshape(-1), masks.reshape(-1), *others)
        given = (self.tables, self.rows, self.chances, actions, self.settings, *flat)
        waiting = [
            self.pool.submit(step_games, begin, end, *given) for begin, end in pairwise(ends[1:]) if self.pool
        ]
        step_games(0, ends[1], *given)
        for part in waiting:
            part.result()
        return found
