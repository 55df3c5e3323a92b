"""The short answer as Markdown, for a ticket or a chat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from command_line.answers.short.groups import ShortAnswer, say_slaves
from command_line.answers.short.screen import DESCRIBED, say_legend
from command_line.answers.short.shown import (
    KEPT,
    ShownAnswers,
    list_holding,
    list_unknown,
    say_action,
    say_number_left,
)
from properties.scenarios.summary.answer import Row, Summary
from properties.scenarios.summary.shown_actions import choose_shown


def render_markdown(shown: ShownAnswers) -> str:
    """The whole answer."""
    parts = [*(escape(change) for change in shown.list_changes())]
    warned = [(w.is_grave, f"> {escape(f'warning: {w}')}") for w in shown.warnings]
    parts += [told for is_grave, told in warned if is_grave]
    parts += ["\n".join(list_lines(answer, shown)) for answer in shown.answers]
    parts += [told for is_grave, told in warned if not is_grave]
    parts += [escape(shown.release_note)] if shown.release_note else []
    legend = say_legend(shown.answers)
    return "\n\n".join([*parts, *([f"*{escape(legend)}*"] if legend else [])])


def list_lines(answer: ShortAnswer, shown: ShownAnswers) -> Iterator[str]:
    """The lines about one group."""
    yield f"## {escape(answer.title)}"
    yield ""
    yield f"{escape(answer.settings)}; RocketMQ {shown.version.name}"
    if answer.is_outside:
        yield ""
        yield from (f"- not decided: {escape(reason)}" for reason in answer.summaries[0].outside)
        return
    for summary in answer.summaries:
        yield ""
        if answer.is_side_by_side:
            yield f"**With {say_slaves(summary.slaves)}**"
            yield ""
        yield from list_table(summary)
    kept = [f"- {w}: {', '.join(names)}" for w, names in list_holding(answer.summaries)]
    yield from ("", KEPT, "", *kept) if kept else ()
    actions = [escape(say_action(action)) for action in choose_shown(answer.summaries)]
    if actions:
        yield from ("", f"Do{escape(say_number_left(answer.summaries))}:", "")
        yield from (f"{number}. {text}" for number, text in enumerate(actions, start=1))
    unknown = [escape(text) for text in list_unknown(answer)]
    yield from ["", *unknown] if unknown else ()


def list_table(summary: Summary) -> Iterator[str]:
    """The rows as a table."""
    yield "| | | |"
    yield "| --- | --- | --- |"
    for row in summary.rows:
        yield f"| **{DESCRIBED[row.grade]}** | {row.title} | {say_failures(row)} |"


def say_failures(row: Row) -> str:
    """Every weakest failure of a row, or why there is none."""
    told: Sequence[str] = [f"`{f.code}` {escape(f.words)}" for f in (*row.failures, *row.others)]
    return "; ".join(told) or escape(row.note)


def escape(text: str) -> str:
    """A text with Markdown's own characters escaped."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in text)
