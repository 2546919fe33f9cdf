"""Descriptions of rules, generated from the data in any of the four languages.

Nothing here is specific to one game, so a house rule is described as well as a built-in game.
"""

from __future__ import annotations

from dicecup.engine.state import MOST_PLAYERS
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
            text = describe_groups(groups, language)
            if different:
                return _("{groups}, of different numbers").format(groups=text)
            if len(groups) > 1:
                return _("{groups} ({count} alike count too)").format(groups=text, count=sum(groups))
            return text
        case Run(length, around):
            text = _("any {length} in a row").format(length=length)
            last = "-".join(map(str, (*range(around - length + 2, around + 1), 1)))
            return _("{need} ({dice} counts too)").format(need=text, dice=last) if around else text
        case TheseFaces(faces):
            return "-".join(map(str, faces))


def describe_groups(groups: tuple[int, ...], language: Language) -> str:
    """Return groups of equal dice: `a pair`, `2 pairs`, `3 alike and a pair`."""
    texts = [language.gettext("{count} alike").format(count=size) for size in groups if size != 2]
    pairs = groups.count(2)
    if pairs:
        texts.append(language.ngettext("a pair", "{count} pairs", pairs).format(count=pairs))
    return language.join(texts)


def describe_points(rules: Ruleset, box: Box, language: Language) -> str:
    _ = language.gettext
    points = box.points
    if points.matching:
        text = _("the sum of these dice")
        return _("{base} plus {sum}").format(base=points.base, sum=text) if points.base else text
    if not points.all:
        if not points.base:
            return _("no points")
        return language.ngettext("{points} point", "{points} points", points.base).format(points=points.base)
    text = describe_sum(rules, box, language)
    if points.all > 0:
        return _("{base} plus {sum}").format(base=points.base, sum=text) if points.base else text
    if points.base:
        return _("{base} minus {sum}").format(base=points.base, sum=text)
    return _("minus {sum}").format(sum=text)


def describe_sum(rules: Ruleset, box: Box, language: Language) -> str:
    """Return which dice are added up where all counted dice are: those that meet the need are among them."""
    _ = language.gettext
    dice, needed = rules.dice, dice_needed(box)
    if dice.counted == dice.count:
        return _("the sum of all dice")
    if needed == dice.counted:
        return _("the sum of these dice")
    if box.points.all > 0:
        text = (
            _("the sum of the best {counted} dice with them")
            if needed
            else _("the sum of the best {counted} dice")
        )
    else:
        text = (
            _("the sum of the lowest {counted} dice with them")
            if needed
            else _("the sum of the lowest {counted} dice")
        )
    return text.format(counted=dice.counted)


def dice_needed(box: Box) -> int:
    """Return how many dice the need of a box takes; 0 where any dice do."""
    match box.needs:
        case Alike(groups):
            return sum(groups)
        case Run(length):
            return length
        case TheseFaces(faces):
            return len(faces)
        case OfFace():
            return 1
        case AnyDice():
            return 0


def describe_links(rules: Ruleset, box: Box, language: Language) -> list[str]:
    _ = language.gettext
    notes = describe_early(box, language)
    if box.once:
        others = language.join([name(rules, other, language.code) for other in box.once])
        text = language.ngettext(
            "scores only once {boxes} holds points", "scores only once {boxes} hold points", len(box.once)
        )
        notes.append(text.format(boxes=others))
    if box.after:
        others = language.join([name(rules, other, language.code) for other in box.after])
        text = language.ngettext(
            "scores only once {boxes} is filled", "scores only once {boxes} are filled", len(box.after)
        )
        notes.append(text.format(boxes=others))
    if box.above:
        other = name(rules, box.above, language.code)
        notes.append(_("must be more than {box} if that holds points").format(box=other))
    for above in rules.boxes:
        if above.above == box.id:
            other = name(rules, above.id, language.code)
            notes.append(_("must be less than {box} if that holds points").format(box=other))
    if not box.strike:
        notes.append(_("can’t be crossed out"))
    return notes


def describe_early(box: Box, language: Language) -> list[str]:
    """Return what more a box gives if its dice are there after few rolls."""
    more = [points for points in box.early if points]
    if not more:
        return []
    if len(box.early) == 1:
        return [language.gettext("{points} more in the first roll").format(points=more[0])]
    said = language.gettext("by the number of the roll, from the first on, this much more: {points}")
    return [said.format(points=", ".join(map(str, box.early)))]


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
        layers = language.join([name(rules, layer, language.code) for layer in rules.scored])
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
    texts = {
        "down": _("In {column}, boxes are filled from the top down, and none is skipped."),
        "up": _("In {column}, boxes are filled from the bottom up, and none is skipped."),
    }
    found = [
        texts[column.order].format(column=name(rules, column.id, language.code))
        for column in rules.columns
        if column.order in texts
    ]
    announced = _(
        "In {column}, you can only fill a box that you announced after the first roll; then you must fill it."
    )
    return found + [
        announced.format(column=name(rules, column.id, language.code))
        for column in rules.columns
        if column.announced
    ]


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
        layers = language.join([name(rules, layer, language.code) for layer in rules.scored])
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
    if rules.has_columns:
        said = language.ngettext(
            "{points} more point each time the dice fit {box} again while it holds points in every column, "
            "times the number of the column you fill.",
            "{points} more points each time the dice fit {box} again while it holds points in every column, "
            "times the number of the column you fill.",
            repeat.points,
        )
        return [said.format(points=repeat.points, box=name(rules, repeat.box, language.code))]
    text = language.ngettext(
        "{points} more point each time the dice fit {box} again while it holds points.",
        "{points} more points each time the dice fit {box} again while it holds points.",
        repeat.points,
    )
    return [text.format(points=repeat.points, box=name(rules, repeat.box, language.code))]


def describe_line(rules: Ruleset, line: str, language: Language) -> str:
    """Return what a computed line of the sheet adds up."""
    _ = language.gettext
    match line:
        case "upper_sum":
            return _("the sum of the upper boxes")
        case "bonus":
            steps = [
                _("{at} or more: {points}").format(at=tier.at, points=tier.points) for tier in rules.bonus
            ]
            return _("; ").join(steps)
        case "across":
            return describe_across(rules, language)[0]
        case "total_points":
            return _("what the total is worth in points")
        case "upper_total" | "lower_total" | "grand_total" | "weighted_total" | "all_columns" | "final_score":
            return describe_total(rules, line, language)
        case _other if rules.difference and line == rules.difference.id:
            high, low, times = (
                name(rules, box, language.code)
                for box in (rules.difference.high, rules.difference.low, rules.difference.times)
            )
            return _("{high} less {low}, times {times}; the two count for nothing else").format(
                high=high, low=low, times=times
            )
        case _other:
            return describe_repeat(rules, language)[0]


def describe_total(rules: Ruleset, line: str, language: Language) -> str:
    """Return the lines that a total adds up, by their names."""
    _ = language.gettext

    def named(*lines: str) -> list[str]:
        return [name(rules, each, language.code) for each in lines if each in rules.lines]

    after = [box.id for box in rules.boxes if box.section == "after_total"]
    repeat = [rules.repeat.id] if rules.repeat and not rules.has_columns else []
    repeat += [rules.difference.id] if rules.difference else []
    lower = [_("the lower boxes")] if any(box.section == "lower" for box in rules.boxes) else []
    match line:
        case "upper_total":
            return language.join(named("upper_sum", "bonus"))
        case "lower_total":
            return language.join([*lower, *named(*repeat)])
        case "grand_total" if rules.section_totals:
            return language.join(named("upper_total", "lower_total"))
        case "grand_total":
            return language.join([*named("upper_sum", "bonus"), *lower, *named(*repeat)])
        case "weighted_total":
            total = language.join(named("grand_total", *after))
            return _("{total}, times the column’s number").format(total=total)
        case "all_columns":
            return _("the totals of all columns")
        case _final if rules.total_points:
            return language.join(named("across", "total_points"))
        case _final if rules.has_columns:
            more = rules.overall_lines[:-1]
            return language.join([_("the totals of all columns"), *named(*more)])
        case _final:
            return language.join(named("grand_total", *after))
