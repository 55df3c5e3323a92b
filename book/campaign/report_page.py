"""The report of a campaign: one file that needs nothing else, for a browser or a phone.

Its coverage curve shows how much was met after how many schedules. Lengths are in pixels of the
drawing; schedules are on a logarithmic axis, because most of what a campaign meets it meets early.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from book.diagram.svg import draw_schedule
from book.explorer.finding_address import write_address
from properties.schedules.telling import Sentence, tell
from spark_fuzz.report.class_files import ViolationClass

WIDTH, HEIGHT = 340, 190
LEFT, RIGHT, TOP, BOTTOM = 46, 330, 14, 160
"""Where the axes begin and end."""


@frozen
class Tick:
    """A line across the drawing, and the number beside it."""

    at: float
    label: str


@frozen
class Curve:
    """Everything that is drawn."""

    points: tuple[tuple[float, float], ...]
    schedules: tuple[Tick, ...]
    """Powers of ten."""
    met: tuple[Tick, ...]
    """None, half, and the most."""

    @property
    def path(self) -> str:
        """The points as SVG takes them."""
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.points)


def format_decade(exponent: int) -> str:
    """A power of ten in few letters: 1, 10, 100, 1k, up to 100G."""
    thousands, rest = divmod(exponent, 3)
    return f"{10**rest}{('', 'k', 'M', 'G', 'T')[thousands]}"


def draw_curve(measured: Sequence[Sequence[int]]) -> Curve:
    """The drawing of pairs (schedules, met), in order; schedules are at least 1."""
    last = max(schedules for schedules, _ in measured)
    most = max(1, *(met for _, met in measured))
    decades = range(math.floor(math.log10(last)) + 1)

    def place(schedules: int) -> float:
        share = math.log10(schedules) / math.log10(last) if last > 1 else 1.0
        return LEFT + (RIGHT - LEFT) * share

    def raise_by(met: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * met / most

    points = tuple((place(schedules), raise_by(met)) for schedules, met in measured)
    ticks = tuple(Tick(place(10**n), format_decade(n)) for n in decades)
    levels = tuple(Tick(raise_by(met), f"{met:,}") for met in sorted({0, most // 2, most}))
    return Curve(points, ticks, levels)


TEMPLATE = "report.html.j2"
TEMPLATES = Path(__file__).parent / "templates"
CLASSES_DRAWN_PER_GUARANTEE = 8
"""The shortest ones are described and drawn; the others have a line each."""


@frozen
class ToldClass:
    """A class with its sentences and its drawing."""

    violation: ViolationClass
    sentences: Sequence[Sentence]
    drawing: str
    """An SVG file in base64."""
    address: str | None
    """The part behind ``#`` of the explorer address; None if that lacks the structure."""


@frozen
class ClassGroup:
    """The classes in which one guarantee is violated, the shortest first."""

    guarantee: str
    told: Sequence[ToldClass]
    others: Sequence[ViolationClass]


def render_report(summary: Mapping[str, Any], classes: Sequence[ViolationClass] | None) -> str:
    """The page of a summary, and of the classes of violations if they were requested."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["share"] = format_share
    coverage = summary["coverage"]
    return environment.get_template(TEMPLATE).render(
        summary=summary,
        violated=[g for g in summary["guarantees"] if g["schedules"]],
        groups=None if classes is None else group_classes(summary, classes),
        coverage=coverage,
        curves=draw_curves(coverage["kinds"]) if coverage else {},
    )


def group_classes(
    summary: Mapping[str, Any], classes: Sequence[ViolationClass]
) -> list[ClassGroup]:
    """Classes by guarantee, in the order of the summary."""
    groups = []
    for name in (g["guarantee"] for g in summary["guarantees"]):
        own = [each for each in classes if each.guarantee == name]
        if own:
            told = [tell_class(each) for each in own[:CLASSES_DRAWN_PER_GUARANTEE]]
            groups.append(ClassGroup(name, told, own[CLASSES_DRAWN_PER_GUARANTEE:]))
    return groups


def tell_class(each: ViolationClass) -> ToldClass:
    """A class, described and drawn."""
    steps, found = each.steps, each.continuations
    notes = [format_share(violating, found.drawn) for violating in found.violating[1:]]
    drawing = draw_schedule(steps, each.rules, f"{each.guarantee} does not hold", notes)
    encoded = base64.b64encode(drawing.encode()).decode()
    return ToldClass(each, tell(each.guarantee, steps), encoded, write_address(steps))


def draw_curves(kinds: Sequence[Mapping[str, Any]]) -> dict[str, Curve]:
    """The curve of each kind of coverage, by its name."""
    return {kind["kind"]: draw_curve(kind["curve"]) for kind in kinds if kind["curve"]}


def format_share(part: int, whole: int) -> str:
    """A part of a whole in per cent, with as many digits as say something."""
    percent = 100 * part / whole if whole else 0.0
    if 0 < percent < 0.001:
        return "< 0.001 %"
    digits = 0 if percent in (0.0, 100.0) else 1 if percent >= 10 else 2 if percent >= 0.1 else 3
    return f"{percent:.{digits}f} %"
