"""The sizes in which a master/slave group is searched."""

from __future__ import annotations

from attrs import evolve

from properties.world import make_sizes
from reference.worlds.replication.parameters import SMALL_PARAMETERS, Parameters

SMALL_LOG = evolve(SMALL_PARAMETERS, mapped_file_size_bytes=16, ghost_log_size_max_bytes=96)

FOUR_FILES: Parameters = evolve(SMALL_PARAMETERS, ghost_log_size_max_bytes=16)
"""One file more than for the tables, for what a hole in the middle takes."""


def list_swarm_sizes() -> tuple[Parameters, ...]:
    """Batches of a byte, around a message, of a file; any fall-behind limit, also none."""
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
