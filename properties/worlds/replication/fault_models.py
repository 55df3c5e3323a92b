"""How a group is searched: which faults may happen together, and the sizes."""

from __future__ import annotations

import attrs
from attrs import evolve

from properties.language.fault_model import FaultModel
from properties.language.world import make_sizes
from reference.worlds.replication.parameters import SMALL_PARAMETERS, FaultCounts, Parameters

LOSSES = ("master_power_losses", "master_disk_losses", "swallowed_disk_errors")
"""The faults after which the master, or a disk, lacks bytes that it had."""


def _make(name: str, admitted: tuple[str, ...]) -> FaultModel:
    return FaultModel(name, admitted, FaultCounts)


def is_losing(fault_model: FaultModel) -> bool:
    """The master may lose bytes that it holds, or a disk may fail to take them."""
    return any(name in fault_model.admitted for name in LOSSES)


EVERYTHING = _make("everything", tuple(attrs.fields_dict(FaultCounts)))
"""All faults and environment events together; witnesses are searched under this model."""

EVERY_FAULT = _make(
    "every fault", tuple(name for name in EVERYTHING.admitted if name != "role_switches")
)
"""Every fault and environment event of a group whose configuration does not change."""

FAULT_MODELS = (
    _make("none", ()),
    _make("late join", ("late_joins",)),
    _make("slave outrun by retention", ("uncopied_expiries",)),
    _make("nearly full disk", ("forced_deletions",)),
    _make("link cut", ("link_cuts",)),
    _make("slave without a new file", ("failed_file_creations",)),
    _make("overlong wait", ("overlong_waits",)),
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
"""Every fault model, weaker ones before those that contain them."""

FAULT_MODEL_BY_NAME = {c.name: c for c in FAULT_MODELS}


SMALL_LOG = evolve(SMALL_PARAMETERS, mapped_file_size_bytes=16, ghost_log_size_max_bytes=96)

FOUR_FILES: Parameters = evolve(SMALL_PARAMETERS, ghost_log_size_max_bytes=16)
"""One file more than for the tables: a hole in the middle needs it."""


def list_swarm_sizes() -> tuple[Parameters, ...]:
    """Batches of one byte, about a message, and a file; any fall-behind limit, also none."""
    shapes = (
        # file, message, batch, fall-behind limit
        (16, 5, 4, 6),
        (16, 5, 1, 6),
        (16, 5, 5, 0),
        (16, 5, 16, 1),
        (16, 15, 4, 96),
        (4, 3, 4, 3),
        (4, 3, 3, 4),
        (4, 1, 1, 1),
        (8, 7, 8, 8),
        (8, 7, 2, -1),
        (32, 5, 4, 96),
        (32, 31, 32, 31),
    )
    return tuple(
        evolve(
            SMALL_LOG,
            mapped_file_size_bytes=file,
            message_size_max_bytes=message,
            ha_transfer_batch_size_bytes=batch,
            ha_slave_fallbehind_max_bytes=limit,
        )
        for file, message, batch, limit in shapes
    )


SIZES = make_sizes(
    SMALL_PARAMETERS,
    fault_sets=FOUR_FILES,
    campaign=evolve(SMALL_LOG, message_size_max_bytes=5, ha_slave_fallbehind_max_bytes=6),
    swarm=list_swarm_sizes(),
)
"""Files of a few bytes, and logs of a few files."""
