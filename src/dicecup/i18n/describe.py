"""Descriptions of games, generated from the data in any of the four languages; see also `score_sheet`.

Nothing here is specific to one game, so a house rule is described as well as a built-in game.
"""

from __future__ import annotations

from collections.abc import Iterable

from dicecup.engine.state import MOST_PLAYERS
from dicecup.i18n.language import Language, name
from dicecup.rules.model import Ruleset


def names_of(rules: Ruleset, ids: Iterable[str], language: Language) -> str:
    """Return the names of boxes or layers as a list in words."""
    return language.join([name(rules, each, language.code) for each in ids])


def describe_game(rules: Ruleset, language: Language) -> list[str]:
    """Return sentences about rules beyond the single boxes."""
    _ = language.gettext
    dice = rules.dice
    sentences = [
        _(
            "Players: 1 to {players}. Dice: {count}. Boxes: {boxes}. Turns: {turns}. "
            "Rolls per turn: up to {throws}."
        ).format(
            players=MOST_PLAYERS, count=dice.count, boxes=rules.cells, turns=rules.turns, throws=rules.throws
        )
    ]
    if rules.has_layers:
        layers = names_of(rules, rules.scored, language)
        sentences.append(
            _("Every turn you fill one box for each of these, in this order: {layers}.").format(layers=layers)
        )
    if dice.counted < dice.count:
        sentences.append(
            _("{counted} of the {count} dice count: those that give the most in the box.").format(
                count=dice.count, counted=dice.counted
            )
        )
    else:
        sentences.append(_("A box always gets the most points that the dice give in it."))
    sentences += describe_bonus(rules, language)
    if rules.has_columns and not rules.has_weights:
        sentences.append(_("The totals of all columns are added up."))
    elif rules.has_columns:
        labels = [(name(rules, column.id, language.code), column.multiplier) for column in rules.columns]
        columns = ", ".join(label if str(times) in label else f"{label} × {times}" for label, times in labels)
        sentences.append(
            _("Each column’s total counts as many times as it says: {columns}.").format(columns=columns)
        )
    if rules.strike == "free":
        sentences.append(
            _("You may cross out any open box for 0 points, whatever the dice show.")
            if all(box.strike for box in rules.boxes)
            else _("You may cross out any open box for 0 points, unless the box says otherwise.")
        )
    else:
        sentences.append(_("You may cross out a box only when no open box would score more than 0."))
    sentences += describe_joker(rules, language) + describe_repeat(rules, language)
    return sentences + describe_extensions(rules, language)


def describe_extensions(rules: Ruleset, language: Language) -> list[str]:
    """Return sentences about the rules that only few games have."""
    _ = language.gettext
    sentences = [*describe_columns(rules, language), *describe_across(rules, language)]
    if rules.total_points:
        steps = _("; ").join(
            _("{at} or more: {points}").format(at=tier.at, points=str(tier.points).replace("-", "−"))
            for tier in rules.total_points
        )
        sentences.append(_("The total gives points: {steps}.").format(steps=steps))
    if rules.saved_throws:
        sentences.append(_("Rolls that you don’t use are saved: you can use them in any later turn."))
    if rules.win:
        box = name(rules, rules.win.box, language.code)
        sentences.append(
            _("Anyone who has {box} in the first roll of a turn wins at once.").format(box=box)
            if rules.win.roll == 1
            else _("Anyone who has {box} by roll {number} of a turn wins at once.").format(
                box=box, number=rules.win.roll
            )
        )
    return sentences


def describe_columns(rules: Ruleset, language: Language) -> list[str]:
    """Return in which order the columns are filled, and which of them are announced."""
    _ = language.gettext
    orders = {
        "down": _("In {column}, boxes are filled from the top down, and none is skipped."),
        "up": _("In {column}, boxes are filled from the bottom up, and none is skipped."),
    }
    announced = _(
        "In {column}, you can only fill a box that you announced after the first roll; then you must fill it."
    )
    said = [(orders[column.order], column.id) for column in rules.columns if column.order in orders]
    said += [(announced, column.id) for column in rules.columns if column.announced]
    return [text.format(column=name(rules, column, language.code)) for text, column in said]


def describe_across(rules: Ruleset, language: Language) -> list[str]:
    """Return what boxes give for what all columns hold together."""
    _ = language.gettext
    found = []
    for across in rules.across:
        if across.each:
            said = _("{box}: {points} for each that scores")
        elif across.every:
            said = _("{box}: {points} if all score")
        else:
            said = _("{box}: {points} from {at} in all columns together")
        box = name(rules, across.box, language.code)
        found.append(said.format(box=box, points=across.points, at=across.at))
    return [_("Points for rows: {rows}.").format(rows=_("; ").join(found))] if found else []


def describe_turn(rules: Ruleset, language: Language) -> list[str]:
    """Return the steps of a turn, and how the game ends."""
    _ = language.gettext
    count, throws = rules.dice.count, rules.throws
    steps = [language.ngettext("Roll {count} die.", "Roll all {count} dice.", count).format(count=count)]
    if throws > 1:
        steps.append(
            _("Keep the dice you like and roll the others again, up to {throws} rolls in all.").format(
                throws=throws
            )
        )
    if rules.has_layers:
        layers = names_of(rules, rules.scored, language)
        steps.append(_("Write the points of each in an open box of its own: {layers}.").format(layers=layers))
    else:
        steps.append(_("Write the points in an open box. Every box is used once."))
    if "announced" in rules.extensions:
        steps.insert(1, _("After the first roll you may announce a box; then you must fill it."))
    steps.append(_("When every box is filled, the most points win."))
    return steps


def describe_bonus(rules: Ruleset, language: Language) -> list[str]:
    sentences = [
        language.ngettext(
            "Bonus: {points} point if the upper boxes add up to {at} or more.",
            "Bonus: {points} points if the upper boxes add up to {at} or more.",
            tier.points,
        ).format(points=tier.points, at=tier.at)
        for tier in rules.bonus
    ]
    if len(rules.bonus) > 1:
        sentences.append(language.gettext("Only the highest bonus you reach counts."))
    return sentences


def describe_joker(rules: Ruleset, language: Language) -> list[str]:
    _ = language.gettext
    joker = rules.joker
    if joker is None:
        return []
    count = rules.dice.counted
    filled = [name(rules, box, language.code) for box in joker.filled]
    upper = {rules.boxes[index].id for index in rules.upper}
    lower = [name(rules, box, language.code) for box in joker.boxes if box not in upper]
    condition = (
        _("Joker: {count} alike, once {boxes} are filled in every column.")
        if rules.has_columns
        else _("Joker: {count} alike, once {boxes} are filled.")
    )
    boxes = language.join([*filled, _("the upper box of their number")])
    sentences = [condition.format(count=count, boxes=boxes)]
    if lower:
        sentences.append(
            _("A joker gets full points in these boxes: {boxes}.").format(boxes=language.join(lower))
        )
    sentences.append(describe_joker_in_upper(rules, any(box in upper for box in joker.boxes), language))
    if joker.forced:
        sentences.append(
            language.ngettext(
                "Forced: once {filled} is filled, {count} alike must go into the upper box of their number; "
                "if that’s filled, into an open lower box; if those are filled, into an open upper box.",
                "Forced: once {filled} are filled, {count} alike must go into the upper box of their number; "
                "if that’s filled, into an open lower box; if those are filled, into an open upper box.",
                len(filled),
            ).format(count=count, filled=language.join(filled))
        )
    return sentences


def describe_joker_in_upper(rules: Ruleset, scores: bool, language: Language) -> str:
    """Return what a joker gives in the upper box of another number, with an example."""
    _ = language.gettext
    face, other = sorted(rules.upper_box_of_face, reverse=True)[:2]
    count = rules.dice.counted
    box = name(rules, rules.boxes[rules.upper_box_of_face[other]].id, language.code)
    text = (
        _("In the upper box of another number it gives the sum of its dice ({dice} in {box}: {points}).")
        if scores
        else _("In the upper box of another number it gives 0 ({dice} in {box}: {points}).")
    )
    dice = "-".join(str(face) for _die in range(count))
    return text.format(dice=dice, box=box, points=count * face if scores else 0)


def describe_repeat(rules: Ruleset, language: Language) -> list[str]:
    repeat = rules.repeat
    if repeat is None:
        return []
    text = (
        language.ngettext(
            "{points} more point each time the dice fit {box} again while it holds points in every column, "
            "times the number of the column you fill.",
            "{points} more points each time the dice fit {box} again while it holds points in every column, "
            "times the number of the column you fill.",
            repeat.points,
        )
        if rules.has_columns
        else language.ngettext(
            "{points} more point each time the dice fit {box} again while it holds points.",
            "{points} more points each time the dice fit {box} again while it holds points.",
            repeat.points,
        )
    )
    return [text.format(points=repeat.points, box=name(rules, repeat.box, language.code))]
