"""The columns of the guarantee table: which faults may strike, and how often in a search."""

from __future__ import annotations

from typing import Any

import attrs
from attrs import field, frozen

from reference.machine import RecordedInstance
from reference.structure import FaultCounts

LOSSES = ("master_power_losses", "master_disk_losses", "swallowed_disk_errors")
"""The faults after which the master, or a disk, does not have what it had."""

FAULT_PREFIX = "faults."
"""Where the leaves lie that count faults."""

SEARCHED = 2
"""How often each admitted fault may strike in a search, unless something else is said."""


@frozen
class FaultClass:
    """Faults that may strike together."""

    name: str
    """Its column's heading and its key in JSON."""
    admitted: tuple[str, ...]
    """Field names of FaultCounts: what may strike. In a proof as often as it likes, but for the
    losses of the master's bytes, which the lives of a structure limit."""

    counts: Any = field(default=FaultCounts, repr=False, eq=False)
    """The class that counts the faults of its world."""
    times: int = field(default=SEARCHED, repr=False)
    """How often each of them may strike in a search."""

    @property
    def is_losing(self) -> bool:
        """The master may lose bytes that it holds, or a disk may fail to take them."""
        return any(name in self.admitted for name in LOSSES)

    @property
    def search_limits(self) -> Any:
        """The limits under which schedules are searched."""
        return self.counts(**dict.fromkeys(self.admitted, self.times))

    def is_contained_in(self, other: FaultClass) -> bool:
        """Whatever can happen here can happen there."""
        return set(self.admitted) <= set(other.admitted)


EVERYTHING = FaultClass("everything", tuple(attrs.fields_dict(FaultCounts)))
"""All faults and circumstances together: under it witnesses are sought."""

EVERY_FAULT = FaultClass(
    "every fault", tuple(name for name in EVERYTHING.admitted if name != "role_switches")
)
"""All that may befall a group whose configuration nobody changes."""

FAULT_CLASSES = (
    FaultClass("none", ()),
    FaultClass("late join", ("late_joins",)),
    FaultClass("slave outrun by retention", ("uncopied_expiries",)),
    FaultClass("link cut", ("link_cuts",)),
    FaultClass("slave kill", ("slave_kills",)),
    FaultClass("slave power loss", ("slave_power_losses",)),
    FaultClass("slave wiped", ("slave_wipes", "late_joins")),
    FaultClass("master kill", ("master_kills",)),
    FaultClass("master kill in a roll", ("master_kills", "torn_rolls")),
    FaultClass("master power loss", ("master_power_losses",)),
    FaultClass("power loss of both", ("master_power_losses", "slave_power_losses")),
    FaultClass("master disk loss", ("master_disk_losses",)),
    FaultClass("master power and disk loss", ("master_power_losses", "master_disk_losses")),
    FaultClass("disk errors", ("swallowed_disk_errors",)),
    FaultClass(
        "disk errors and power losses",
        ("swallowed_disk_errors", "master_power_losses", "slave_power_losses"),
    ),
    EVERY_FAULT,
)
"""Every column, weaker classes before the classes that contain them."""

FAULT_CLASS_BY_NAME = {c.name: c for c in FAULT_CLASSES}


def get_fault_count_name(recorded: RecordedInstance) -> str | None:
    """The fault limit that an instance counts against, or None where it is no fault."""
    counted = (path for path in recorded.effects if path.startswith(FAULT_PREFIX))
    return next((path.removeprefix(FAULT_PREFIX) for path in counted), None)


def is_admitted(recorded: RecordedInstance, fault_class: FaultClass) -> bool:
    """The instance may fire at all under this fault class."""
    name = get_fault_count_name(recorded)
    return name is None or name in fault_class.admitted
