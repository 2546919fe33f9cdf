"""A game in the terminal: show, ask, explain and undo until the sheets are full or the input ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dicecup.bots import is_bot
from dicecup.cli.common import _, echo, paint, speech
from dicecup.cli.terminal import (
    ASIDES,
    columns_alike,
    draw_dice,
    draw_sheets,
    draw_turn_sheet,
    fitting,
    help_text,
    read_keep,
    read_placement,
    turn_title,
    understand,
)
from dicecup.dice import format_dice, layer_faces, parse_dice
from dicecup.engine.legality import cell_names, cell_of, layer_offers, may_fill, moment_of
from dicecup.engine.play import legal_announcements, place, scored_layers
from dicecup.engine.serialize import Position
from dicecup.engine.state import Announce, Keep, Placement, Score, dice_to_throw, standings
from dicecup.errors import DicecupError, MoveError, StorageError, UsageError
from dicecup.i18n.language import name, printable
from dicecup.i18n.sentences import cell_text, ordinal_text
from dicecup.installation import is_installed
from dicecup.match import Match

HINTED = 4  # choices that a hint shows
LATE = 9  # open boxes at most, for win chances to be available


class InputEnded(Exception):  # noqa: N818 - it is no error
    """The player quit, or the input ended. The game stays saved."""


Ask = Callable[[str], str | None]


def say(text: str = "", *, painted: bool = False) -> None:
    echo(fitting(text), painted=painted)


class Conversation:
    """One match at one terminal: people take turns at the keyboard, bots play by themselves."""

    def __init__(self, match: Match, ask: Ask) -> None:
        self.match = match
        self.ask = ask

    @property
    def typed(self) -> bool:
        return self.match.record.header.origin.kind == "typed"

    def play(self) -> None:
        """Play until the game is over. Raises InputEnded when the input ends."""
        self.take_turns()
        while self.last_undo():
            self.take_turns()
        if self.match.reveal_due:
            self.match.reveal()
        self.show_end()

    def take_turns(self) -> None:
        while not self.match.state.finished:
            if self.match.state.throw_due:
                self.throw()
            elif is_bot(self.match.player):
                self.bot_decides()
            else:
                self.person_decides()
        state = self.match.state
        if state.winner is not None:
            player = self.match.record.header.players[state.winner]
            said = _("The game is over. {player} wins at once with {dice}.")
            say(said.format(player=player, dice=format_dice(state.dice)))

    def last_undo(self) -> bool:
        """Offer to undo the last decision before the game is finished."""
        if self.match.record.secret is not None or not self.match.steps_to_last_decision():
            return False
        prompt = _("The last box is filled. Press Enter to finish, or type “undo”: ")
        if self.match.state.winner is not None:
            prompt = _("Press Enter to finish, or type “undo”: ")
        while True:
            line = self.ask(fitting(prompt))
            if line is None or not line.strip():
                return False
            if understand(line.strip()).command == "undo" and self.undo():
                return True

    def answer(self, prompt: str) -> str:
        line = self.ask(fitting(prompt))
        if line is None:
            raise InputEnded
        return line.strip()

    def show_error(self, error: DicecupError) -> None:
        say(paint(speech.language.sentence(error, self.match.rules), fg="red"), painted=True)

    def throw(self) -> None:
        if not self.typed:
            self.match.throw()
            return
        count = dice_to_throw(self.match.rules, self.match.state)
        prompt = _("{player}, dice to roll: {count}. Type what they show: ")
        while True:
            text = self.answer(prompt.format(player=self.match.player, count=count))
            try:
                typed = understand(text)
                if typed.command in ASIDES:
                    if self.aside(typed.command):
                        return
                    continue
                rules = self.match.rules
                words = text.replace(",", " ").split()
                self.match.throw(parse_dice(words, rules.dice.faces, len(rules.dice.layers)))
            except StorageError:
                raise
            except DicecupError as error:
                self.show_error(error)
            else:
                return

    def bot_decides(self) -> None:
        state, player = self.match.state, self.match.player
        move = self.match.let_bot_decide()
        if isinstance(move, Keep):
            said = _("{player} rolls {dice} and keeps {kept}.")
            kept = format_dice(move.dice) or "–"
            say(said.format(player=player, dice=format_dice(state.dice), kept=kept))
        elif isinstance(move, Announce):
            self.show_announcement(player, move)
        else:
            self.show_points(player, move)

    def person_decides(self) -> None:
        """Ask until the player makes a legal decision, undoes or quits."""
        self.show_turn()
        while True:
            typed = understand(self.answer("> "))
            try:
                if typed.command in ASIDES:
                    if self.aside(typed.command):
                        return
                    continue
                if typed.command == "keep":
                    self.match.decide(read_keep(self.match.rules, typed.rest))
                    return
                if typed.command == "announce":
                    self.announce(typed.rest)
                    return
                player = self.match.player
                move = self.read_score(typed.rest, strike=typed.command == "strike")
                self.match.decide(move)
            except StorageError:
                raise
            except DicecupError as error:
                self.show_error(error)
            else:
                self.show_points(player, move)
                return

    def announce(self, text: str) -> None:
        """Announce a box; the column need not be named where only one is announced."""
        rules = self.match.rules
        announced = [column.id for column in rules.columns if column.announced]
        place = read_placement(rules, text)
        player = self.match.player
        column = place.column or (announced[0] if len(announced) == 1 else "")
        self.match.decide(Announce(place.box, column))
        self.show_announcement(player, Announce(place.box, column))

    def show_announcement(self, player: str, move: Announce) -> None:
        box = cell_text(self.match.rules, move.box, move.column, speech.language)
        say(_("{player} announces {box}.").format(player=player, box=box))

    def read_score(self, text: str, *, strike: bool) -> Score:
        """Return a box for every scored layer; ask for those that were not typed."""
        rules = self.match.rules
        if not text and not strike:
            raise UsageError("answer_empty")
        said = [piece.strip() for piece in text.split(",")]
        if len(said) > len(rules.scored):
            raise MoveError("layers_wrong", layers=", ".join(rules.scored))
        placements = [
            self.with_column(read_placement(rules, piece, strike=strike and not number))
            for number, piece in enumerate(said)
        ]
        self.check_placements(placements)
        while len(placements) < len(rules.scored):
            placements.append(self.ask_placement(placements))
        return Score(tuple(placements))

    def with_column(self, placement: Placement) -> Placement:
        """Return the placement with a column that was not typed, where only one is open or all are alike."""
        rules, state = self.match.rules, self.match.state
        if placement.column or not rules.has_columns:
            return placement
        moment = moment_of(rules, state)
        cells = {column.id: cell_of(rules, placement.box, column.id) for column in rules.columns}
        columns = [
            column
            for column, cell in cells.items()
            if state.sheet.cells[cell] is None and may_fill(rules, state.sheet, cell, moment)
        ]
        if len(columns) == 1 or (columns and columns_alike(rules)):
            return replace(placement, column=columns[0])
        return placement

    def check_placements(self, placements: list[Placement]) -> None:
        """Raise an error if the boxes chosen so far cannot be filled one after the other."""
        rules, sheet = self.match.rules, self.match.state.sheet
        for number, placement in enumerate(placements):
            if (placement.box, placement.column) in [(said.box, said.column) for said in placements[:number]]:
                raise MoveError("box_twice", box=placement.box)
            faces = layer_faces(self.match.state.dice, scored_layers(rules)[number])
            sheet, _scored = place(rules, sheet, faces, placement, moment_of(rules, self.match.state))

    def ask_placement(self, before: list[Placement]) -> Placement:
        """Ask for the box of the next layer; earlier boxes stay chosen until the player undoes."""
        rules = self.match.rules
        label = name(rules, rules.scored[len(before)], speech.language.code)
        while True:
            text = self.answer(_("Which box for the {layer}? ").format(layer=label))
            typed = understand(text)
            if typed.command == "undo":
                raise UsageError("score_dropped")
            if typed.command in ASIDES:
                self.aside(typed.command)
                continue
            try:
                placement = read_placement(rules, text)
                self.check_placements([*before, placement])
            except DicecupError as error:
                self.show_error(error)
            else:
                return placement

    def aside(self, command: str) -> bool:
        """Handle undo, help, sheet, hint and quit; return whether the state has changed."""
        if command == "quit":
            raise InputEnded
        if command == "undo":
            return self.undo()
        if command == "hint":
            self.show_hint()
        elif command == "help":
            say(help_text(self.match.rules, typed=self.typed))
        else:
            say(draw_sheets(self.match.rules, self.match.state.sheets, self.match.record.header.players))
        return False

    def show_hint(self) -> None:
        """Show the best choices and what they aim for, or why the coach is not available."""
        rules, state = self.match.rules, self.match.state
        if state.throw_due:
            raise MoveError("throw_first")
        from dicecup.cli.hint import chances_to_win, text
        from dicecup.cli.solving import compilation_announced, hint_values
        from dicecup.coach.advice import advise

        values = hint_values(rules)
        with compilation_announced(values):
            alone = replace(state, sheets=(state.sheet,), player=0)
            position = Position(self.match.record.header.reference, rules, alone)
            found = advise(values, position.state)
            late = len(state.sheets) > 1 and state.sheet.cells.count(None) <= LATE and is_installed("solver")
            to_win = chances_to_win(replace(position, state=state)) if late else None
            lines = text(position, values, found, HINTED, to_win, brief=True).split("\n")
        say("\n".join(paint(line, fg="cyan") if line else line for line in lines), painted=True)

    def undo(self) -> bool:
        """Undo the last decision of a person, if everyone it concerns agrees."""
        steps = self.match.steps_to_last_decision()
        if not steps:
            say(_("There’s nothing to undo."))
            return False
        players = self.match.record.header.players
        concerned = {state.player for state in self.match.record.states[-steps - 1 :]}
        others = [players[player] for player in sorted(concerned) if not is_bot(players[player])]
        if len(others) > 1:
            question = _("This undoes moves of {players}. Does everyone agree? (yes/no) ")
            agreed = self.answer(question.format(players=speech.language.join(others)))
            if agreed.casefold() not in {"y", "yes", _("yes").casefold(), _("yes")[0].casefold()}:
                say(_("Nothing was undone."))
                return False
        self.match.undo(steps)
        say(_("Undone."))
        return True

    def show_turn(self) -> None:
        rules, state = self.match.rules, self.match.state
        moment = moment_of(rules, state)
        given = [offers for _layer, _faces, offers in layer_offers(rules, state.sheet, state.dice, moment)]
        say(draw_turn_sheet(rules, state, self.match.record.header.players, given), painted=True)
        say(paint(turn_title(rules, state, printable(self.match.player)), fg="cyan", bold=True), painted=True)
        say(draw_dice(state.dice))
        if state.announced is not None:
            box, _column = cell_names(rules, state.announced)
            say(_("Announced: {box}").format(box=name(rules, box, speech.language.code)))
        if rules.has_layers:
            labels = [name(rules, layer, speech.language.code) for layer in rules.scored]
            say(_("In brackets: {layers}.").format(layers=" / ".join(labels)))
        if legal_announcements(rules, state):
            say(paint(_("To announce a box, type “announce” and its name."), dim=True), painted=True)
        if state.throws_left:
            say(paint(_("Type the dice to keep, or a box to fill. “?” for help."), dim=True), painted=True)
        else:
            say(paint(_("Type a box to fill. “?” for help."), dim=True), painted=True)

    def show_points(self, player: str, move: Score) -> None:
        """Show the points of the last move."""
        rules, code = self.match.rules, speech.language.code
        for placement, scored in zip(move.placements, self.match.record.last_scored, strict=True):
            column = f"{name(rules, placement.column, code)} " if placement.column else ""
            said = (
                _("{player}: {points} in {box} with {dice}.")
                if scored.counted
                else _("{player} crosses out {box}.")
            )
            box = column + name(rules, placement.box, code)
            say(said.format(player=player, points=scored.points, box=box, dice=format_dice(scored.counted)))

    def show_end(self) -> None:
        rules, state, players = self.match.rules, self.match.state, self.match.record.header.players
        say()
        say(draw_sheets(rules, state.sheets, players))
        say()
        for row, player, points in standings(rules, state):
            said = speech.language.ngettext(
                "{place} {player}: {points} point", "{place} {player}: {points} points", abs(points)
            )
            place = ordinal_text(row, speech.language)
            say(said.format(place=place, player=players[player], points=points))
