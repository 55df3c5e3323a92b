"""What a master makes of reports that no slave of RocketMQ sends."""

from __future__ import annotations

from brokers.conformance.acts import Cut, Put, Wait
from brokers.conformance.case import Case, master_case
from brokers.conformance.strangers import HALF_REPORT_BYTES, Arrive, Report

AHEAD = "implementers.md#3-a-report-is-accepted-even-above-the-masters-own-end"
HIGHEST = "implementers.md#4-the-highest-report-is-one-number-and-never-goes-down"
STRANGER = "faults.md#send_alien_report"
RECEIVE = "replication.md#receive_report"
POSITION = "replication.md#position_transfer"
FAR_OFFSET = 10**9
FILLED = (Put(300, 4, waits=False), Wait(100), Arrive(), Wait(1200))
"""Long enough that a connection is counted."""
LIMIT = {"haSlaveFallbehindMax": (3000, 3000)}

CASES: tuple[Case, ...] = (
    master_case(
        "a report far beyond the master's end acknowledges",
        (AHEAD, STRANGER, RECEIVE),
        *FILLED,
        Report((FAR_OFFSET,)),
        Wait(1500),
        Put(300, 2),
        Wait(1500),
        Put(300),
    ),
    master_case(
        "a request ahead is taken as it is",
        (AHEAD, POSITION),
        *FILLED,
        Report((2000,)),
        Wait(500),
        Put(300, 4, waits=False),
        Wait(2500, heartbeats=1.0),
    ),
    master_case(
        "a request inside a message",
        (POSITION,),
        *FILLED,
        Report((500,)),
        Wait(1500),
        Put(300, waits=False),
        Wait(1500),
    ),
    master_case(
        "a later report does not move the transfer",
        (POSITION, RECEIVE),
        *FILLED,
        Report((404,)),
        Wait(500),
        Report((808,)),
        Wait(500),
        Report((404,)),
        Wait(1500),
        Put(300, waits=False),
        Wait(1500),
    ),
    master_case(
        "a report that falls takes nothing back",
        (HIGHEST, RECEIVE),
        *FILLED,
        Report((FAR_OFFSET,)),
        Wait(1500),
        Report((5,)),
        Wait(1500),
        Put(300, 2),
    ),
    master_case(
        "a report stays when its connection has ended",
        (HIGHEST, STRANGER),
        *FILLED,
        Report((FAR_OFFSET,)),
        Wait(1500),
        Cut(),
        Arrive(2),
        Wait(1500),
        Put(300, 2),
    ),
    master_case(
        "the second of two slaves counts as the first",
        (HIGHEST, RECEIVE),
        *FILLED,
        Arrive(2),
        Wait(1200),
        Report((FAR_OFFSET,), slave=2),
        Wait(1500),
        Put(300, 2),
    ),
    master_case(
        "of two reports in one piece the last one counts",
        (RECEIVE, HIGHEST),
        *FILLED,
        Report((0, FAR_OFFSET)),
        Wait(1500),
        Put(300, 2),
    ),
    master_case(
        "of three reports in one piece the last one counts",
        (RECEIVE, HIGHEST),
        *FILLED,
        Report((404,)),
        Wait(500),
        Report((0, 404, FAR_OFFSET)),
        Wait(300),
        Put(300),
    ),
    master_case(
        "half of a report is none",
        (RECEIVE,),
        *FILLED,
        Report((404,)),
        Wait(1500),
        Report((FAR_OFFSET,), cut_bytes=HALF_REPORT_BYTES),
        Wait(1500),
        Put(300),
    ),
    master_case(
        "a slave that only connects is left",
        ("connection.md#close_idle_connection", "connection.md#drop_connection"),
        *FILLED,
        Wait(3000, housekeepings=1.0),
        Put(300),
    ),
    master_case(
        "a slave that is sent frames and says no more is left",
        ("connection.md#close_idle_connection",),
        *FILLED,
        Report((404,)),
        Wait(3500, housekeepings=1.0),
        Put(300),
    ),
)
