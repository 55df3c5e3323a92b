"""Assumptions about sizes: what brokers of one group have alike, or have enough of."""

from __future__ import annotations

from reference.assumptions.assumption import Assumption, RecordedRun, show_values
from reference.configuration.broker_group import BrokerGroup
from reference.worlds.replication.changes.settings import frame_beyond_slave_file

FILE_SIZE = "mapedFileSizeCommitLog"

DISPATCH_LAG_MAX_BYTES = 64 * 1024 * 1024
"""How far dispatch is taken to be behind at most (inference: half a second of a fast disk, while
``DefaultMessageStore.ReputMessageService#run`` sleeps for 1 ms at 4.4.0)."""


def has_one_file_size(group: BrokerGroup) -> bool:
    """Every slave's log has files of the size of its master's."""
    size = group.master.get_number(FILE_SIZE)
    return all(slave.get_number(FILE_SIZE) == size for slave in group.slaves)


def has_crossing_frames(group: BrokerGroup) -> bool:
    """Some slave's file ends within a file of its master.

    Raises ValueError or TypeError for a size that cannot be read.
    """
    size = group.master.get_number(FILE_SIZE)
    return any(slave.get_number(FILE_SIZE) % size for slave in group.slaves)


FILE_SIZE_DIFFERS = RecordedRun(
    "slave_file_size_differs",
    "4.4.0",
    (
        (0, "the master has files of 16384 bytes, its slave of 8192"),
        (119, "a frame from 5400 on does not fit the slave's file"),
        (128, "the slave closes the connection"),
        (139, "it connects again and asks for 5400 again"),
        (160, "the master ends at 47768"),
        (161, "the slave still ends at 5400"),
    ),
)

ONE_FILE_SIZE = Assumption(
    name="one_file_size",
    is_met=has_one_file_size,
    list_settings=lambda group: show_values(group, FILE_SIZE),
    conditions=(
        "append_to_slave: is_in_step",
        "create_slave_file: is_new_file_needed",
        "restart_slave: is_slave_down",
        "replicate_messages: is_slave_up",
        "replicate_delayed_message: is_pair_connected",
    ),
    is_about_every_step=True,
    change=frame_beyond_slave_file.VARIANT.name,
    has_change=has_crossing_frames,
    without_it="a slave stops for good where a frame crosses the end of its own file; set one size "
    "on all brokers and give the slave a copy of its master's store",
    source="MappedFile#appendMessage(byte[]), CommitLog#appendData, MappedFileQueue"
    "#getLastMappedFile and CommitLog#recoverNormally at 4.4.0.",
    runs=(FILE_SIZE_DIFFERS,),
)


def is_dispatched_before_it_expires(group: BrokerGroup) -> bool:
    """Each broker keeps files for an hour or more, and they hold more than dispatch lags behind."""
    return all(
        broker.get_number("fileReservedTime") >= 1
        and broker.get_number(FILE_SIZE) >= DISPATCH_LAG_MAX_BYTES
        for broker in (group.master, *group.slaves)
    )


DELETED_BY_MASTER = (
    "expire_master_file",
    "expire_uncopied_master_file",
    "delete_young_master_file",
)
DELETED_BY_SLAVE = ("expire_slave_file", "expire_slave_file_first", "delete_young_slave_file")
DISPATCHED_BY_SLAVE = (
    "dispatch_slave",
    "restart_slave",
    "restart_slave_beyond_received",
    "restart_slave_with_stale_bytes",
)

DISPATCHED_BEFORE_IT_EXPIRES = Assumption(
    name="dispatched_before_it_expires",
    is_met=is_dispatched_before_it_expires,
    list_settings=lambda group: show_values(group, "fileReservedTime", FILE_SIZE),
    conditions=(
        *(f"{rule}: is_dispatched" for rule in (*DELETED_BY_MASTER, *DELETED_BY_SLAVE)),
        *(f"{rule}: is_dispatched_on_slave" for rule in DELETED_BY_MASTER),
        *(f"{rule}: is_first_file_shown" for rule in DISPATCHED_BY_SLAVE),
        *(f"{rule}_before_master: is_first_file_shown" for rule in DISPATCHED_BY_SLAVE),
        "dispatch_slave_in_vain: is_first_file_shown",
    ),
    without_it="retention can delete messages before consumers can see them",
    source="DefaultMessageStore.ReputMessageService#doReput and MappedFileQueue"
    "#deleteExpiredFileByTime at 4.4.0 (inference: the lag was not measured).",
)
