"""The single authority over a game in progress: origin of the dice, whose turn it is, undo.

A match saves every entry before it reports the new state. Each change can name the version it was made
against; a change against an older version is rejected, so that two devices cannot act on the same state.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from random import Random

from dicecup.bots import bot_of_player
from dicecup.dice import Dice, all_dice, sort_dice
from dicecup.engine.fairness import SECRET_BYTES, commitment
from dicecup.engine.record import DiceOrigin, Entry, Record, Reveal, Undo, secret_of
from dicecup.engine.state import Keep, Score, State, Throw, dice_to_throw
from dicecup.errors import MoveError, UsageError
from dicecup.rules.model import Ruleset

Save = Callable[[Record, Entry], None]


def new_secret() -> bytes:
    return secrets.token_bytes(SECRET_BYTES)


def verifiable_origin(secret: bytes, player_seeds: tuple[str, ...]) -> DiceOrigin:
    """Return the origin of verifiable dice; publish the commitment before the players choose their seeds."""
    return DiceOrigin("verifiable", commitment=commitment(secret), player_seeds=player_seeds)


class Match:
    """A growing record. `save` gets the record so far and the entry, and must persist it or raise."""

    def __init__(
        self, record: Record, save: Save, secret: bytes | None = None, bot_seed: int | None = None
    ) -> None:
        self.record = record
        self.save = save
        self.secret = secret or secret_of(record)
        origin = record.header.origin
        if self.secret and origin.kind == "verifiable" and commitment(self.secret) != origin.commitment:
            raise UsageError("secret_lost")
        self.bot_seed = record.header.origin.seed if bot_seed is None else bot_seed

    @property
    def rules(self) -> Ruleset:
        return self.record.rules

    @property
    def state(self) -> State:
        return self.record.state

    @property
    def version(self) -> int:
        """The number of entries so far."""
        return len(self.record.entries)

    @property
    def player(self) -> str:
        return self.record.header.players[self.state.player]

    def add(self, entry: Entry, version: int | None = None) -> None:
        """Check and save the entry, and only then change the state."""
        if version is not None and version != self.version:
            raise MoveError("version_stale", found=version, version=self.version)
        longer = self.record.append(entry)
        self.save(self.record, longer.entries[-1])
        self.record = longer

    def decide(self, move: Keep | Score, version: int | None = None) -> None:
        self.add(move, version)

    def throw(self, typed: Dice | None = None, version: int | None = None) -> Dice:
        """Throw the dice that are due; physical dice are typed in, all others are drawn by the match."""
        if (self.record.header.origin.kind == "typed") != (typed is not None):
            raise UsageError("dice_not_typed" if typed is not None else "dice_typed_missing")
        dice = self.draw() if typed is None else sort_dice(typed)
        self.add(Throw(dice), version)
        return dice

    def draw(self) -> Dice:
        """Return the dice of the next throw."""
        count = dice_to_throw(self.rules, self.state)
        if self.record.header.origin.kind == "system":
            sides = all_dice(self.rules.dice.faces, len(self.rules.dice.layers))
            return sort_dice(tuple(secrets.choice(sides) for _ in range(count)))
        if self.secret is None:
            raise UsageError("secret_lost")
        number = self.record.throws_made + 1
        return self.record.header.origin.throw(self.secret, number, self.rules, count)

    def let_bot_decide(self, version: int | None = None) -> Keep | Score:
        """Let the bot whose turn it is make one decision."""
        move = self.decision_of_bot()
        self.decide(move, version)
        return move

    def decision_of_bot(self) -> Keep | Score:
        """Return the decision of the bot whose turn it is, reproducible with a seed."""
        bot = bot_of_player(self.player)
        if self.state.throw_due:
            raise MoveError("throw_first")
        if bot is None or self.state.finished:
            raise MoveError("bot_not_due")
        repeatable = f"{self.bot_seed} {self.version}"
        chance = Random(secrets.randbits(128) if self.bot_seed is None else repeatable)
        return bot.decide(self.rules, self.state, chance)

    def undo(self, steps: int, version: int | None = None) -> None:
        self.add(Undo(steps), version)

    def steps_to_last_decision(self) -> int:
        """Return how many moves to undo so that a person can repeat their last decision; 0 if none.

        Typed dice count as a decision too, since a person entered them. Bots' turns in between are undone as
        well.
        """
        typed = self.record.header.origin.kind == "typed"
        moves, states = self.record.moves, self.record.states
        for steps in range(1, len(moves) + 1):
            move, before = moves[-steps], states[-steps - 1]
            person = bot_of_player(self.record.header.players[before.player]) is None
            if typed and isinstance(move, Throw):
                return steps
            if person and not isinstance(move, Throw):
                return steps
        return 0

    def reveal(self) -> None:
        """Reveal the secret of verifiable dice once the game is over."""
        if self.secret is None:
            raise UsageError("secret_lost")
        self.add(Reveal(self.secret.hex()))

    @property
    def reveal_due(self) -> bool:
        return (
            self.state.finished
            and self.record.header.origin.kind == "verifiable"
            and self.record.secret is None
        )
