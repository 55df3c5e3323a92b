"""Judged steps a second of processor time: the kernel's and the reference's, in this process.

As a script it measures the tree that PYTHONPATH names, another commit's perhaps; so it asks for
nothing that commits back to dea5f43 do not have, and imports nothing beside the standard library
before it has looked whose code it would get.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

KERNEL_SCHEDULES = 20_000
REFERENCE_SCHEDULES = 10
SLICES = 4
"""How often a process measures each engine; its fastest slice counts."""


def make_engines(given: Mapping[str, Any]) -> dict[str, Callable[[], int]]:
    """What to call for one slice of each engine: the same schedules each time, steps in return.

    ``given``: ``slaves`` of the structure, and options of a campaign by name. The kernel is
    compiled here.
    """
    from attrs import evolve  # noqa: PLC0415

    compile_kernel, options_class, replay_schedule = find_engines()
    others = {name: value for name, value in given.items() if name != "slaves"}
    structure = evolve(options_class().structure, slaves=given["slaves"])
    options = options_class(structure, **others)
    kernel = compile_kernel(options.structure)

    def run_kernel() -> int:
        batch = kernel.run(options, 0, KERNEL_SCHEDULES)
        return int(batch.steps.sum() + batch.healing_steps.sum())

    def run_reference() -> int:
        return sum(len(replay_schedule(options, n)) - 1 for n in range(REFERENCE_SCHEDULES))

    kernel.run(options, 0, 100)
    replay_schedule(options, 0)
    return {"kernel": run_kernel, "reference": run_reference}


PLACES = (
    (
        "spark_fuzz.kernel.kernel",
        "spark_fuzz.campaign.schedule",
        "spark_fuzz.campaign.schedule_replay",
    ),
    (
        "spark_fuzz.kernel",
        "spark_fuzz.schedule",
        "spark_fuzz.schedule_replay",
    ),
)
"""The modules that are measured: where they are now, and where they were before 0.2.0."""
NAMES = ("compile_kernel", "CampaignOptions", "replay_schedule")


def find_engines() -> list[Any]:
    """What NAMES stand for in the tree that is measured. Raises ImportError."""
    # An installed copy answers for modules that the measured tree lacks; its folders do not.
    room = importlib.util.find_spec("reference")
    is_moved = room is not None and (Path(str(room.origin)).parent / "worlds").is_dir()
    modules = PLACES[0] if is_moved else PLACES[1]
    return [getattr(importlib.import_module(m), n) for m, n in zip(modules, NAMES, strict=True)]


def measure_rate(work: Callable[[], int]) -> float:
    """What a call counts, by the seconds of processor time that it takes."""
    started = time.process_time()
    count = work()
    return count / (time.process_time() - started)


def main() -> None:
    """``probe.py TREE OPTIONS``: the rates of a tree's engines, as JSON."""
    tree, given = Path(sys.argv[1]), json.loads(sys.argv[2])
    found = importlib.util.find_spec("reference")
    if found is None or found.origin is None or tree not in Path(found.origin).parents:
        sys.exit(f"the code of {tree} is hidden by {found and found.origin}")
    engines = make_engines(given)
    rates = {name: max(measure_rate(work) for _ in range(SLICES)) for name, work in engines.items()}
    print(json.dumps(rates))


if __name__ == "__main__":
    main()
