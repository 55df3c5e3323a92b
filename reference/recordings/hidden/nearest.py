"""The rule that would help most directly where a search has stopped."""

from __future__ import annotations

from collections.abc import Callable

from reference.language.compiled import CompiledMachine
from reference.language.dependencies import compute_dependencies
from reference.recordings.hidden.timeline import Stuck


def find_nearest_rule(
    machine: CompiledMachine, stuck: Stuck, may: Callable[[str], bool] = lambda _: True
) -> tuple[str, tuple[str, ...]]:
    """The instance that would help most directly, and its conditions that fail; empty: none.

    Those that the recording lets happen go before those that it does not.
    """
    writers, instances = compute_dependencies(machine.structure).writers, machine.instances
    wanted = [name for goal in stuck.unmet for name in goal.instances]
    leaves = sorted(frozenset().union(*(goal.leaves for goal in stuck.unmet)))
    near = [*wanted, *(name for leaf in leaves for name in writers.get(leaf, ()))]
    told = [(name, instances[name].list_failed(stuck.nearest.state)) for name in near]
    return min(
        told, key=lambda each: (not each[1], not may(each[0]), len(each[1])), default=("", ())
    )
