"""`Rules`: a ruleset with methods for names, points and exact values."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dicecup.dice import AnyDie
from dicecup.engine.legality import points_by_box
from dicecup.engine.play import as_dice
from dicecup.engine.sheet_data import checked_sheet
from dicecup.engine.state import Sheet, empty_sheet
from dicecup.errors import DiceError, check_argument, check_executor, check_one_of
from dicecup.installation import check_reachable, need, path_of
from dicecup.rules.loader import AnyGame, as_ruleset, builtin_ids
from dicecup.rules.model import Ruleset

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dicecup.solver.solution import OnProgress, Solution


class Rules(Ruleset):
    """The rules of one game, its options chosen.

    `game` is the id of a game that comes with Dicecup, the path of a rules file, or a `Ruleset`. Every
    function that takes a `Ruleset` takes `Rules`. Two of them are equal when they mean the same game,
    whatever it is called: `identity` is a hash of that meaning.

    >>> import dicecup
    >>> rules = dicecup.Rules("yatzy", {"scoring": "scandinavian"})
    >>> rules.score((3, 3, 3, 6, 6))["full_house"]
    21
    >>> rules == dicecup.Rules("yatzy")
    False
    """

    def __init__(self, game: AnyGame, options: Mapping[str, str] | None = None) -> None:
        vars(self).update(vars(as_ruleset(game, options)))

    def __repr__(self) -> str:
        chosen = dict(self.non_default_options)
        return f"Rules({self.reference!r}, {chosen})" if chosen else f"Rules({self.reference!r})"

    @staticmethod
    def ids() -> tuple[str, ...]:
        """The ids of the games that come with Dicecup.

        >>> dicecup.Rules.ids()[:6]
        ('yatzy', 'yatzy-sv', 'dice-in-dice', 'yum-plus', 'triple-yum-plus', 'yahtzee')
        >>> dicecup.Rules.ids()[6:]
        ('kniffel', 'yacht', 'maxi-yatzy', 'triple-yahtzee', 'balut', 'generala', 'jamb')
        """
        return builtin_ids()

    def name(self, language: str = "en", line: str = "game") -> str:
        """What the game is called in a language, or one of its boxes, other lines, columns or layers.

        The line "summary" describes the game in a sentence.

        >>> dicecup.Rules("yatzy-sv").name("sv"), dicecup.Rules("yatzy").name("fr", "full_house")
        ('Svensk Yatzy', 'Full')
        """
        from dicecup.i18n.language import LANGUAGES, LINE_NAMES, game_name, name, summary

        columns = [column.id for column in self.columns] if self.has_columns else []
        layers = self.dice.layers if self.has_layers else ()
        check_one_of("language", language, dict.fromkeys((*LANGUAGES, *self.names)))
        known = ("game", "summary", *self.lines, *columns, *layers, *LINE_NAMES)
        check_one_of("line", line, dict.fromkeys(known))
        if line == "summary":
            return summary(self, language)
        return game_name(self, language) if line == "game" else name(self, line, language)

    def score(
        self, dice: str | Iterable[AnyDie], sheet: Mapping[str, Any] | Sheet | None = None
    ) -> dict[str, Any]:
        """The points that dice give in every open box of a sheet.

        Double dice give one such table per layer, a game with columns one per column.

        >>> dicecup.Rules("yatzy").score("3 3 3 6 6", {"threes": 9})["sixes"]
        12
        >>> dicecup.Rules("dice-in-dice").score("6-5 6-4 3-3 3-2 4-1 3-2")["outer"]["pair"]
        12
        """
        rolled = as_dice(self, dice)
        if len(rolled) != self.dice.count:
            raise DiceError("dice_count_wrong", found=len(rolled), expected=self.dice.count)
        filled = empty_sheet(self) if sheet is None else checked_sheet(self, sheet)
        return points_by_box(self, filled, rolled)

    def solve(
        self,
        *,
        precision: int = 64,
        backend: str = "cpu",
        folder: str | os.PathLike[str] | None = None,
        on_progress: OnProgress | None = None,
        executor: Executor | None = None,
    ) -> Solution:
        """Solve the game exactly, or read its table if it has been solved before.

        It takes seconds for the Yatzy games and minutes for Yum Plus. `precision` is 64 or 32 bits;
        `backend` is "cpu" or "cuda"; `folder` is where the table is kept; `on_progress` is called with the
        progress. With an `executor` (of `concurrent.futures`, a Dask client's or MPI's) its workers solve.

        >>> round(dicecup.Rules("yatzy-sv").solve().expected, 2)
        248.44
        """
        where = None if folder is None else path_of("folder", folder, "expected_folder")
        if where is not None:
            check_reachable(where)
        check_argument("on_progress", on_progress is None or callable(on_progress), "expected_function")
        check_executor(executor)
        from dicecup.solver.components import check_rules

        check_rules(self)
        need("solver")
        from dicecup.solver.find import solution_of
        from dicecup.solver.solution import no_callback

        progress = on_progress or no_callback
        return solution_of(
            self,
            precision=precision,
            backend=backend,
            folder=where,
            on_progress=progress,
            executor=executor,
        )
