"""A schedule drawn as a timeline: one lane per node, one line per step; narrower ones on demand.

Without a width each lane has that of its world. In a given width the lanes shrink to what they
show. Where that is too wide, the nodes share one lane for what they do, and only the states that
change have lanes of their own. Where even these do not fit, each state follows on lines below its
step. Every line then fits, and nothing is left out: a text that is broken between words goes on
below its beginning, and the constant states are named at the end.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import frozen

from reference.language.machine import Action
from reference.language.structure import LaneText

NUMBER_WIDTH = 6
"""A step's number, and two blanks."""

PHRASE_WIDTH_MIN = 24
"""A narrower lane for what nodes do breaks too many phrases."""


@frozen
class DrawnStep:
    """A step with its texts, one for each lane."""

    number: int
    texts: tuple[LaneText, ...]
    violated: tuple[str, ...]
    """The guarantees that no earlier step violates."""


def list_lanes(state: Any) -> tuple[tuple[str, int], ...]:
    """Title and width of each lane."""
    lanes: tuple[tuple[str, int], ...] = state.structure.lanes.list_lanes(state)
    return lanes


def fill_lanes(state: Any, action: Action) -> tuple[LaneText, ...]:
    """What each lane shows of a step and of the state after it."""
    texts: tuple[LaneText, ...] = state.structure.lanes.fill_lanes(state, action)
    return texts


def draw_timeline(
    steps: Iterable[tuple[Action | None, Any, tuple[str, ...]]], width: int | None = None
) -> str:
    """The drawing of judged steps: (action or None, state after it, guarantees violated there).

    A guarantee is named at the first step that violates it. No line is longer than ``width``, at
    least 60; None draws the lanes of the world, however wide they are.
    """
    lanes: tuple[tuple[str, int], ...] = ()
    drawn: list[DrawnStep] = []
    seen: set[str] = set()
    for index, (action, state, violated) in enumerate(steps):
        if action is None:
            lanes = list_lanes(state)
            continue
        new = tuple(name for name in violated if name not in seen)
        seen |= set(new)
        drawn.append(DrawnStep(index, fill_lanes(state, action), new))
    return "\n".join(line.rstrip() for line in list_lines(lanes, drawn, width))


def list_lines(
    lanes: Sequence[tuple[str, int]], steps: Sequence[DrawnStep], width: int | None
) -> Iterator[str]:
    """The lines of a timeline, in the widest of the forms that fit."""
    tight = shrink(lanes, steps)
    is_roomy = all(need <= has for (_, need), (_, has) in zip(tight, lanes, strict=True))
    if width is None or (is_roomy and measure(lanes) <= width):
        return draw_lanes(lanes, steps)
    if measure(tight) <= width:
        return draw_lanes(tight, steps)
    titles = [title for title, _ in lanes]
    shown = find_changing(steps)
    room = (
        width
        - NUMBER_WIDTH
        - len(say_who(titles, 0))
        - sum(width_of_state(titles, steps, n) + 3 for n in shown)
    )
    if room >= PHRASE_WIDTH_MIN:
        longest = max([len(t.phrase) for step in steps for t in step.texts], default=0)
        return draw_shared(titles, steps, shown, min(room, longest))
    return draw_below(titles, steps, width)


def measure(lanes: Sequence[tuple[str, int]]) -> int:
    """The length of the longest line."""
    return NUMBER_WIDTH + sum(width for _, width in lanes) + 2 * (len(lanes) - 1)


def draw_lanes(lanes: Sequence[tuple[str, int]], steps: Sequence[DrawnStep]) -> Iterator[str]:
    """A lane for each node, with what it does at the left and its state at the right."""
    (first, first_width), *others = lanes
    head = "step  " + first.ljust(first_width)
    yield head + "".join("│ " + title.ljust(width) for title, width in others)
    below = "─" * (NUMBER_WIDTH + first_width)
    yield below + "".join("┼" + "─" * (width + 1) for _, width in others)
    for step in steps:
        texts = zip(step.texts, lanes, strict=True)
        cells = (text.fit(width).ljust(width - 1) + " " for text, (_, width) in texts)
        yield f"{step.number:>4}  " + "│ ".join(cells)
        yield from list_violated(step)


def list_violated(step: DrawnStep) -> Iterator[str]:
    """A line for each guarantee that falls with a step."""
    yield from (f"      ✗ {name}" for name in step.violated)


def shrink(
    lanes: Sequence[tuple[str, int]], steps: Sequence[DrawnStep]
) -> tuple[tuple[str, int], ...]:
    """The lanes, none wider than what it shows."""
    return tuple(
        (title, max([len(title), *(measure_text(step.texts[n]) for step in steps)]) + 1)
        for n, (title, _) in enumerate(lanes)
    )


def measure_text(text: LaneText) -> int:
    """The letters of a phrase and a state, with a blank on both sides of the state."""
    return len(text.phrase) + (len(text.state) + 2 if text.state else 0)


def find_changing(steps: Sequence[DrawnStep]) -> list[int]:
    """The lanes whose state is not the same after every step."""
    count = len(steps[0].texts) if steps else 0
    return [n for n in range(count) if len({step.texts[n].state for step in steps}) > 1]


def width_of_state(titles: Sequence[str], steps: Sequence[DrawnStep], lane: int) -> int:
    """The width of a lane that shows a state alone."""
    return max([len(titles[lane]), *(len(step.texts[lane].state) for step in steps)])


def say_who(titles: Sequence[str], lane: int) -> str:
    """The name of a lane, before what its node does."""
    return titles[lane].ljust(max(map(len, titles))) + "  "


def draw_shared(
    titles: Sequence[str], steps: Sequence[DrawnStep], shown: Sequence[int], room: int
) -> Iterator[str]:
    """One lane for what the nodes do, and one for each state that changes."""
    indent = NUMBER_WIDTH + len(say_who(titles, 0))
    widths = [width_of_state(titles, steps, n) for n in shown]
    heads = [titles[n].ljust(w) for n, w in zip(shown, widths, strict=True)]
    yield " │ ".join(["step  node".ljust(indent + room), *heads])
    yield "─┼─".join("─" * w for w in (indent + room, *widths))
    for step in steps:
        states = [step.texts[n].state.rjust(w) for n, w in zip(shown, widths, strict=True)]
        blank = [" " * w for w in widths]
        lines = [
            line
            for lane, text in enumerate(step.texts)
            for line in wrap_phrase(say_who(titles, lane), text.phrase, indent, room)
        ]
        for number, line in enumerate(lines or [""]):
            start = f"{step.number:>4}  {line}" if number == 0 else " " * NUMBER_WIDTH + line
            last = number == len(lines or [""]) - 1
            yield " │ ".join([start.ljust(indent + room), *(states if last else blank)])
        yield from list_violated(step)
    yield from list_constant(titles, steps, indent + room + sum(w + 3 for w in widths))


def wrap_phrase(who: str, phrase: str, indent: int, room: int) -> Iterator[str]:
    """What a node does, in lines below each other; nothing for a node that does nothing."""
    lines = wrap_words(phrase, room)
    for number, line in enumerate(lines):
        yield (who if number == 0 else " " * (indent - NUMBER_WIDTH)) + line


def wrap_words(text: str, width: int) -> list[str]:
    """The text in lines of whole words."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def list_constant(titles: Sequence[str], steps: Sequence[DrawnStep], width: int) -> Iterator[str]:
    """The states that never change, in one sentence; none if there are none."""
    changing = find_changing(steps)
    states = enumerate(steps[0].texts if steps else ())
    told = [f"{titles[n]} {t.state}" for n, t in states if n not in changing and t.state]
    if told:
        text = f"The same throughout: {'; '.join(told)}."
        indent = " " * NUMBER_WIDTH
        yield from (indent + line for line in wrap_words(text, width - NUMBER_WIDTH))


def draw_below(titles: Sequence[str], steps: Sequence[DrawnStep], width: int) -> Iterator[str]:
    """What a node does on one line, and below it the states that the step has changed."""
    indent = NUMBER_WIDTH + len(say_who(titles, 0))
    yield "step  node"
    yield "─" * width
    before = [""] * len(titles)
    for step in steps:
        lines = [
            line
            for lane, text in enumerate(step.texts)
            for line in wrap_phrase(say_who(titles, lane), text.phrase, indent, width - indent)
        ]
        yield f"{step.number:>4}  {lines[0] if lines else ''}"
        yield from (" " * NUMBER_WIDTH + line for line in lines[1:])
        for lane in find_changing(steps):
            state = step.texts[lane].state
            if state not in ("", before[lane]):
                yield " " * NUMBER_WIDTH + f"{say_who(titles, lane)}= {state}"
            before[lane] = state
        yield from list_violated(step)
    yield from list_constant(titles, steps, width)
