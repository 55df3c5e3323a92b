"""One page of several runs: a row for each case, a column for each broker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from brokers.conformance.judging import FAILED, INCONCLUSIVE, PASSED, SKIPPED, VACUOUS
from command_line.conformance.run_report import say_counts

SYMBOLS = {PASSED: "✓", FAILED: "✗", INCONCLUSIVE: "?", VACUOUS: "∅", SKIPPED: "·"}
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; color: #222; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #ddd; padding: .25rem .6rem; text-align: left; }
td.cell { text-align: center; width: 7rem; }
thead th { position: sticky; top: 0; background: #fff; }
.conforms { background: #e3f4e3; } .fails { background: #f9d6d5; }
.inconclusive { background: #fdf1cc; }
.vacuous, .skipped { color: #888; } .broken { font-size: .8em; color: #a33; }
.headings { color: #777; font-size: .85em; } h2 { margin-top: 2rem; }
details summary { cursor: pointer; } pre { white-space: pre-wrap; font-size: .85em; }
"""


def render_matrix(reports: Sequence[Mapping[str, Any]]) -> str:
    """The whole page; it needs nothing beside it."""
    roles = sorted({report["role"] for report in reports})
    parts = [part for role in roles for part in _render_role(role, reports)]
    legend = (
        "✓ conforms; ✗ fails; ? not decided on this run; ∅ excludes nothing, and is not counted; "
        "· not played. <span class='broken'>lies</span>: it conforms, and breaks a guarantee."
    )
    return "\n".join(
        (
            "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
            "<meta name='viewport' content='width=device-width'>",
            f"<title>Conformance of brokers</title><style>{STYLE}</style></head><body>",
            "<h1>Conformance of brokers</h1>",
            f"<p>{legend}</p>",
            *parts,
            "</body></html>\n",
        )
    )


def _render_role(role: str, reports: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    columns = [report for report in reports if report["role"] == role]
    yield f"<h2>As a {escape(role)}</h2><table><thead><tr><th>Case</th>"
    for report in columns:
        version = escape(str(report["rocketmq_version"]))
        yield f"<th>{escape(str(report['broker']))}<br><small>held to {version}</small></th>"
    yield "</tr></thead><tbody>"
    by_column = [{each["case"]: each for each in report["cases"]} for report in columns]
    names = dict.fromkeys(name for each in by_column for name in each)
    for name in names:
        yield from _render_case(name, [found.get(name) for found in by_column])
    yield "</tbody></table><ul>"
    for report in columns:
        yield f"<li>{escape(str(report['broker']))}: {say_counts(report['counts'])}</li>"
    yield "</ul>"


def _render_case(name: str, cells: Sequence[Mapping[str, Any] | None]) -> Iterator[str]:
    known = next(each for each in cells if each is not None)
    headings = escape(", ".join(known["headings"]))
    failures = [cell for cell in cells if cell is not None and cell["outcome"] == FAILED]
    yield f"<tr><td>{escape(name)}<div class='headings'>{headings}</div>"
    for failure in failures:
        reason = escape(failure["reason"])
        yield f"<details><summary>why it fails</summary><pre>{reason}</pre></details>"
    yield "</td>"
    for each in cells:
        if each is None:
            yield "<td class='cell skipped'>·</td>"
            continue
        word = each["outcome"]
        told = escape(each["reason"] or each["excluded"])
        broken = "<div class='broken'>lies</div>" if each["broken_guarantees"] else ""
        waived = " (waived)" if each["waiver"] else ""
        text = f"{SYMBOLS[word]}{waived}{broken}"
        yield f"<td class='cell {word}' title='{told}'>{text}</td>"
    yield "</tr>"
