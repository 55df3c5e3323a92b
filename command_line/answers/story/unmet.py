"""Why a proof does not count for a group: the assumption that it needs, and what was seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from command_line.output.width import get_prose_width, wrap
from properties.verdicts.verdict import Verdict
from reference.assumptions.register import ASSUMPTIONS


def tell_unmet(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """The lines about each assumption that leaves verdicts open, with its recorded runs."""
    found = {v.assumption: v.note for v in verdicts if v.assumption}
    for name, note in found.items():
        assumption, width = ASSUMPTIONS[name], get_prose_width()
        yield from wrap(f"Its proof needs {name}, which this group does not meet.", width, "", "  ")
        yield from wrap(f"Because of {note}.", width, "  ", "  ")
        yield from wrap(f"Source: {assumption.source}", width, "  ", "    ")
        for run in assumption.runs:
            yield f"  Recorded on RocketMQ {run.release} ({run.name}):"
            for number, what in run.moments:
                yield from wrap(f"seq {number:<4} {what}", width, "    ", " " * 13)
