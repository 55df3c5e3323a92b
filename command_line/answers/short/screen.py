"""The short answer as one screen of text: plain, at least 80 columns wide, no entry wrapped."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence

import click

from command_line.answers.short.groups import ShortAnswer
from command_line.answers.short.shown import Shown, list_unknown, say_action, say_open
from properties.scenarios.summary.answer import Action, Row, Summary
from properties.scenarios.summary.words import Grade
from reference.checkout import PROGRAM
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

SCREEN_LINES = 30
"""The length that the answer about one group keeps to: the last rows take one line each then."""

WARNINGS_MAX = 3
"""How many warnings are printed; the rest is counted."""

COLOURS = {
    Grade.LOSS: "red",
    Grade.RISK: "yellow",
    Grade.UNDECIDED: "yellow",
    Grade.OK: "green",
}
"""For a terminal; they are removed elsewhere."""

LEGEND = "loss: one common failure; risk: rare ones; ok: proved; (+N): N more, with --all."

DESCRIBED = {
    Grade.LOSS: "loss",
    Grade.RISK: "risk",
    Grade.OK: "ok",
    Grade.UNDECIDED: "?",
    Grade.NOT_PROMISED: "-",
}


def get_width() -> int:
    """The width of the terminal, or of COLUMNS; 80 in a pipe."""
    return max(shutil.get_terminal_size((WIDTH_MIN, 24)).columns, WIDTH_MIN)


def render_screen(shown: Shown, width: int = WIDTH_MIN) -> str:
    """The whole answer, a block of lines for each group."""
    rows = max((len(s.rows) for a in shown.answers for s in a.summaries), default=0)
    for whole in range(rows, -1, -1):
        screen = render_blocks(shown, width, whole)
        if len(shown.answers) != 1 or screen.count("\n") < SCREEN_LINES:
            break
    return screen


def render_blocks(shown: Shown, width: int, whole: int) -> str:
    """The answer, with more than one line of failures for this many first rows."""
    blocks = ["\n".join(list_lines(a, shown.version, width, whole)) for a in shown.answers]
    changes = [line for change in shown.list_changes() for line in wrap(change, width)]
    release = wrap(shown.release_note, width)
    notes = [*list_warnings(shown.warnings, width), *release, LEGEND, *list_hints(shown, width)]
    answered = "\n\n".join(part for part in ("\n".join(changes), *blocks) if part)
    has_remark = len(blocks) == 1 and any(list_unknown(shown.answers[0]))
    return answered + ("\n" if has_remark else "\n\n") + "\n".join(notes)


def list_lines(answer: ShortAnswer, version: Version, width: int, whole: int) -> Iterator[str]:
    """The lines about one group, or about several that behave alike."""
    yield from wrap(f"{answer.names}: {answer.settings}; RocketMQ {version.name}", width)
    if answer.is_outside:
        yield "Nothing is decided:"
        for reason in answer.summaries[0].outside:
            yield from wrap(reason, width, "  - ", "    ")
        return
    if answer.is_side_by_side:
        yield "No slave's file is given: answers for no slave | one slave; --slaves N decides."
    yield ""
    yield from list_rows(answer.summaries, width, whole)
    actions = choose_common(answer.summaries)
    if actions:
        yield "Do:"
        for number, action in enumerate(actions, start=1):
            yield from wrap(say_action(action), width, f" {number}. ", "    ")
    unknown = [line for text in list_unknown(answer) for line in wrap(text, width)]
    yield from ["", *unknown] if unknown else ()


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
    elif rows[0].failures[:1] == rows[1].failures[:1] and rows[0].note == rows[1].note:
        yield from list_failures(rows[1], width, 1)
    else:
        for summary, row in zip(summaries, rows, strict=True):
            mark = f"{summary.slaves} "
            yield from (f"{mark}{line}" for line in list_failures(row, width - len(mark), 1))


def list_failures(row: Row, width: int, lines_max: int) -> Iterator[str]:
    """The weakest failures in lines, as many beside each other as there is room for."""
    if row.note:
        yield row.note
        return
    if not row.failures:
        yield "open: " + say_open(row) if row.open_under else ""
        return
    across = max(1, width // FAILURE_WIDTH)
    shown = row.failures[: across * lines_max]
    more = len(row.failures) - len(shown)
    for start in range(0, len(shown), across):
        cells = [f"{f.code:<4}{f.words}" for f in shown[start : start + across]]
        is_last = start + across >= len(shown)
        line = "".join(f"{cell:<{FAILURE_WIDTH}}" for cell in cells[:-1]) + cells[-1]
        rest = f" (+{more})" if more and is_last else ""
        yield shorten(line, width - len(rest)) + rest


def shorten(text: str, width: int) -> str:
    """The text, its last words left out where there is no room for them."""
    return text if len(text) <= width else text[: width - 1].rsplit(" ", 1)[0] + "…"


def choose_common(summaries: Sequence[Summary]) -> tuple[Action, ...]:
    """The actions of a group; where its slaves are unknown those that help either way."""
    texts = [{action.text for action in summary.actions} for summary in summaries]
    return tuple(a for a in summaries[0].actions if all(a.text in known for known in texts))


def list_codes(answer: ShortAnswer, width: int) -> Iterator[str]:
    """Every failure of a group by its code, row by row, none left out."""
    for summary in answer.summaries:
        yield from wrap(f"{answer.names}, {summary.slaves}: every failure by its code", width)
        for row in summary.rows:
            if row.failures:
                yield f"  {row.title}"
            for failure in row.failures:
                yield from wrap(f"{failure.code:<4}{failure.words}", width, "    ", " " * 8)


def list_warnings(warnings: Sequence[ConfigurationWarning], width: int) -> Iterator[str]:
    """What is odd in the files, with file and line."""
    for warning in warnings[:WARNINGS_MAX]:
        yield from wrap(f"warning: {warning}", width, "", "  ")
    if len(warnings) > WARNINGS_MAX:
        yield f"{len(warnings) - WARNINGS_MAX} more warnings: rmqspec check --all"


def list_hints(shown: Shown, width: int) -> Iterator[str]:
    """What to type next: the story of the first failure, and all tables."""
    rows = [r for answer in shown.answers for s in answer.summaries for r in s.rows]
    code = next((failure.code for row in rows for failure in row.failures), None)
    if code:
        yield from wrap(f"More: {PROGRAM} explain {code}{shown.asked}", width, "", "  ")
    begin = "      " if code else "More: "
    yield from wrap(f"{begin}{PROGRAM} check{shown.asked} --all", width, "", "  ")


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
