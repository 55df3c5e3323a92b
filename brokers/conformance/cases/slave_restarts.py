"""What a slave does when its master comes back, with more, less or other bytes."""

from __future__ import annotations

from brokers.conformance.acts import (
    CatchUp,
    Cut,
    Heal,
    Kill,
    Look,
    LoseTail,
    Put,
    Restart,
    Stall,
    Start,
    Stop,
    Wait,
)
from brokers.conformance.case import MASTER_JOINS, SMALL_FILES, Case, slave_case

RESTART = "lifecycle.md#restart_slave"
CONNECT = "connection.md#connect_slave"
REPORT = "replication.md#report_offset"
APPEND = "replication.md#append_to_slave"
REFUSE = "replication.md#refuse_frame"
WRONG = "replication.md#append_at_wrong_offset"
AHEAD = "implementers.md#3-a-report-is-accepted-even-above-the-masters-own-end"
ZERO = "implementers.md#5-a-request-for-0-means-the-last-file"

SIZE = 404
"""A message of 300 bytes with ``WAIT=false`` takes so many; with ``WAIT`` eleven less."""
FILLED = (*MASTER_JOINS, Put(300, 5), Wait(700))
PLAIN = 393

RECONNECTS = (
    slave_case("after a cut", (CONNECT,), *FILLED, Cut(), CatchUp(), Put(300)),
    slave_case(
        "after a cut, with more to copy",
        (CONNECT, APPEND),
        *FILLED,
        Cut(),
        Put(300, 3, waits=False),
        CatchUp(),
        Put(300),
    ),
    slave_case(
        "after a cut while frames are held back",
        (CONNECT, APPEND),
        *FILLED,
        Stall(reports=False),
        Put(300, 3, waits=False),
        Wait(200),
        Cut(),
        Heal(),
        CatchUp(),
        Put(300),
    ),
    slave_case(
        "while nobody listens",
        (CONNECT,),
        *FILLED,
        Kill("master"),
        Wait(2000),
        Start("master"),
        CatchUp(),
        Put(300),
    ),
    slave_case(
        "before the master was ever there",
        (CONNECT,),
        Wait(1500),
        Start("master"),
        CatchUp(),
        Put(300),
    ),
    slave_case(
        "several cuts, one after another",
        (CONNECT,),
        *FILLED,
        Cut(),
        Wait(300),
        Cut(),
        Wait(600),
        Cut(),
        CatchUp(),
        Put(300),
    ),
)

SAME_BYTES = (
    slave_case(
        "a killed master has the same bytes",
        (CONNECT, REPORT, APPEND),
        *FILLED,
        Kill("master"),
        Wait(300),
        Start("master"),
        CatchUp(),
        Put(300, 2),
    ),
    slave_case(
        "a master that stops in order",
        (CONNECT, REPORT, APPEND),
        *FILLED,
        Stop("master"),
        Wait(300),
        Start("master"),
        CatchUp(),
        Put(300, 2),
    ),
    slave_case(
        "a master with more bytes",
        (CONNECT, REPORT, APPEND),
        *FILLED,
        Stall(),
        Put(300, 4, waits=False),
        Wait(700),
        Kill("master"),
        Heal(),
        Wait(300),
        Start("master"),
        CatchUp(),
        Put(300),
    ),
)

LESS_BYTES = (
    *(
        slave_case(
            f"a master that has lost {lost} of five messages",
            (AHEAD, REPORT),
            *FILLED,
            Kill("master"),
            LoseTail("master", PLAIN * (5 - lost)),
            Wait(300),
            Start("master"),
            CatchUp(),
            Look(),
            Put(300),
            Wait(300),
        )
        for lost in (1, 2, 4)
    ),
    *(
        slave_case(
            f"a master with other messages of {body} bytes",
            (AHEAD, APPEND),
            *FILLED,
            Kill("master"),
            LoseTail("master", PLAIN * 3),
            Wait(300),
            Start("master"),
            CatchUp(),
            Put(body, 6, waits=False),
            CatchUp(),
            Put(body, 2),
            Wait(heartbeats=1.5),
        )
        for body in (300, 211, 500)
    ),
    slave_case(
        "a master that has lost everything",
        (AHEAD, REFUSE),
        *FILLED,
        Kill("master"),
        LoseTail("master", 0),
        Wait(300),
        Start("master"),
        Wait(8000, heartbeats=1.2),
        Put(300, waits=False),
        Wait(heartbeats=1.5),
    ),
    slave_case(
        "a master that was lost and is longer again",
        (AHEAD, APPEND),
        *FILLED,
        Kill("master"),
        LoseTail("master", 0),
        Wait(300),
        Start("master"),
        Put(300, 7, waits=False),
        CatchUp(),
        Put(300),
    ),
    slave_case(
        "a master that ends a file before its slave",
        (AHEAD, REFUSE),
        *MASTER_JOINS,
        Put(3000, 7),
        Wait(700),
        Kill("master"),
        LoseTail("master", 3093 * 2),
        Wait(300),
        Start("master"),
        Wait(8000, heartbeats=1.2),
        Put(300, waits=False),
        Wait(heartbeats=1.5),
        needs=SMALL_FILES,
    ),
)

OWN_RESTARTS = (
    slave_case(
        "a slave that starts again goes on where its log ends",
        (RESTART, REPORT),
        *FILLED,
        Kill("master"),
        Wait(300),
        Restart(),
        Wait(300),
        Start("master"),
        CatchUp(),
        Put(300),
    ),
)

CASES: tuple[Case, ...] = (*RECONNECTS, *SAME_BYTES, *LESS_BYTES, *OWN_RESTARTS)
