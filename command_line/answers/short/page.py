"""The short answer as one HTML file: no network, no script; light, dark, phone, print."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

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
from properties.checkout import PROGRAM
from properties.scenarios.summary.answer import Row, Summary
from properties.scenarios.summary.shown_actions import choose_shown

STYLE = """
:root { color-scheme: light dark; --ink: #1d2330; --paper: #fff; --soft: #5a6374; --line: #d5dae3;
  --loss: #b3261e; --risk: #8a5a00; --ok: #1b6e3c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --paper: #14171d; --soft: #a2abbb;
  --line: #333a47; --loss: #ff8a80; --risk: #f2b84b; --ok: #7bd69c; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 60rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 1rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .2rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
p { margin: .4rem 0; } .soft { color: var(--soft); }
table { width: 100%; border-collapse: collapse; margin: .8rem 0; }
th, td { text-align: left; vertical-align: top; padding: .5rem .6rem .5rem 0;
  border-top: 1px solid var(--line); }
th { font-weight: 600; width: 15rem; } td.grade { width: 4rem; font-weight: 700; }
.loss { color: var(--loss); } .risk { color: var(--risk); } .ok { color: var(--ok); }
ul.failures { list-style: none; margin: 0; padding: 0; columns: 18rem auto; }
ul.failures li { display: flex; align-items: baseline; }
ul.failures code { flex: 0 0 2.6rem; }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
@media (max-width: 40rem) { tr { display: block; border-top: 1px solid var(--line);
  padding: .4rem 0; }
  th, td, td.grade { display: block; width: auto; border: 0; padding: .1rem 0; } }
@media print { :root { --ink: #000; --paper: #fff; --soft: #444; --line: #999; --loss: #000;
  --risk: #000; --ok: #000; } body { max-width: none; padding: 0; font-size: 10pt; }
  tr, li { break-inside: avoid; } }
"""


def render_page(shown: ShownAnswers) -> str:
    """The whole answer as one file."""
    names = "; ".join(answer.names for answer in shown.answers)
    body = [
        "<h1>What these broker groups can lose</h1>",
        *(f"<p>{escape(change)}</p>" for change in shown.list_changes()),
        *(f"<p>warning: {escape(str(w))}</p>" for w in shown.warnings if w.is_grave),
        *(line for answer in shown.answers for line in list_group(answer, shown)),
        *(f"<p>warning: {escape(str(w))}</p>" for w in shown.warnings if not w.is_grave),
        *(
            f'<p class="soft">{escape(told)}</p>'
            for told in (shown.release_note, say_legend(shown.answers))
            if told
        ),
        '<p class="soft">The story behind a code, with each step: '
        f"<code>{PROGRAM} explain CODE{escape(shown.asked)}</code></p>",
    ]
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            '<head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>rmqspec check: {escape(names)}</title>",
            f"<style>{STYLE}</style></head>",
            "<body><main>",
            *body,
            "</main></body>",
            "</html>",
        ]
    )


def list_group(answer: ShortAnswer, shown: ShownAnswers) -> Iterator[str]:
    """The section of one group."""
    yield f"<h2>{escape(answer.title)}</h2>"
    yield f'<p class="soft">{escape(answer.settings)}; RocketMQ {escape(shown.version.name)}</p>'
    if answer.is_outside:
        reasons = (f"<li>{escape(reason)}</li>" for reason in answer.summaries[0].outside)
        yield f"<p>Nothing is decided:</p><ul>{''.join(reasons)}</ul>"
        return
    for summary in answer.summaries:
        if answer.is_side_by_side:
            yield f"<h3>With {say_slaves(summary.slaves)}</h3>"
        yield from list_table(summary)
    kept = [
        f"<li>{escape(words)}: {escape(', '.join(names))}</li>"
        for words, names in list_holding(answer.summaries)
    ]
    if kept:
        yield f"<h3>{KEPT}</h3><ul>{''.join(kept)}</ul>"
    actions = [escape(say_action(action)) for action in choose_shown(answer.summaries)]
    if actions:
        left = say_number_left(answer.summaries)
        yield f"<h3>Do{left}</h3><ol>{''.join(f'<li>{text}</li>' for text in actions)}</ol>"
    yield from (f'<p class="soft">{escape(text)}</p>' for text in list_unknown(answer))


def list_table(summary: Summary) -> Iterator[str]:
    """The rows of a group."""
    yield "<table>"
    for row in summary.rows:
        word = DESCRIBED[row.grade]
        yield f'<tr><td class="grade {word if word.isalpha() else "soft"}">{word}</td>'
        yield f'<th scope="row">{escape(row.title)}</th><td>{say_failures(row)}</td></tr>'
    yield "</table>"


def say_failures(row: Row) -> str:
    """The weakest failures of a row, or why there is none."""
    if not row.failures:
        return escape(row.note)
    told = (
        f"<li><code>{f.code}</code> {escape(f.words)}</li>" for f in (*row.failures, *row.others)
    )
    return f'<ul class="failures">{"".join(told)}</ul>'
