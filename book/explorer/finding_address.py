"""The explorer address of a schedule that was found, with its sizes and limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

import attrs

from book.explorer.deployments import list_deployments, name_structure
from book.explorer.schedules import encode_schedule
from properties.exports.javascript import encode_sizes
from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import JudgedStep

KEPT = "/:;,=!'()*~"
"""Signs that stay as they are in addresses; scripts of the page do the same."""


def write_address(steps: Sequence[JudgedStep]) -> str | None:
    """The part behind ``#`` for a replayed schedule; None if the explorer lacks its group.

    The fault model is the weakest one that admits its faults. Only what the explorer would take
    otherwise is named: sizes that are not the small ones, and faults that struck more often.
    """
    last = steps[-1].cluster
    key = name_structure(last.structure)
    if key not in {deployment.key for deployment in list_deployments()}:
        return None
    struck = {name: n for name, n in attrs.asdict(last.faults).items() if n}
    column = find_weakest_column(last.structure, struck)
    schedule = encode_schedule(step.action for step in steps if step.action is not None)
    entries = [
        ("structure", key),
        ("faults", column.name),
        *((f"size.{name}", value) for name, value in list_other_sizes(last)),
        *((f"size.limits.{n}", str(times)) for n, times in struck.items() if times > column.times),
        ("schedule", schedule),
        ("at", "0"),
    ]
    return "&".join(f"{name}={quote(value, safe=KEPT)}" for name, value in entries)


def find_weakest_column(structure: ClaimedStructure, struck: dict[str, int]) -> FaultModel:
    """The first fault model, in their order, that admits these faults."""
    world = structure.world
    admitting = (c for c in world.fault_models if set(struck) <= set(c.admitted))
    return next(admitting, world.everything)


def list_other_sizes(state: Any) -> Iterator[tuple[str, str]]:
    """The sizes of a state that are not the small ones of a search."""
    small = encode_sizes(state.structure.world.sizes.search)
    for name, value in encode_sizes(state.parameters).items():
        if value != small[name]:
            yield name, str(value)
