"""The rules that would help most directly where a search has stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from reference.language.compiled import CompiledMachine
from reference.language.dependencies import compute_dependencies
from reference.recordings.hidden.timeline import Stuck

Missing: TypeAlias = tuple[str, tuple[str, ...]]
"""A rule instance, and its conditions that fail."""


def find_nearest_rule(machine: CompiledMachine, stuck: Stuck) -> Missing:
    """The instance that would help most directly, and its conditions that fail; empty: none."""
    return next(iter(list_nearest(machine, stuck)), ("", ()))


def list_nearest(
    machine: CompiledMachine, stuck: Stuck, may: Callable[[str], bool] = lambda _: True
) -> list[Missing]:
    """The instances that write what is not met, those first that would help most directly.

    Those that the recording lets happen go before those that it does not, and those that fail for
    another reason than the value that is not met before those that have had their turn.
    """
    dependencies, instances = compute_dependencies(machine.structure), machine.instances
    wanted = [name for goal in stuck.unmet for name in goal.instances]
    unmet = frozenset().union(*(goal.leaves for goal in stuck.unmet))
    near = [*wanted, *(n for leaf in sorted(unmet) for n in dependencies.writers.get(leaf, ()))]
    state = stuck.nearest.state
    told = [(name, tuple(instances[name].list_failed(state))) for name in dict.fromkeys(near)]

    def rank(each: Missing) -> tuple[bool, bool, bool, int]:
        name, failed = each
        needs = dependencies.needs[name]
        is_over = any(unmet & needs.get(condition, frozenset()) for condition in failed)
        return not failed, not may(name), is_over, len(failed)

    return sorted(told, key=rank)
