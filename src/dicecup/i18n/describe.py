"""Descriptions of rules, generated from the data in any of the four languages.

Nothing here is specific to one game, so a house rule is described as well as a built-in game.
"""

from __future__ import annotations

from dicecup.i18n.language import Language
from dicecup.i18n.names import name
from dicecup.rules.model import Alike, AnyDice, Box, OfFace, Points, Ruleset, Run, TheseFaces


def describe_box(rules: Ruleset, box: Box, language: Language) -> str:
    """Return a one-line description of a box's condition and points."""
    _ = language.gettext
    if isinstance(box.needs, OfFace) and box.points == Points(matching=1):
        return _("the sum of the dice that show {face}").format(face=box.needs.face)
    points = describe_points(rules, box, language)
    need = describe_need(box, language)
    text = _("{need}: {points}").format(need=need, points=points) if need else points
    notes = describe_links(rules, box, language)
    return _("; ").join([text, *notes])


def describe_need(box: Box, language: Language) -> str:
    _ = language.gettext
    match box.needs:
        case AnyDice(at_least):
            return _("dice that add up to {sum} or more").format(sum=at_least) if at_least else ""
        case OfFace(face):
            return _("dice that show {face}").format(face=face)
        case Alike(groups, different):
            text = language.join([_("{count} alike").format(count=count) for count in groups])
            return _("{groups}, of different faces").format(groups=text) if different else text
        case Run(length):
            return _("any {length} in a row").format(length=length)
        case TheseFaces(faces):
            return "-".join(map(str, faces))


def describe_points(rules: Ruleset, box: Box, language: Language) -> str:
    _ = language.gettext
    points, dice = box.points, rules.dice
    if points.matching:
        text = _("the sum of these dice")
        return _("{base} plus {sum}").format(base=points.base, sum=text) if points.base else text
    if not points.all:
        if not points.base:
            return _("no points")
        return language.ngettext("{points} point", "{points} points", points.base).format(points=points.base)
    if dice.counted == dice.count:
        text = _("the sum of all dice")
    elif points.all > 0:
        text = _("the sum of the {counted} highest dice").format(counted=dice.counted)
    else:
        text = _("the sum of the {counted} lowest dice").format(counted=dice.counted)
    if points.all > 0:
        return _("{base} plus {sum}").format(base=points.base, sum=text) if points.base else text
    if points.base:
        return _("{base} less {sum}").format(base=points.base, sum=text)
    return _("minus {sum}").format(sum=text)


def describe_links(rules: Ruleset, box: Box, language: Language) -> list[str]:
    _ = language.gettext
    notes = []
    if box.after:
        others = language.join([name(rules, other, language.code) for other in box.after])
        notes.append(_("only once this is filled: {boxes}").format(boxes=others))
    if box.above:
        other = name(rules, box.above, language.code)
        notes.append(_("must be more than {box}, whichever is filled first").format(box=other))
    for above in rules.boxes:
        if above.above == box.id:
            other = name(rules, above.id, language.code)
            notes.append(_("must be less than {box}, whichever is filled first").format(box=other))
    if not box.strike:
        notes.append(_("cannot be struck"))
    return notes


def describe_game(rules: Ruleset, language: Language) -> list[str]:
    """Return sentences about rules beyond the single boxes."""
    _ = language.gettext
    dice = rules.dice
    sentences = [
        _("Dice: {count}. Boxes: {boxes}. Turns: {turns}. Throws a turn: at most {throws}.").format(
            count=dice.count, boxes=rules.cells, turns=rules.turns, throws=rules.throws
        )
    ]
    if rules.has_layers:
        layers = language.join([name(rules, layer, language.code) for layer in rules.scored])
        sentences.append(
            _("Each turn fills one box for each of these, in this order: {layers}.").format(layers=layers)
        )
    if dice.counted < dice.count:
        sentences.append(
            _("Of {count} dice {counted} count: those that give the most in the box.").format(
                count=dice.count, counted=dice.counted
            )
        )
    for tier in rules.bonus:
        sentences.append(
            _("Bonus: {points} points if the upper boxes add up to {at} or more.").format(
                points=tier.points, at=tier.at
            )
        )
    if len(rules.bonus) > 1:
        sentences.append(_("Only the highest bonus that is reached counts."))
    if rules.has_columns:
        labels = [(name(rules, column.id, language.code), column.multiplier) for column in rules.columns]
        columns = ", ".join(label if str(times) in label else f"{label} × {times}" for label, times in labels)
        sentences.append(
            _("Each column's total counts as many times as it says: {columns}.").format(columns=columns)
        )
    if rules.strike == "free":
        sentences.append(_("A 0 may be written in any open box, unless the box says otherwise."))
    else:
        sentences.append(_("A 0 may be written only when no open box would score more than 0."))
    return sentences + describe_joker(rules, language) + describe_repeat(rules, language)


def describe_joker(rules: Ruleset, language: Language) -> list[str]:
    _ = language.gettext
    if rules.joker is None:
        return []
    filled = language.join([name(rules, box, language.code) for box in rules.joker.filled])
    boxes = language.join([name(rules, box, language.code) for box in rules.joker.boxes])
    condition = (
        _(
            "Joker: {count} alike, when these boxes and the upper box of that face are filled in every "
            "column: {filled}."
        )
        if rules.has_columns
        else _("Joker: {count} alike, when these boxes and the upper box of that face are filled: {filled}.")
    )
    sentences = [
        condition.format(count=rules.dice.counted, filled=filled),
        _("A joker counts as if it met the need of: {boxes}.").format(boxes=boxes),
    ]
    if rules.joker.forced:
        sentences.append(
            _("With a joker the upper box of its face must be used while it is open, then a lower box.")
        )
    return sentences


def describe_repeat(rules: Ruleset, language: Language) -> list[str]:
    if rules.repeat is None:
        return []
    _ = language.gettext
    return [
        _("{points} points more each time the dice fit {box} again while it holds points.").format(
            points=rules.repeat.points,
            box=name(rules, rules.repeat.box, language.code),
        )
    ]


def describe_line(rules: Ruleset, line: str, language: Language) -> str:
    """Return what a computed line of the sheet adds up."""
    _ = language.gettext
    texts = {
        "upper_sum": _("the sum of the upper boxes"),
        "bonus": _("; ").join(
            _("from {at} on: {points}").format(at=tier.at, points=tier.points) for tier in rules.bonus
        ),
        "upper_total": _("upper boxes and bonus"),
        "lower_total": _("the sum of the lower boxes"),
        "grand_total": _("everything above"),
        "weighted_total": _("the total times the column's number"),
        "final_score": _("everything together"),
    }
    return texts.get(line) or describe_repeat(rules, language)[0]
