"""One planted mistake, walked by every engine in this process: see ``detection``."""

from __future__ import annotations

import json
import random
import sys
from typing import Any

from attrs import asdict, frozen

from properties.judges.planted import plant
from spark_fuzz.judges.detection import find_rule

STEPS = 64
"""The length of a walk."""
SCHEDULES = 50_000
"""The number of the kernel's random schedules."""
STATES_MAX = 400_000
"""The states that the exhaustive search may meet for one claim."""


@frozen
class Task:
    """What is walked, and which claims are asserted."""

    structure: Any
    fault: str
    claims: tuple[str, ...]
    examples: int


def make_task(asked: dict[str, Any]) -> Task:
    """Plant the mistake, then import what it is made in."""
    rule = find_rule(asked["name"])
    plant(rule.planted)
    from properties.worlds.catalogue import STRUCTURES  # noqa: PLC0415

    structure = STRUCTURES[rule.structure]
    return Task(structure, rule.fault, tuple(asked["claims"]), asked["examples"])


def walk_with_machine(task: Task, seed: int | None = None) -> dict[str, Any] | None:
    """The first violating example of Hypothesis' machine, its step, and what shrinking makes of it.

    With a seed nothing is shrunk.
    """
    from properties.walks.drawn_walks import find_first_violation  # noqa: PLC0415

    claims = {name: task.structure.world.claims[name] for name in task.claims}
    found = find_first_violation(task.structure, task.fault, claims, (task.examples, STEPS), seed)
    return None if found is None else asdict(found)


def walk_plainly(task: Task, *, is_weighted: bool) -> dict[str, int] | None:
    """Walks without Hypothesis in a campaign's sizes: how many violate a claim, and the first."""
    from properties.walks.compiled_predicates import CompiledPredicates  # noqa: PLC0415
    from properties.walks.flat_walk import FlatWalk  # noqa: PLC0415
    from properties.walks.hypothesis_machine import list_sizes  # noqa: PLC0415

    world, chance = task.structure.world, random.Random(1)
    claims = CompiledPredicates(task.structure, {n: world.claims[n].predicate for n in task.claims})
    parameters = list_sizes(task.structure, task.fault)[0]
    found: dict[str, int] | None = None
    for example in range(1, task.examples + 1):
        walk = FlatWalk.begin(task.structure, parameters)
        for step in range(1, STEPS + 1):
            names = [name for name, ranges in walk.enabled.items() if ranges is not None]
            if not names:
                break
            instances = walk.machine.instances
            weights = [instances[n].recorded.instance.rule.weight for n in names]
            (name,) = chance.choices(names, weights if is_weighted else None)
            walk.take_evenly(name, chance)
            if claims.find_false(walk.state, claims.touched[name]):
                found = found or {"example": example, "step": step, "violating": 0}
                found["violating"] += 1
                break
    return found


def walk_with_kernel(task: Task) -> dict[str, float] | None:
    """The share of the kernel's schedules that violate a claim, and the earliest step."""
    from spark_fuzz.campaign.schedule import CampaignOptions  # noqa: PLC0415
    from spark_fuzz.kernel.kernel import compile_kernel  # noqa: PLC0415

    structure, world = task.structure, task.structure.world
    limits = world.get_fault_model(task.fault).search_limits
    kernel = compile_kernel(structure)
    begin = structure.make_initial(world.sizes.campaign.limit(limits))
    rows = kernel.run(CampaignOptions(structure, limits), 0, SCHEDULES, begin=begin).violations
    asserted = [i for i, name in enumerate(kernel.layout.guarantees) if name in task.claims]
    steps = rows[:, asserted]
    hit = (steps >= 0).any(axis=1)
    if not hit.any():
        return None
    return {"share": float(hit.mean()), "step": int(steps[steps >= 0].min())}


def search_shortest(task: Task) -> int | None:
    """The steps of the shortest violation in the sizes of a search; None if none is found."""
    from spark_fuzz.search.breadth_first import BreadthFirstSearch  # noqa: PLC0415
    from spark_fuzz.search.packing import FieldOverflowError  # noqa: PLC0415

    fault_model = task.structure.world.get_fault_model(task.fault)
    lengths = []
    for name in task.structure.world.guarantees.keys() & set(task.claims):
        search = BreadthFirstSearch(task.structure, fault_model, guarantees=(name,))
        try:
            (answer,) = search.search(STATES_MAX).answers
        except FieldOverflowError:
            continue
        lengths += [] if answer.schedule is None else [len(answer.schedule)]
    return min(lengths, default=None)


def main(asked: dict[str, Any]) -> dict[str, Any]:
    """One row of the table."""
    task = make_task(asked)
    seeded = [walk_with_machine(task, seed) for seed in range(1, asked["seeds"] + 1)]
    return {
        "name": asked["name"],
        "machine": walk_with_machine(task),
        "weighted": walk_plainly(task, is_weighted=True),
        "even": walk_plainly(task, is_weighted=False),
        "kernel": walk_with_kernel(task),
        "shortest": search_shortest(task),
        "seeds": [each and each["example"] for each in seeded],
    }


if __name__ == "__main__":
    print(json.dumps(main(json.loads(sys.argv[1]))))
