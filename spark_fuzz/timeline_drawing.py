"""A violating schedule as a drawing: what stands where. The page's template turns it into SVG.

The texts are those of the timeline on the terminal (``reference.timeline``), so every world draws
its own lanes. Lengths are in pixels of the drawing; its letters all have one width.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import field, frozen

from properties.judgement import JudgedStep
from properties.sentences import find_fault_steps
from reference.drawing import fill_lanes, list_lanes
from reference.world import LaneText
from spark_fuzz.continuations import Continuations

LETTER_WIDTH = 6.7
ROW_HEIGHT = 21
HEAD_HEIGHT = 30
GUTTER_WIDTH = 124
"""Left of the lanes: the number of a step, and the share of continuations that violate."""
BAR_LEFT = 34
BAR_WIDTH = 34
LANE_GAP = 22


@frozen
class Lane:
    """A node's column."""

    title: str
    left: float
    width: float
    """Without the gap to the next one."""


@frozen
class Text:
    """Words in a lane."""

    left: float
    words: str
    is_phrase: bool
    """What happens, as opposed to the state that a node is in."""


@frozen
class Row:
    """A step."""

    number: int
    top: float
    texts: tuple[Text, ...]
    marks: tuple[float, ...]
    """Where the lines of the lanes are in which something happens."""
    is_fault: bool
    share: float
    """Of the continuations after it that violate the guarantee, 0 to 1."""


@frozen
class Band:
    """A line of words across all lanes: inevitable, violated."""

    top: float
    words: str
    kind: str


@frozen
class Drawing:
    """Everything that is drawn."""

    lanes: tuple[Lane, ...]
    rows: tuple[Row, ...] = field(factory=tuple)
    bands: tuple[Band, ...] = field(factory=tuple)

    @property
    def width(self) -> float:
        """Of the whole."""
        last = self.lanes[-1]
        longest = max((len(band.words) for band in self.bands), default=0)
        return max(last.left + last.width, (longest + 4) * LETTER_WIDTH) + LANE_GAP / 2

    @property
    def height(self) -> float:
        """Of the whole."""
        below = [r.top for r in self.rows] + [b.top for b in self.bands]
        return max(below, default=0) + ROW_HEIGHT + 4


def draw(guarantee: str, steps: Sequence[JudgedStep], continuations: Continuations) -> Drawing:
    """The drawing of a replayed schedule whose last step violates the guarantee."""
    filled = [fill_lanes(s.cluster, s.action) for s in steps if s.action is not None]
    lanes, faults = place_lanes(steps[0], filled), find_fault_steps(steps)
    inevitable = continuations.inevitable_step
    rows = tuple(
        Row(
            number=step.index,
            # The band that tells of inevitability takes a line of its own, above later steps.
            top=compute_top(step.index - 1 + (step.index > inevitable)),
            texts=tuple(text for own in pieces for text in own),
            marks=tuple(x.left for x, own in zip(lanes, pieces, strict=True) if has_phrase(own)),
            is_fault=step.index in faults,
            share=continuations.violating[step.index] / continuations.drawn,
        )
        for step, texts in zip(steps[1:], filled, strict=True)
        for pieces in [place_row(texts, lanes)]
    )
    bands = (
        Band(compute_top(inevitable), str(continuations), "inevitable"),
        Band(compute_top(len(steps)), f"{guarantee} does not hold", "violated"),
    )
    return Drawing(lanes, rows, bands)


def compute_top(line: int) -> float:
    """Where a line below the titles begins, counted from 0."""
    return HEAD_HEIGHT + float(ROW_HEIGHT) * line


def place_row(texts: Sequence[LaneText], lanes: Sequence[Lane]) -> list[tuple[Text, ...]]:
    """The words of a step in each lane."""
    return [tuple(place_texts(text, lane)) for text, lane in zip(texts, lanes, strict=True)]


def has_phrase(texts: Sequence[Text]) -> bool:
    """Something happens in this lane."""
    return any(text.is_phrase for text in texts)


def place_lanes(begin: JudgedStep, filled: Sequence[Sequence[LaneText]]) -> tuple[Lane, ...]:
    """The lanes side by side, each as wide as its longest text without the room to spare."""
    lanes, left = [], float(GUTTER_WIDTH)
    for index, (title, _) in enumerate(list_lanes(begin.cluster)):
        lengths = [measure(texts[index]) for texts in filled]
        width = max([len(title), *lengths]) * LETTER_WIDTH + LANE_GAP / 2
        lanes.append(Lane(title, left, width))
        left += width + LANE_GAP
    return tuple(lanes)


def measure(text: LaneText) -> int:
    """How many letters a lane's text takes when two blanks part phrase and state."""
    return len("  ".join(part for part in (text.phrase, text.state) if part))


def place_texts(text: LaneText, lane: Lane) -> Iterator[Text]:
    """The phrase at the left of its lane, the state at the right."""
    if text.phrase:
        yield Text(lane.left + LANE_GAP / 2, text.phrase, True)
    if text.state:
        yield Text(lane.left + lane.width - len(text.state) * LETTER_WIDTH, text.state, False)
