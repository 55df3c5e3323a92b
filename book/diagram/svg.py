"""A diagram as an SVG file: it follows the reader's choice of light or dark, and needs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias
from xml.sax.saxutils import escape

from book.diagram.layout import (
    CELL_WIDTH,
    EMPTY_LOG,
    HEAD_HEIGHT,
    LETTER_WIDTH,
    NUMBER_WIDTH,
    PADDING,
    ROW_HEIGHT,
    Cell,
    DiagramLayout,
    Lane,
    arrange,
    compute_middle,
    compute_top,
    split_state,
)
from book.diagram.wire import Arrow
from properties.schedules.judgement import JudgedStep

STYLE = """
svg { --ground: #ffffff; --strip: #f4f6f8; --down: #d9dee4; --ink: #1f2933; --soft: #66727f;
  --wire: #5b6b7c; --bad: #c62828; --fault: #fdecea;
  --a: #bfdbfe; --b: #fed7aa; --c: #bbf7d0; --d: #e9d5ff; --x: #fecaca; --none: #e5e7eb;
  --onlog: #1f2933; }
@media (prefers-color-scheme: dark) { svg { --ground: #14181d; --strip: #1d232a; --down: #39424d;
  --ink: #e6eaee; --soft: #98a4b1; --wire: #9fb0c1; --bad: #ff8a80; --fault: #3a1f1f;
  --a: #1e4976; --b: #7a4a12; --c: #1d5c38; --d: #54357a; --x: #7a2a2a; --none: #323a44;
  --onlog: #f1f5f9; } }
text { font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--ink);
  white-space: pre; }
.title { font-weight: 700; } .number, .state, .label { fill: var(--soft); }
.label { font-size: 11px; paint-order: stroke; stroke: var(--ground); stroke-width: 5px; }
.fault { fill: var(--bad); font-weight: 700; }
.ending { fill: var(--bad); font-weight: 700; } .same { opacity: .4; }
.arrow { stroke: var(--wire); stroke-width: 1.4; fill: none; } .head { fill: var(--wire); }
.lost { stroke: var(--bad); stroke-dasharray: 4 3; } .cross { stroke: var(--bad); stroke-width: 2; }
.byte { stroke: var(--ground); stroke-width: 1; } .onlog { fill: var(--onlog); font-size: 11px; }
.frame { fill: none; stroke: var(--soft); stroke-width: .8; }
"""
"""Colours by name; letters a to h are the log epoch (``life``) that wrote a byte."""

LIFE_COLOURS = {"a": "a", "b": "b", "c": "c", "d": "d", "m": "a", "x": "x", "?": "x"}
HEAD_LENGTH = 7.0


def draw_schedule(
    steps: Sequence[JudgedStep], title: str, ending: str, notes: Sequence[str] = ()
) -> str:
    """The picture of a replayed schedule.

    ``ending`` is said below its last step, and ``notes`` beside the number of each step.
    """
    return write_svg(arrange(steps, ending, notes), title)


def write_svg(layout: DiagramLayout, title: str) -> str:
    """The whole file."""
    width, height = f"{layout.width:.0f}", f"{layout.height:.0f}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" rx="8" style="fill:var(--ground)"/>',
        *write_rows(layout),
        *(line for lane in layout.lanes for line in write_lane(lane, layout)),
        *(line for arrow in layout.arrows for line in write_arrow(arrow, layout)),
        *write_ending(layout),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def write_rows(layout: DiagramLayout) -> Iterator[str]:
    """The numbers of the steps, and a red ground where something goes wrong."""
    for step in range(1, layout.steps + 1):
        if step in layout.fault_steps:
            yield rectangle((0, compute_top(step), layout.width, ROW_HEIGHT), "fault")
        middle = compute_middle(step)
        yield write_text(NUMBER_WIDTH - 8, middle, str(step), "number", "end")
        if layout.notes:
            note = layout.notes[step - 1]
            yield write_text(layout.lanes[0].left - PADDING, middle, note, "number", "end")


def write_lane(lane: Lane, layout: DiagramLayout) -> Iterator[str]:
    """A node's strip with its title, where it is down, and its lines."""
    bottom = compute_top(layout.steps + 1)
    box = (lane.left, HEAD_HEIGHT - 4, lane.width, bottom - HEAD_HEIGHT + 8)
    yield rectangle(box, "strip", 6)
    for first, last in lane.stops:
        height = (last - first + 1) * ROW_HEIGHT
        yield rectangle((lane.left, compute_top(first), lane.width, height), "down", 4)
    yield write_text(lane.left + PADDING, HEAD_HEIGHT / 2, lane.title, "title")
    for step, cell in enumerate(lane.cells, start=1):
        yield from write_cell(lane, step, cell, step in layout.fault_steps)


def write_cell(lane: Lane, step: int, cell: Cell, is_fault: bool) -> Iterator[str]:
    """What happens at the left, the state at the right; pale where it is as before."""
    middle = compute_middle(step)
    if cell.phrase:
        kind = "fault" if is_fault else "phrase"
        yield write_text(lane.left + PADDING, middle, cell.phrase.removeprefix("## "), kind)
    if not cell.state:
        return
    pale = "" if cell.is_changed else ' class="same"'
    yield f"<g{pale}>"
    log, words = split_state(cell.state)
    right = lane.right - PADDING
    if words:
        yield write_text(right, middle, words, "state", "end")
        right -= len(words) * LETTER_WIDTH + PADDING
    if log:
        yield from write_log(right, middle, log)
    yield "</g>"


def write_log(right: float, middle: float, state: str) -> Iterator[str]:
    """A log byte by byte, coloured by log epoch; a bar separates the last file."""
    letters = state[1:-1]
    left, top = right - len(letters) * CELL_WIDTH, middle - CELL_WIDTH / 2 - 1
    if not letters:
        yield write_text(right, middle, EMPTY_LOG, "state", "end")
    for number, letter in enumerate(letters):
        x = left + number * CELL_WIDTH
        if letter == "|":
            yield rectangle((x + CELL_WIDTH / 2 - 1, top - 2, 2, CELL_WIDTH + 6), "soft")
            continue
        colour = LIFE_COLOURS.get(letter, "none")
        yield rectangle((x, top, CELL_WIDTH, CELL_WIDTH + 2), colour, 2, "byte")
        yield write_text(x + CELL_WIDTH / 2, middle, letter, "onlog", "middle")


def write_arrow(arrow: Arrow, layout: DiagramLayout) -> Iterator[str]:
    """From the strip that sends to the strip that reads; a lost one ends in a cross half way."""
    is_rightward = arrow.sender < arrow.receiver
    one, other = sorted((arrow.sender, arrow.receiver))
    edges = (layout.lanes[one].right, layout.lanes[other].left)
    begin, end = edges if is_rightward else edges[::-1]
    y, z = compute_middle(arrow.sent_step), compute_middle(arrow.arrived_step)
    direction = 1 if is_rightward else -1
    if arrow.is_lost:
        middle = (begin + end) / 2
        z = min(z, y + ROW_HEIGHT)
        yield line(begin, y, middle, z, "arrow lost")
        for sign in (1, -1):
            yield line(middle - 4, z - 4 * sign, middle + 4, z + 4 * sign, "cross")
        return
    yield line(begin, y, end - direction * HEAD_LENGTH, z, "arrow")
    tip, back = f"{end:.1f},{z:.1f}", end - direction * HEAD_LENGTH
    yield f'<polygon class="head" points="{tip} {back:.1f},{z - 4:.1f} {back:.1f},{z + 4:.1f}"/>'
    if arrow.label:
        yield write_text(
            (begin + end) / 2, (y + z) / 2 - (8 if y == z else 0), arrow.label, "label", "middle"
        )


def write_ending(layout: DiagramLayout) -> Iterator[str]:
    """What does not hold any more, below the last step."""
    middle = compute_middle(layout.steps + 1) + 6
    if layout.ending:
        yield write_text(NUMBER_WIDTH + PADDING, middle, f"✗ {layout.ending}", "ending")


Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, width, height."""


def rectangle(box: Box, fill: str, radius: float = 0, kind: str = "") -> str:
    """A filled rectangle; ``fill`` is a colour's name in STYLE."""
    named = f' class="{kind}"' if kind else ""
    x, y, width, height = box
    return (
        f'<rect{named} x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="{radius:.0f}" style="fill:var(--{fill})"/>'
    )


def line(x: float, y: float, end_x: float, end_y: float, kind: str) -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{end_x:.1f}" y2="{end_y:.1f}"/>'


def write_text(x: float, middle: float, words: str, kind: str, anchor: str = "start") -> str:
    """Words centred at a height."""
    length = f' textLength="{len(words) * LETTER_WIDTH:.1f}"' if kind in FITTED else ""
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{middle + 4:.1f}" text-anchor="{anchor}"{length}>'
        f"{escape(words)}</text>"
    )


FITTED = frozenset({"phrase", "fault", "state"})
"""Words that must not grow beyond their lane, whatever letters the reader has."""
