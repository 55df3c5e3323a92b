"""A machine that has what an administrator does by hand beside what brokers do.

No verdict of the tables admits such steps. The procedures of ``spec/operators.md`` are run in it; a
proof shows that copying the master's store keeps everything that the verdicts rest on.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from properties.worlds import find_world
from reference.language.machine import Instance, Machine


class OperatedMachine(Machine):
    """The rules of a structure, and what is done by hand."""

    def __init__(self, structure: Any) -> None:
        super().__init__(structure)
        sizes = structure.index_counts
        for each in find_world(structure).manual_rules.values():
            numbers = [(n,) for n in range(sizes[each.indexes[0]])] if each.indexes else [()]
            for instance in (Instance(each, number) for number in numbers):
                self.instances[instance.name] = instance


@cache
def compute_operated_machine(structure: Any) -> OperatedMachine:
    """The machine of a structure with what is done by hand, made once."""
    return OperatedMachine(structure)
