"""The short answer as one screen of text: plain, at least 80 columns wide, no entry wrapped."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence

import click
from attrs import evolve, frozen

from command_line.answers.short.groups import ShortAnswer, say_slaves
from command_line.answers.short.shown import (
    KEPT,
    ShownAnswers,
    list_holding,
    list_unknown,
    name_failures,
    say_action,
    say_number_left,
    say_open,
)
from command_line.output.width import wrap_words
from properties.checkout import PROGRAM
from properties.scenarios.procedures.procedures import STORE_CHECK
from properties.scenarios.summary.answer import Row, Summary
from properties.scenarios.summary.shown_actions import choose_shown
from properties.scenarios.summary.what_if import say_command
from properties.scenarios.summary.words import Grade
from reference.configuration.broker_group import ConfigurationWarning
from reference.releases.versions import Version

WIDTH_MIN = 80
"""A narrower terminal is treated as one of this width."""

GRADE_WIDTH = 5
TITLE_WIDTH = 29
FAILURE_WIDTH = 42
"""A code, a failure in words, and two blanks."""

LINES_MAX = 2
"""How many lines of failures a row takes, if there is room for them."""

BEFORE_A_COPY = f"; before a copy, {PROGRAM} {STORE_CHECK} decides"
"""No verdict knows what a store on disk holds alone; that verb does."""

SCREEN_LINES = 30
"""The length that the answer about one group keeps to."""

WARNINGS_MAX = 3
"""How many warnings are printed if there is room for them."""

KEPT_MIN = 3
"""How many lines say what holds as long as whole commands are printed."""

PATH_MAX = 40
"""Of longer paths in warnings the end is printed."""

COLOURS = {
    Grade.LOSS: "red",
    Grade.RISK: "yellow",
    Grade.UNDECIDED: "yellow",
    Grade.OK: "green",
}
"""For a terminal; they are removed elsewhere."""

LEGEND = {
    Grade.LOSS: "loss: one common failure",
    Grade.RISK: "risk: rare ones",
    Grade.OK: "ok: proved",
}
"""What a grade takes; a row with another one says why."""

DESCRIBED = {
    Grade.LOSS: "loss",
    Grade.RISK: "risk",
    Grade.OK: "ok",
    Grade.UNDECIDED: "?",
    Grade.NOT_PROMISED: "-",
}


@frozen
class ScreenLayout:
    """What the screen spends lines on."""

    whole: int
    """How many of the first rows have more than one line of failures."""
    kept: int
    """How many lines say what holds."""
    warnings: int = WARNINGS_MAX
    """How many warnings are printed; the rest is counted."""
    has_commands: bool = True
    """The next commands are printed, ready to be copied."""
    has_switch: bool = False
    """So is the one that tries the first switch among the actions."""
    has_blanks: bool = True
    """Blank lines separate the parts."""
    has_asides: bool = True
    """It is said what every answer assumes, and on what its proofs rest."""


def get_width() -> int:
    """The width of the terminal, or of COLUMNS; 80 in a pipe."""
    return max(shutil.get_terminal_size((WIDTH_MIN, 24)).columns, WIDTH_MIN)


def render_screen(shown: ShownAnswers, width: int = WIDTH_MIN) -> str:
    """The whole answer, a block of lines for each group; of one group in at most 30 lines."""
    rows = max((len(s.rows) for a in shown.answers for s in a.summaries), default=0)
    for form in list_forms(rows):
        screen = "\n".join(list_screen(shown, width, form))
        if len(shown.answers) != 1 or screen.count("\n") < SCREEN_LINES:
            break
    return screen


def list_forms(rows: int) -> Iterator[ScreenLayout]:
    """Shorter and shorter: what is also behind ``--all`` gives way first.

    Whole commands give way to their short form before less than ``KEPT_MIN`` lines say what holds.
    """
    yield ScreenLayout(rows, rows, has_switch=True)
    yield from (ScreenLayout(whole, rows) for whole in range(rows, -1, -1))
    for has_commands, kept_min in ((True, KEPT_MIN), (False, 0)):
        least = ScreenLayout(0, rows, has_commands=has_commands)
        yield from (evolve(least, warnings=n) for n in range(WARNINGS_MAX, 0, -1))
        fewest = evolve(least, warnings=1, has_blanks=False)
        yield from (evolve(fewest, kept=n) for n in range(rows, kept_min - 1, -1))
    yield evolve(fewest, kept=0, warnings=0)
    yield evolve(fewest, kept=0, warnings=0, has_asides=False)


def list_screen(shown: ShownAnswers, width: int, form: ScreenLayout) -> Iterator[str]:
    """The lines in this form."""
    blank = [""] if form.has_blanks else []
    changes = [line for change in shown.list_changes() for line in wrap(change, width)]
    yield from [*changes, ""] if changes else ()
    first = list(list_warnings((w for w in shown.warnings if w.is_grave), width))
    yield from [*first, *blank] if first else ()
    for answer in shown.answers:
        yield from list_lines(answer, shown.version, width, form)
        yield from [""] if len(shown.answers) > 1 else blank
    warnings = [w for w in shown.warnings if not w.is_grave]
    yield from list_warnings(warnings[: form.warnings], width)
    left = len(warnings) - form.warnings
    yield from [f"More warnings, with --all: {left}."] if left > 0 else ()
    yield from wrap(shown.release_note, width)
    yield from wrap(say_legend(shown.answers), width)
    yield from list_hints(shown, width, form)


def list_lines(
    answer: ShortAnswer, version: Version, width: int, form: ScreenLayout
) -> Iterator[str]:
    """The lines about one group, or about several that behave alike."""
    yield from wrap(f"{answer.title}: {answer.settings}; RocketMQ {version.name}", width)
    if answer.is_outside:
        yield "Nothing is decided:"
        for reason in answer.summaries[0].outside:
            yield from wrap(reason, width, "  - ", "    ")
        return
    if answer.is_side_by_side:
        yield "No slave's file is given: answers for no slave | one slave; --slaves N decides."
    yield from [""] if form.has_blanks else ()
    yield from list_rows(answer.summaries, width, form.whole)
    kept = list(list_kept(answer.summaries, width))[: form.kept]
    yield from [KEPT, *kept] if kept else ()
    yield from list_actions(answer, width)
    unknown = list_unknown(answer, has_asides=form.has_asides)
    yield from (line for text in unknown for line in wrap(text, width))


def list_kept(summaries: Sequence[Summary], width: int) -> Iterator[str]:
    """For each row a line about what holds, and after which failures."""
    for words, names in list_holding(summaries):
        told = join_what_fits(names, width - GRADE_WIDTH - TITLE_WIDTH)
        yield f"{paint(Grade.OK)} {words:<{TITLE_WIDTH}}{told}"


def join_what_fits(names: Sequence[str], width: int) -> str:
    """As many of the names as there is room for; the others are counted."""
    for count in range(len(names), 0, -1):
        more = len(names) - count
        text = ", ".join(names[:count]) + (f" (+{more})" if more else "")
        if len(text) <= width:
            return text
    return f"(+{len(names)})"


def list_actions(answer: ShortAnswer, width: int) -> Iterator[str]:
    """What to do; where the slaves are unknown, that more can be done once they are known."""
    actions = choose_shown(answer.summaries)
    if actions:
        what = "Do, with a slave or without" if answer.is_side_by_side else "Do"
        first = BEFORE_A_COPY if any(action.replaces_store for action in actions) else ""
        yield from wrap(f"{what}{say_number_left(answer.summaries)}{first}:", width, "", "  ")
    for number, action in enumerate(actions, start=1):
        yield from wrap(say_action(action), width, f" {number}. ", "    ")
    if answer.is_side_by_side:
        lists = [f"--slaves {s.slaves} lists {len(choose_shown([s]))}" for s in answer.summaries]
        yield f"More to do once slaves are known: {', '.join(lists)}."


def list_rows(summaries: Sequence[Summary], width: int, whole: int) -> Iterator[str]:
    """The table: the grade, the loss, the weakest failures."""
    head = " ".join(f"{say_count(s):<4}" for s in summaries) if len(summaries) > 1 else ""
    if head:
        yield head.rstrip()
    for number, rows in enumerate(zip(*(s.rows for s in summaries), strict=True)):
        grades = " ".join(paint(row.grade) for row in rows)
        start = f"{grades} {rows[-1].title:<{TITLE_WIDTH}}"
        indent = len(rows) * GRADE_WIDTH + TITLE_WIDTH
        for cell in list_cells(summaries, rows, width - indent, LINES_MAX if number < whole else 1):
            yield f"{start}{cell}".rstrip()
            start = " " * indent


def paint(grade: Grade) -> str:
    """The word of a grade, in its colour where that can be seen."""
    return click.style(f"{DESCRIBED[grade]:<{GRADE_WIDTH - 1}}", fg=COLOURS.get(grade))


def say_count(summary: Summary) -> str:
    """The head of a column of the side-by-side answer."""
    return f"{summary.slaves}:"


def list_cells(
    summaries: Sequence[Summary], rows: Sequence[Row], width: int, lines_max: int
) -> Iterator[str]:
    """The lines of failures of a row; side by side each says for how many slaves."""
    if len(rows) == 1:
        yield from list_failures(rows[0], width, lines_max)
    elif len({(row.note, len(row.failures), *name_first(row)) for row in rows}) == 1:
        yield from list_failures(rows[1], width, 1)
    else:
        for summary, row in zip(summaries, rows, strict=True):
            mark = f"{summary.slaves} "
            yield from (f"{mark}{line}" for line in list_failures(row, width - len(mark), 1))


def name_first(row: Row) -> tuple[str, ...]:
    """The code and the words of the weakest failure of a row."""
    return tuple(text for f in row.failures[:1] for text in (f.code, f.words))


def list_failures(row: Row, width: int, lines_max: int) -> Iterator[str]:
    """The weakest failures in lines, as many beside each other as there is room for."""
    if row.note:
        yield row.note
        return
    if not row.failures:
        yield "open: " + say_open(row) if row.open_under else ""
        return
    across = max(1, width // FAILURE_WIDTH)
    for count in range(min(across * lines_max, len(row.failures)), 0, -1):
        lines = list(arrange(row, count, across))
        if count == 1 or max(map(len, lines)) <= width:
            break
    *first, last = lines
    yield from first
    before, bracket, more = last.partition(" (+")
    yield shorten(before, width - len(bracket + more)) + bracket + more


def arrange(row: Row, count: int, across: int) -> Iterator[str]:
    """The first failures of a row in lines of so many, and how many others there are."""
    shown, more = row.failures[:count], len(row.failures) - count + len(row.others)
    for start in range(0, count, across):
        *cells, last = (f"{f.code:<4}{f.words}" for f in shown[start : start + across])
        rest = f" (+{more})" if more and start + across >= count else ""
        yield "".join(f"{cell:<{FAILURE_WIDTH}}" for cell in cells) + last + rest


def shorten(text: str, width: int) -> str:
    """The text, its last words left out where there is no room for them."""
    return text if len(text) <= width else text[: width - 1].rsplit(" ", 1)[0] + "…"


def list_codes(answer: ShortAnswer, width: int) -> Iterator[str]:
    """Every failure of a group by its code, row by row, what holds, and every action."""
    for summary in answer.summaries:
        yield from wrap(
            f"{answer.title}, {say_slaves(summary.slaves)}: every failure by its code", width
        )
        for row in summary.rows:
            if row.failures or row.kept:
                yield f"  {row.title}"
            for failure in row.failures:
                yield from wrap(f"{failure.code:<4}{failure.words}", width, "    ", " " * 8)
            for failure in row.others:
                yield from wrap(f"{failure.code:<4}{failure.words}", width, "    ", " " * 8)
            for kept in row.kept:
                names = ", ".join(name_failures(kept.codes))
                yield from wrap(f"ok  {kept.words}: {names}", width, "    ", " " * 8)
        first = BEFORE_A_COPY if any(a.replaces_store for a in summary.actions) else ""
        yield from wrap(f"Do{first}:", width, "  ", "    ") if summary.actions else ()
        for number, action in enumerate(summary.actions, start=1):
            told = say_action(action, most=None)
            yield from wrap(told, width, f"    {f'{number}.':<4}", " " * 8)


def list_warnings(warnings: Iterable[ConfigurationWarning], width: int) -> Iterator[str]:
    """What is odd in the files, with file and line."""
    for warning in warnings:
        text = str(warning).replace(warning.file, shorten_path(warning.file, width))
        yield from wrap(f"warning: {text}", width, "", "  ")


def shorten_path(path: str, width: int) -> str:
    """The path, or its end if it would take half of a line."""
    room = max(PATH_MAX, width // 2)
    return path if len(path) <= room else "\u2026" + path[1 - room :]


def list_hints(shown: ShownAnswers, width: int, form: ScreenLayout) -> Iterator[str]:
    """What to type next: the story of the first failure, all tables, and the first switch."""
    rows = [r for answer in shown.answers for s in answer.summaries for r in s.rows]
    code = next((failure.code for row in rows for failure in row.failures), None)
    verbs = [f"explain {code}{shown.asked}"] if code else []
    commands = [f"{PROGRAM} {verb}" for verb in (*verbs, f"check{shown.asked} --all")]
    commands += [find_switch(shown)] if form.has_switch and find_switch(shown) else []
    lines = [
        line
        for number, each in enumerate(commands)
        for line in wrap_words(each, width, "      " if number else "More: ", " " * 8)
    ]
    if form.has_commands and max(map(len, lines)) <= width:
        yield from lines
    else:
        story = f", or `{PROGRAM} explain {code}`" if code else ""
        yield f"More: the same words after `{PROGRAM} check --all`{story}."


def find_switch(shown: ShownAnswers) -> str:
    """The command that answers as if the first switch among the actions were made; or empty."""
    actions = [action for answer in shown.answers for s in answer.summaries for action in s.actions]
    said = (say_command(("check",), shown.words, action.text) for action in actions)
    return next((command for command in said if command), "")


def say_legend(answers: Iterable[ShortAnswer]) -> str:
    """What the grades of these answers mean, and what a number in brackets."""
    grades = {row.grade for a in answers for s in a.summaries for row in s.rows}
    told = [text for grade, text in LEGEND.items() if grade in grades]
    return "; ".join((*told, "(+N): N more, with --all.")) if grades else ""


def wrap(text: str, width: int, first: str = "", later: str = "") -> Iterable[str]:
    """Lines of at most this width; a word that is longer stays whole."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
