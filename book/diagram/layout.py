"""The places of all parts of a diagram, in pixels: lanes, lines, logs, arrows.

Words are those of the timeline on the terminal (``reference.language.drawing``), so that a schedule
reads alike everywhere. All letters have one width.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from attrs import evolve, frozen

from book.diagram.wire import Arrow, list_arrows
from properties.schedules.judgement import JudgedStep
from properties.schedules.telling import find_fault_steps
from reference.language.drawing import fill_lanes, list_lanes

LETTER_WIDTH = 7.3
CELL_WIDTH = 13.0
ROW_HEIGHT = 27.0
HEAD_HEIGHT = 34.0
NUMBER_WIDTH = 30.0
GUTTER_WIDTH = 104.0
"""Between lanes that send each other something."""
NARROW_GUTTER_WIDTH = 16.0
PADDING = 10.0
WIRE_MARKS = ("<~ ", " ~>")
"""Arrows of the terminal; here they are drawn."""
EMPTY_LOG = "empty"
"""The text for a log with nothing to draw."""
LANES_MAX = 4
"""A picture of more lanes leaves out nodes that do nothing."""
_LOG_BEFORE_QUEUE = re.compile(r"(\[[^\s\]\d]*\]) (\[.+)")


@frozen
class Cell:
    """What a lane shows in a line."""

    phrase: str
    """What happens; empty where this node does nothing."""
    state: str
    """The state that the node is in, for example its log ``[aab|b]``."""
    is_changed: bool
    """The state is another one than in the line before."""


@frozen
class Lane:
    """A node's strip."""

    title: str
    left: float
    width: float
    cells: tuple[Cell, ...]
    """One for each step."""
    stops: tuple[tuple[int, int], ...] = ()
    """From which step to which its node does not run, both from 1, the last one included."""
    number: int = 0
    """Which of its world's lanes it is, from 0."""

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.left + self.width


@frozen
class DiagramLayout:
    """A whole diagram."""

    lanes: tuple[Lane, ...]
    arrows: tuple[Arrow, ...]
    fault_steps: frozenset[int]
    steps: int
    ending: str
    """The text below the last step; may be empty."""
    notes: tuple[str, ...] = ()
    """The notes beside the numbers of steps; may be empty."""

    @property
    def width(self) -> float:
        """Of the picture."""
        return self.lanes[-1].right + PADDING

    @property
    def height(self) -> float:
        """Of the picture."""
        return compute_top(self.steps + (2 if self.ending else 1)) + PADDING


def compute_top(step: int) -> float:
    """Where the line of a step begins, counted from 1."""
    return HEAD_HEIGHT + ROW_HEIGHT * (step - 1)


def compute_middle(step: int) -> float:
    """The middle of the line of a step."""
    return compute_top(step) + ROW_HEIGHT / 2


def is_log(state: str) -> bool:
    """The state is bytes or messages between brackets, which are drawn as boxes."""
    return state.startswith("[") and state.endswith("]") and " " not in state


def split_state(state: str) -> tuple[str, str]:
    """The log that is drawn as boxes, and the queue or words behind it; either may be empty."""
    if is_log(state):
        return state, ""
    found = _LOG_BEFORE_QUEUE.fullmatch(state)
    return (found[1], found[2]) if found else ("", state)


def arrange(steps: Sequence[JudgedStep], ending: str, notes: Sequence[str] = ()) -> DiagramLayout:
    """The diagram of a replayed schedule: of its first state and all that follow."""
    titles = list_lanes(steps[0].cluster)
    columns = [read_lane(steps, number) for number in range(len(titles))]
    shown = choose_lanes(columns)
    arrows = move_arrows(list_arrows(steps[0].cluster, steps), shown)
    running = [step.cluster.structure.lanes.list_running(step.cluster) for step in steps[1:]]
    lanes: list[Lane] = []
    left = NUMBER_WIDTH + measure_notes(notes)
    for place, number in enumerate(shown):
        (title, _), cells = titles[number], columns[number]
        is_up = [states[number] for states in running if states]
        width = compute_width(title, cells)
        lanes.append(Lane(title, left, width, cells, tuple(find_stops(is_up)), number))
        is_wired = any({place, place + 1} == {a.sender, a.receiver} for a in arrows)
        left += width + (GUTTER_WIDTH if is_wired else NARROW_GUTTER_WIDTH)
    faults = find_fault_steps(steps)
    return DiagramLayout(tuple(lanes), arrows, faults, len(steps) - 1, ending, tuple(notes))


def choose_lanes(columns: Sequence[Sequence[Cell]]) -> list[int]:
    """The lanes to draw: all, but of many only those whose nodes do something."""
    if len(columns) <= LANES_MAX:
        return list(range(len(columns)))
    return [number for number, cells in enumerate(columns) if any(c.phrase for c in cells)]


def move_arrows(arrows: Sequence[Arrow], shown: Sequence[int]) -> tuple[Arrow, ...]:
    """The arrows between lanes that are drawn, by the places of these."""
    return tuple(
        evolve(a, sender=shown.index(a.sender), receiver=shown.index(a.receiver))
        for a in arrows
        if a.sender in shown and a.receiver in shown
    )


def measure_notes(notes: Sequence[str]) -> float:
    """The width of the notes, with the room beside them."""
    return max(map(len, notes)) * LETTER_WIDTH + 2 * PADDING if notes else 0.0


def read_lane(steps: Sequence[JudgedStep], number: int) -> tuple[Cell, ...]:
    """What a lane shows, step by step."""
    cells: list[Cell] = []
    before = ""
    for step in steps[1:]:
        assert step.action is not None
        text = fill_lanes(step.cluster, step.action)[number]
        phrase = text.phrase
        for mark in WIRE_MARKS:
            phrase = phrase.replace(mark, "")
        cells.append(Cell(phrase, text.state, text.state != before))
        before = text.state
    return tuple(cells)


def compute_width(title: str, cells: Sequence[Cell]) -> float:
    """How wide a lane is: its longest phrase beside its longest state."""
    longest = max(measure_phrase(cell) + measure_state(cell.state) for cell in cells)
    return max(longest + 2 * PADDING, (len(title) + 2) * LETTER_WIDTH)


def measure_phrase(cell: Cell) -> float:
    """The width of a phrase, with the room behind it."""
    return len(cell.phrase) * LETTER_WIDTH + (PADDING if cell.phrase else 0)


def measure_state(state: str) -> float:
    """The width of a drawn state."""
    log, words = split_state(state)
    room = PADDING if log and words else 0
    return measure_log(log) + room + len(words) * LETTER_WIDTH


def measure_log(log: str) -> float:
    """The width of a log."""
    return len(EMPTY_LOG) * LETTER_WIDTH if log == "[]" else len(log) * CELL_WIDTH


def find_stops(running: Sequence[bool]) -> list[tuple[int, int]]:
    """The stretches of steps after which a node does not run."""
    numbered = list(enumerate(running, start=1))
    stretches = [(up, [n for n, _ in run]) for up, run in groupby(numbered, key=lambda x: x[1])]
    return [(numbers[0], numbers[-1]) for up, numbers in stretches if not up]
