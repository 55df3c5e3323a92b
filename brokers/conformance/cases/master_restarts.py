"""What a master knows that was killed and has started again on its store."""

from __future__ import annotations

from brokers.conformance.acts import (
    CatchUp,
    Heal,
    Kill,
    Put,
    Restart,
    Stall,
    Start,
    Wait,
)
from brokers.conformance.case import SLAVE_JOINS, SMALL_FILES, Case, master_case

RESTART = "lifecycle.md#restart_master"
HIGHEST = "implementers.md#4-the-highest-report-is-one-number-and-never-goes-down"
FAR = "implementers.md#9-too-far-behind-begins-at-equality"
REFUSE = "put.md#refuse_slave_wait"
POSITION = "replication.md#position_transfer"
ZERO = "implementers.md#5-a-request-for-0-means-the-last-file"

ALONE = (Wait(300), Kill("slave1"), Wait(300), Restart(), Wait(300))
"""Nobody is connected, and nothing is on its way."""
LIMIT = {"haSlaveFallbehindMax": (3000, 3000)}

CASES: tuple[Case, ...] = (
    master_case(
        "a master that starts again knows of no report",
        (RESTART, HIGHEST, FAR, REFUSE),
        *SLAVE_JOINS,
        Put(1000, 5),
        *ALONE,
        Stall(frames=False),
        Start("slave1"),
        Wait(1500),
        Put(300),
        Heal(),
        CatchUp(),
        Put(300),
        needs=LIMIT,
    ),
    master_case(
        "a master that starts again goes on where its log ends",
        (RESTART, POSITION),
        *SLAVE_JOINS,
        Put(300, 3),
        *ALONE,
        Put(300, 2, waits=False),
        *SLAVE_JOINS,
        Put(300),
    ),
    master_case(
        "a master that starts again sends its last file to an empty slave",
        (RESTART, ZERO),
        Put(3000, 8, waits=False),
        Wait(300),
        Restart(),
        Wait(300),
        *SLAVE_JOINS,
        Put(300),
        needs=SMALL_FILES,
    ),
)
