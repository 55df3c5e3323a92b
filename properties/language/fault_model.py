"""Fault models: the faults that may happen, and how often in a search."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import field, frozen

from reference.language.machine import RecordedInstance
from reference.language.parameters import BaseFaults

FAULT_PREFIX = "faults."
"""The prefix of the leaves that count faults."""

SEARCHED = 2
"""How often each admitted fault may happen in a search, by default."""


@frozen
class FaultModel:
    """Faults that may happen together."""

    name: str
    """The fault model's name, and its key in JSON."""
    admitted: tuple[str, ...]
    """Names of the faults that may happen. In a proof any number of times, except losses of the
    master's bytes, which the log epochs (``lives``) of a structure limit."""

    counts: type[BaseFaults] = field(repr=False, eq=False)
    """The class that counts the faults of its world."""
    times: int = field(default=SEARCHED, repr=False)
    """How often each of them may happen in a search."""

    @property
    def search_limits(self) -> BaseFaults:
        """The fault limits of a search."""
        return self.counts(**dict.fromkeys(self.admitted, self.times))

    def is_contained_in(self, other: FaultModel) -> bool:
        """Everything that can happen here can happen there."""
        return set(self.admitted) <= set(other.admitted)


def unite(models: Iterable[FaultModel]) -> FaultModel:
    """The fault model in which all faults of these models may happen. There is at least one."""
    every = tuple(models)
    admitted = dict.fromkeys(fault for model in every for fault in model.admitted)
    more = f" and {len(every) - 1} more" if every[1:] else ""
    times = max(model.times for model in every)
    return FaultModel(f"{every[0].name}{more}", tuple(admitted), every[0].counts, times)


def get_fault_count_name(recorded: RecordedInstance) -> str | None:
    """The fault limit that an instance counts against, or None if it is no fault."""
    counted = (path for path in recorded.effects if path.startswith(FAULT_PREFIX))
    return next((path.removeprefix(FAULT_PREFIX) for path in counted), None)


def is_admitted(recorded: RecordedInstance, fault_model: FaultModel) -> bool:
    """The instance may fire at all under this fault model."""
    name = get_fault_count_name(recorded)
    return name is None or name in fault_model.admitted
