"""What sizes decide in the false acknowledgement of a late join: small files and stock ones."""

from __future__ import annotations

import pytest
from attrs import evolve

from properties.schedules.judgement import ScheduleError, find_first_violation, replay
from properties.worlds.replication.world import ClaimedGroup
from reference.language.machine import Action
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.parameters import Parameters

CLAIM = "acknowledgement_is_truthful"
MIB = 1 << 20
ROLL = 1024 * MIB
"""Where the second file of stock size begins."""

PAIR = ClaimedGroup(Role.SYNC_MASTER, FlushDiskType.ASYNC_FLUSH, 1)
TRIO = ClaimedGroup(Role.SYNC_MASTER, FlushDiskType.ASYNC_FLUSH, 2)
STOCK_SIZES = evolve(Parameters(), limits=PAIR.world.get_fault_model("late join").search_limits)

FILLED = [Action("append_other_message", {"size_bytes": 4 * MIB})] * 255
ROLLED = [
    Action("append_message[0]", {"size_bytes": 1000, "waits_for_store": 1}),
    Action("fill_file"),
]


def join(slave: int) -> list[Action]:
    """A slave without a log connects, and its first report is read."""
    return [
        Action(f"connect_slave[{slave}]"),
        Action(f"report_offset[{slave}]"),
        Action(f"receive_report[{slave}]", {"slave_offset": 0}),
    ]


def answer(slave: int) -> list[Action]:
    """The put looks for a slave, and the one that has joined reports the base of the last file."""
    return [
        Action("answer_disk_wait[0]"),
        Action("request_slave_wait[0]"),
        Action(f"position_at_last_file[{slave}]"),
        Action(f"create_slave_file[{slave}]"),
        Action(f"receive_report[{slave}]", {"slave_offset": ROLL}),
        Action("answer_slave_wait[0]"),
    ]


def test_a_first_slave_is_refused_in_files_of_stock_size() -> None:
    """It is 1020 MiB behind, more than haSlaveFallbehindMax: the put finds no slave."""
    schedule = [*FILLED, *ROLLED, *join(0)]
    refused = [*schedule, Action("answer_disk_wait[0]"), Action("refuse_slave_wait[0]")]
    last = list(replay(PAIR, STOCK_SIZES, refused, (CLAIM,)))[-1]
    assert () == last.violated
    with pytest.raises(ScheduleError, match="is_slave_ok"):
        list(replay(PAIR, STOCK_SIZES, [*schedule, *answer(0)], (CLAIM,)))


def test_a_replacement_acknowledges_in_files_of_stock_size() -> None:
    """A slave was in step and has left; what it reported keeps the put waiting for the new one."""
    sizes = evolve(STOCK_SIZES, ha_transfer_batch_size_bytes=ROLL)
    first = [
        *join(0),
        Action("position_transfer[0]"),
        *FILLED,
        Action("transfer_batch[0]", {"size_bytes": 1020 * MIB}),
        Action("append_to_slave[0]", {"size_bytes": 1020 * MIB}),
        Action("receive_report[0]", {"slave_offset": 1020 * MIB}),
        Action("begin_slave_stop[0]"),
        Action("finish_slave_stop[0]"),
    ]
    schedule = [*first, *ROLLED, *join(1), *answer(1)]
    steps = list(replay(TRIO, sizes, schedule, (CLAIM,)))
    assert len(schedule) == find_first_violation(steps, CLAIM)
