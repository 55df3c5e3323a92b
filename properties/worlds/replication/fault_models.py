"""The columns of replication: which faults may strike a master/slave group together."""

from __future__ import annotations

import attrs

from properties.fault_model import FaultModel
from reference.worlds.replication.parameters import FaultCounts

LOSSES = ("master_power_losses", "master_disk_losses", "swallowed_disk_errors")
"""The faults after which the master, or a disk, does not have what it had."""


def _make(name: str, admitted: tuple[str, ...]) -> FaultModel:
    return FaultModel(name, admitted, FaultCounts)


def is_losing(column: FaultModel) -> bool:
    """The master may lose bytes that it holds, or a disk may fail to take them."""
    return any(name in column.admitted for name in LOSSES)


EVERYTHING = _make("everything", tuple(attrs.fields_dict(FaultCounts)))
"""All faults and circumstances together: under it witnesses are sought."""

EVERY_FAULT = _make(
    "every fault", tuple(name for name in EVERYTHING.admitted if name != "role_switches")
)
"""All that may befall a group whose configuration nobody changes."""

FAULT_MODELS = (
    _make("none", ()),
    _make("late join", ("late_joins",)),
    _make("slave outrun by retention", ("uncopied_expiries",)),
    _make("link cut", ("link_cuts",)),
    _make("slave kill", ("slave_kills",)),
    _make("slave power loss", ("slave_power_losses",)),
    _make("slave wiped", ("slave_wipes", "late_joins")),
    _make("master kill", ("master_kills",)),
    _make("master kill in a roll", ("master_kills", "torn_rolls")),
    _make("master power loss", ("master_power_losses",)),
    _make("power loss of both", ("master_power_losses", "slave_power_losses")),
    _make("master disk loss", ("master_disk_losses",)),
    _make("master power and disk loss", ("master_power_losses", "master_disk_losses")),
    _make("disk errors", ("swallowed_disk_errors",)),
    _make(
        "disk errors and power losses",
        ("swallowed_disk_errors", "master_power_losses", "slave_power_losses"),
    ),
    EVERY_FAULT,
)
"""Every column, weaker classes before the classes that contain them."""

FAULT_MODEL_BY_NAME = {c.name: c for c in FAULT_MODELS}
