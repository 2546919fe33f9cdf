"""`BatchEnv`: thousands of games side by side on arrays, played by a compiled kernel."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from dicecup.dice import Die
from dicecup.encoding import Mask, Numbers, actions_of, observation_of
from dicecup.engine.state import Sheet, State
from dicecup.envs.batch_kernel import (
    ENDED,
    FINAL,
    FIXED,
    GAINED,
    LEGAL,
    OPEN,
    REPEATS,
    THROWS_LEFT,
    begin_games,
    step_games,
)
from dicecup.envs.batch_tables import DIE_BITS, GROUPS, MOST_FACES, batch_tables
from dicecup.errors import MoveError, UsageError, whole_number
from dicecup.phrases import Phrase
from dicecup.rules.loader import AnyGame, as_ruleset

ILLEGAL = -1.0
MOST_GAMES = 10_000_000
MOST_SEED = (1 << 63) - 1
ALONE = 256  # games that one thread plays faster than two
REWARDS = {"points": GAINED, "final": FINAL}  # the column of a game's row that has it

Step = tuple[Numbers, npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]


class BatchEnv:
    """Many games of one player, a decision in each of them a step, with the arrays of the environments.

    `games` is how many. Actions, observations and masks are those of `dicecup/yatzy-sv-v0` and so on, with a
    row for each game. A game that ends begins anew in the same step. The same seed and actions give the same
    games, whatever the number of threads. Unless `copy` is false, every step returns arrays of its own;
    otherwise the next step writes into the same ones, which is faster.

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
        self.kind, self.illegal, self.copy = REWARDS[reward], illegal, copy
        self.tables = batch_tables(self.rules)
        self.actions, self.observation = actions_of(self.rules), observation_of(self.rules)
        most = numba.get_num_threads() if threads is None else whole_number("threads", threads, 1, 4096)
        self.threads = max(1, min(most, self.games // ALONE))
        self.pool = ThreadPoolExecutor(self.threads - 1) if self.threads > 1 else None
        dice = self.rules.dice
        sheet = len(self.rules.columns) + int(self.tables[GROUPS]) + self.rules.cells
        width = FIXED + dice.count + len(dice.layers) + sheet
        self.rows = np.zeros((self.games, width), dtype=np.int32)
        self.chances = np.zeros(self.games, dtype=np.uint64)
        self.observations = np.zeros((self.games, self.observation.size), dtype=np.int16)
        self.masks = np.zeros((self.games, self.actions.count), dtype=np.int8)
        self.truncated = np.zeros(self.games, dtype=np.bool_)
        self.begun = False

    def reset(self, seed: int | None = None) -> tuple[Numbers, dict[str, Mask]]:
        """Begin all games anew; return the observations, and `action_mask` in a dictionary."""
        chosen = secrets.randbits(48) if seed is None else whole_number("seed", seed, 0, MOST_SEED)
        begin_games(self.tables, self.rows, self.chances, np.uint64(chosen))
        self._step(np.zeros(self.games, dtype=np.int64))  # the first roll, whatever the action
        self.begun = True
        return self._own(self.observations), {"action_mask": self._own(self.masks)}

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
        self._step(chosen)
        legal, ended = (self.rows[:, column].astype(np.bool_) for column in (LEGAL, ENDED))
        rewards = self.rows[:, self.kind].astype(np.float32)
        if not legal.all():
            game = int(legal.argmin())
            if self.illegal is None:
                raise MoveError("action_illegal", action=int(chosen[game]), game=game)
            rewards[~legal] = self.illegal
        info = {
            "action_mask": self._own(self.masks),
            "legal": legal,
            "final_score": self.rows[:, FINAL].copy(),
        }
        return self._own(self.observations), rewards, ended, self._own(self.truncated), info

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

    def _own(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return array.copy() if self.copy else array

    def _step(self, actions: npt.NDArray[np.int64]) -> None:
        """Let every thread play a part of the games."""
        ends = [self.games * part // self.threads for part in range(self.threads + 1)]
        given = (self.tables, self.rows, self.chances, actions, self.observations, self.masks)
        others = [
            self.pool.submit(step_games, begin, end, *given) for begin, end in pairwise(ends[1:]) if self.pool
        ]
        step_games(0, ends[1], *given)
        for other in others:
            other.result()
