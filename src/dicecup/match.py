"""A match: the one authority over a game that is being played.

A match checks every change, persists it, then adopts the new state. A change may name the version it
was made against; a change against an older version is refused, so that two devices cannot act on one state.

    change = match.prepare(version)     # refuses a stale version
    change.decide(Keep((6, 6)))         # checked and scored here, once
    change.throw()
    match.commit(change)                # persists, then changes the state; or await commit_async(change)

`throw`, `decide`, `undo` and `reveal` of the match do all of that for a single entry.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Literal

from dicecup.bots import BOT_PREFIX, Bot, bot_of_player, is_bot
from dicecup.bots.registry import decision
from dicecup.dice import Dice, all_dice, sort_dice
from dicecup.engine.fairness import LATEST_STATEMENT, MOST_SEED, SAME_DICE, SECRET_BYTES, commitment
from dicecup.engine.play import as_dice
from dicecup.engine.record import DiceOrigin, Entry, Record, RecordBuilder, Reveal, Undo, secret_of
from dicecup.engine.record_header import MOST_NAME, Line, good_name
from dicecup.engine.record_text import add_line, entry_text
from dicecup.engine.state import MOST_PLAYERS, State, Throw, TurnMove, Write, dice_to_throw
from dicecup.errors import MoveError, Phrase, UsageError, check_argument, whole_number
from dicecup.rules.model import Ruleset

DiceSource = Literal["verifiable", "seed", "system", "typed", "points"]


def new_secret() -> bytes:
    return secrets.token_bytes(SECRET_BYTES)


def verifiable_origin(secret: bytes, player_seeds: tuple[str, ...], *, same_dice: bool = False) -> DiceOrigin:
    """Return the origin of verifiable dice, with a seed for every player, empty for those who give none.

    Publish the commitment before the players choose their seeds. With `same_dice` all players get the same.
    """
    return DiceOrigin(
        "verifiable",
        commitment=commitment(secret),
        player_seeds=player_seeds,
        statement=SAME_DICE if same_dice else LATEST_STATEMENT,
    )


def dice_origin(
    dice: DiceSource | None, seed: int | None, players: tuple[str, ...], *, same_dice: bool = False
) -> tuple[DiceOrigin, bytes | None]:
    """Where the dice come from, and the secret of dice that are verifiable."""
    if seed is not None:
        seed = whole_number("seed", seed, 0, MOST_SEED)
    check_argument("same_dice", isinstance(same_dice, bool), "expected_true_or_false")
    kind: object = ("verifiable" if seed is None else "seed") if dice is None else dice
    match kind if isinstance(kind, str) else "":  # arrays cannot be compared with texts
        case "seed" if seed is not None:
            return DiceOrigin("seed", seed=seed, statement=SAME_DICE if same_dice else 1), None
        case other if same_dice and other != "verifiable":
            known = Phrase("expected_one_of", known="verifiable, seed (with a seed)")
            raise UsageError("argument_wrong", argument="dice", expected=known)
        case "typed" | "system" as kind:
            return DiceOrigin(kind), None
        case "points":
            if any(map(is_bot, players)):
                raise UsageError("pad_without_bots")
            return DiceOrigin("points"), None
        case "verifiable":
            secret = new_secret()
            return verifiable_origin(secret, ("",) * len(players), same_dice=same_dice), secret
        case _:
            known = Phrase("expected_one_of", known="verifiable, seed (with a seed), system, typed, points")
            raise UsageError("argument_wrong", argument="dice", expected=known)


class Change:
    """What is to follow a record, entries or a player: checked by the rules, but not yet persisted."""

    def __init__(self, before: Record, secret: bytes | None = None) -> None:
        self.before = before
        self.after = before
        self.texts: list[str] = []  # one for each entry, as in the text of a record
        self.secret = secret

    @property
    def number(self) -> int:
        """The number of the first entry, from 0."""
        return len(self.before.entries)

    @property
    def ends_game(self) -> bool:
        """Whether the game is over now, or still is with other points."""
        finished = self.after.state.finished
        return finished and (not self.before.state.finished or self.after.state != self.before.state)

    @property
    def reopens_game(self) -> bool:
        """Whether the game was over and is not any more."""
        return self.before.state.finished and not self.after.state.finished

    @property
    def joins(self) -> bool:
        """Whether there are more players now, whose names are in the header."""
        return self.after.header.players != self.before.header.players

    def add(self, entry: Entry) -> None:
        """Add an entry, or raise the reason why the rules reject it."""
        self.go_on(self.after.append(entry))

    def go_on(self, longer: Record) -> None:
        """Adopt a record with one more entry that was appended elsewhere (in a worker process)."""
        text = entry_text(longer.rules, self.after.state, longer.entries[-1], longer.state)
        self.after = longer
        self.texts.append(text)

    def decide(self, move: TurnMove | Write) -> None:
        self.add(move)

    def throw(self, typed: Dice | None = None, *, final: bool = False) -> Dice:
        """Throw the dice that are due; physical dice are typed, all others come from the match."""
        if self.after.header.origin.kind == "points":
            raise MoveError("pad_without_dice")
        if (self.after.header.origin.kind == "typed") != (typed is not None):
            raise UsageError("dice_not_typed" if typed is not None else "dice_typed_missing")
        dice = draw(self.after, self.secret) if typed is None else as_dice(self.after.rules, typed)
        self.add(Throw(dice, final))
        return dice

    def undo(self, steps: int) -> None:
        self.add(Undo(steps))

    def reveal(self) -> None:
        """Publish the secret of verifiable dice."""
        if self.secret is None:
            raise UsageError("secret_lost")
        self.add(Reveal(self.secret.hex()))

    def join(self, name: str) -> None:
        """Give another player an empty sheet on a pad, which knows no turns that they could have missed."""
        self.after = with_player(self.after, name)


def with_player(record: Record, name: str) -> Record:
    """Return a pad with one more player."""
    header = record.header
    if header.origin.kind != "points":
        raise MoveError("join_without_pad")
    if not good_name(name) or name.startswith(BOT_PREFIX):
        raise UsageError("name_wrong", name=str(name)[:80], most=MOST_NAME)
    if len(header.players) >= MOST_PLAYERS:
        raise UsageError("players_too_many", most=MOST_PLAYERS)
    if name in header.players:
        raise UsageError("name_twice")
    longer = replace(header, players=(*header.players, name))
    return Record(longer, record.entries)


def draw(record: Record, secret: bytes | None) -> Dice:
    """The dice of the next throw."""
    rules, origin = record.rules, record.header.origin
    count = dice_to_throw(rules, record.state)
    if origin.kind == "system":
        sides = all_dice(rules.dice.faces, len(rules.dice.layers))
        return sort_dice(tuple(secrets.choice(sides) for _ in range(count)))
    if secret is None:
        raise UsageError("secret_lost")
    return origin.throw(secret, record.next_throw, rules, count, len(record.header.players))


# Persists a change or raises; an asynchronous store returns something to await.
Save = Callable[[Change], Awaitable[None] | None]


class Match:
    """A record that grows, and the store that persists it. Without a store the match lives in memory only.

    `bots` are bots of one's own by their seats; the others are found by the names of the players.
    """

    def __init__(
        self,
        record: Record,
        save: Save | None = None,
        secret: bytes | None = None,
        bot_seed: int | None = None,
        bots: Mapping[int, Bot] | None = None,
    ) -> None:
        self._record = record
        self._save = save
        self.secret = secret or secret_of(record)
        origin = record.header.origin
        if self.secret and origin.kind == "verifiable" and commitment(self.secret) != origin.commitment:
            raise UsageError("secret_lost")
        self.bot_seed = record.header.origin.seed if bot_seed is None else bot_seed
        self.bots = dict(bots or {})

    @property
    def record(self) -> Record:
        return self._record

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

    def check_version(self, version: int) -> None:
        """Refuse a change that was made against another version than this one."""
        if version != self.version:
            raise MoveError("version_stale", found=version, version=self.version)

    def prepare(self, version: int | None = None) -> Change:
        """Begin a change against a version, or against whatever the version is now."""
        if version is not None:
            self.check_version(version)
        return Change(self.record, self.secret)

    def commit(self, change: Change) -> None:
        """Persist a change, and only then be in the new state."""
        if self._persist(change) is not None:
            raise TypeError("The store of this match is asynchronous: await commit_async().")
        self._record = change.after

    async def commit_async(self, change: Change, save: Save | None = None) -> None:
        """Persist a change in an asynchronous store, and only then be in the new state.

        `save` is for changes of which more than the entries is stored, such as another player.
        """
        pending = self._persist(change, save)
        if pending is not None:
            await pending
        self._record = change.after

    def _persist(self, change: Change, save: Save | None = None) -> Awaitable[None] | None:
        if change.before is not self.record:
            raise MoveError("version_stale", found=change.number, version=self.version)
        if save is None and self._save is not None and change.joins:
            raise TypeError("The store of this match has to write another header.")
        save = save or self._save
        return save(change) if save else None

    def catch_up(self, texts: Sequence[str]) -> None:
        """Take in the entries that another process has persisted after those that are here."""
        if not texts:
            return
        builder = RecordBuilder(self.record)
        for number, text in enumerate(texts, start=self.version + 1):
            add_line(builder, Line(number, text))
        self._record = builder.build()

    def add(self, entry: Entry, version: int | None = None) -> None:
        """Check, persist, and only then be in the new state."""
        change = self.prepare(version)
        change.add(entry)
        self.commit(change)

    def decide(self, move: TurnMove | Write, version: int | None = None) -> None:
        self.add(move, version)

    def throw(self, typed: Dice | None = None, version: int | None = None, *, final: bool = False) -> Dice:
        """Throw the dice that are due; physical dice are typed, all others come from the match.

        `final` dice are all that is known of a turn.
        """
        change = self.prepare(version)
        dice = change.throw(typed, final=final)
        self.commit(change)
        return dice

    def reveal(self) -> None:
        """Publish the secret of verifiable dice once the game is over."""
        change = self.prepare()
        change.reveal()
        self.commit(change)

    def undo(self, steps: int, version: int | None = None) -> None:
        self.add(Undo(steps), version)

    def let_bot_decide(self, version: int | None = None) -> TurnMove:
        """Let the bot whose turn it is take one decision."""
        move = self.decision_of_bot()
        self.decide(move, version)
        return move

    def decision_of_bot(self) -> TurnMove:
        """Return what the bot whose turn it is would do; repeatable with a seed."""
        record = self.record  # may run in a thread, while others change the match
        state, version = record.state, len(record.entries)
        player = record.header.players[state.player]
        bot = self.bots.get(state.player) or bot_of_player(player)
        if state.throw_due:
            raise MoveError("throw_first")
        if bot is None or state.finished:
            raise MoveError("bot_not_due")
        repeatable = f"{self.bot_seed} {version}"
        chance = Random(secrets.randbits(128) if self.bot_seed is None else repeatable)
        return decision(bot, player.removeprefix(BOT_PREFIX), record.rules, state, chance)

    def steps_to_last_decision(self) -> int:
        """How many moves to undo so that a person can take their last decision again; 0 if there is none.

        Typed dice count as a decision, since a person typed them. Bots' turns in between are undone too.
        """
        typed = self.record.header.origin.kind == "typed"
        for steps, (before, move, _) in enumerate(self.record.backwards(), start=1):
            person = not is_bot(self.record.header.players[before.player])
            if typed and isinstance(move, Throw):
                return steps
            if person and not isinstance(move, Throw):
                return steps
        return 0

    def join(self, name: str) -> None:
        """Give another player an empty sheet on a pad."""
        change = self.prepare()
        change.join(name)
        self.commit(change)

    def forget_states(self, most: int) -> None:
        """Remember the states of the last moves only: a long game takes less memory."""
        self._record = self._record.shortened(most)

    @property
    def reveal_due(self) -> bool:
        """Whether the game is over and its secret is still to be published."""
        return (
            self.state.finished
            and self.record.header.origin.kind == "verifiable"
            and self.record.secret is None
        )
