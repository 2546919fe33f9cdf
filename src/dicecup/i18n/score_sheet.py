"""The score sheet in words: what each line needs, gives or adds up; and a pad of such sheets to print."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from dicecup.i18n.describe import describe_across, describe_game, describe_repeat, names_of
from dicecup.i18n.language import Language, game_name, name, option_name, option_text
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
    if points.all < 0:
        said = _("{base} minus {sum}") if points.base else _("minus {sum}")
        return said.format(base=points.base, sum=text)
    return _("{base} plus {sum}").format(base=points.base, sum=text) if points.base else text


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
        text = language.ngettext(
            "scores only once {boxes} holds points", "scores only once {boxes} hold points", len(box.once)
        )
        notes.append(text.format(boxes=names_of(rules, box.once, language)))
    if box.after:
        text = language.ngettext(
            "scores only once {boxes} is filled", "scores only once {boxes} are filled", len(box.after)
        )
        notes.append(text.format(boxes=names_of(rules, box.after, language)))
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


PAPERS = {"a4": "a4", "letter": "us-letter"}
# As many columns as leave room for a pencil; with more the pad turns sideways, then takes a second page.
COLUMNS_UPRIGHT = 6
COLUMNS_SIDEWAYS = 12


def pad_data(rules: Ruleset, players: int, paper: str, language: Language) -> dict[str, Any]:
    """Return the data for the template."""
    code = language.code
    lines = [line_data(rules, line, language) for line in rules.lines]
    columns = [name(rules, column.id, code) for column in rules.columns]
    landscape = players * len(columns) > COLUMNS_UPRIGHT and len(lines) <= 24
    per_page = max(1, (COLUMNS_SIDEWAYS if landscape else COLUMNS_UPRIGHT) // len(columns))
    seats = [""] * players
    return {
        "title": game_name(rules, code),
        "subtitle": "Dicecup",
        "language": code,
        "paper": PAPERS[paper],
        "landscape": landscape,
        "name-label": language.gettext("Name"),
        "columns": columns,
        "lines": lines,
        "row-height": row_height(len(lines), landscape=landscape),
        "label-share": 3.2 if per_page * len(columns) <= COLUMNS_UPRIGHT else 4.5,
        "groups": [seats[first : first + per_page] for first in range(0, players, per_page)],
        "notes": [*describe_game(rules, language), *options_chosen(rules, language)],
    }


def options_chosen(rules: Ruleset, language: Language) -> list[str]:
    """Return the meaning of each chosen option, defaults included: players at a table cannot look them up."""
    code = language.code
    chosen = [(option, option_text(rules, option, value, code)) for option, value in rules.options.items()]
    return [f"{option_name(rules, option, code)} – {text}" for option, text in chosen if text]


def line_data(rules: Ruleset, line: str, language: Language) -> dict[str, Any]:
    index = rules.box_index.get(line)
    if index is None:
        text = describe_line(rules, line, language)
    else:
        text = describe_box(rules, rules.boxes[index], language)
    return {
        "name": name(rules, line, language.code),
        "text": text,
        "computed": index is None,
        "overall": line in rules.overall_lines,
    }


def row_height(lines: int, *, landscape: bool) -> float:
    """Return the height of a row in millimetres, so that lines and small print fill one page."""
    room = 130 if landscape else 212
    return min(9.5, room / lines)


def pdf_of(data: dict[str, Any]) -> bytes:
    """Return the PDF; the caller has made sure that typst is installed."""
    import typst

    template = resources.files("dicecup.i18n").joinpath("printed_pad.typ").read_bytes()
    pdf: bytes = typst.compile(template, sys_inputs={"data": json.dumps(data)}, ignore_system_fonts=True)
    return pdf
