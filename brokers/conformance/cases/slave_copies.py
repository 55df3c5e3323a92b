"""What a slave copies of its master's tables, and what it keeps."""

from __future__ import annotations

from brokers.conformance.acts import (
    Act,
    CatchUp,
    Heal,
    Kill,
    Restart,
    Stall,
    Start,
    Wait,
)
from brokers.conformance.case import Case, copying_case
from brokers.conformance.clients import AskEnds, Commit, MakeGroup, MakeTopic, Pull, Query, Send
from brokers.conformance.copies import (
    CloseNames,
    Copied,
    MasterCommit,
    MasterGroup,
    MasterTakes,
    MasterTopic,
    OpenNames,
    ShowMaster,
    ShowTables,
)

STEPS = "metadata.md#a-copy-step-by-step"
INTERVALS = "metadata.md#intervals"
MERGED = "progress.md#what-moves-back-and-what-is-skipped"
COMMITS = "progress.md#commits"
QUERIES = "progress.md#queries"
PULLS = "reading.md#what-the-broker-answers"
READS = "reading.md#what-the-store-answers"
PUTS = "put.md#the-put-path"
STARTS = "lifecycle.md#restart_slave"

OWN_TOPIC = "S0"
MASTER_BEGUN: tuple[Act, ...] = (ShowTables(is_first=True), Start("master"))
MASTER_KNOWN: tuple[Act, ...] = (OpenNames(), MakeTopic(OWN_TOPIC, 1))
"""A broker registers as soon as a topic is made on it, so that it need not wait to learn of its
master (BrokerController#registerIncrementBrokerData)."""
MASTER_HAS: tuple[Act, ...] = (
    *(MasterTopic("T1"), MasterTopic()),
    *(MasterGroup("K"), MasterGroup()),
    MasterCommit(4),
)
"""Two of each: no table of the slave, which has at most one change of its own, has this version."""
MADE: tuple[Act, ...] = (*MASTER_BEGUN, *MASTER_KNOWN, *MASTER_HAS)
LOOK = ShowTables()
COPIED: tuple[Act, ...] = (*MADE, Copied(), LOOK)
FILLED: tuple[Act, ...] = (*MADE, MasterTakes(10), Copied(), CatchUp(), Wait(1500))
"""What is in the log can be read, too."""
UNREACHABLE = Wait(95_000)
"""Longer than from one copy to the next in any release, and from then until it is given up."""

COPIES = (
    copying_case("its master's tables are copied", (STEPS,), *MADE, Copied(), LOOK),
    copying_case(
        "tables are copied again after a change",
        (STEPS, INTERVALS),
        *COPIED,
        MasterTopic("T2"),
        MasterGroup("H", 1, 2),
        MasterCommit(6),
        Copied(),
        LOOK,
    ),
    copying_case(
        "a change of topics alone is copied", (STEPS,), *COPIED, MasterTopic("T2"), Copied(), LOOK
    ),
    copying_case(
        "a change of groups alone is copied",
        (STEPS,),
        *COPIED,
        MasterGroup("G", 1, 2),
        Copied(),
        LOOK,
        UNREACHABLE,
        LOOK,
    ),
    copying_case(
        "a change of progress alone is copied",
        (STEPS,),
        *COPIED,
        MasterCommit(6),
        Copied(),
        LOOK,
        UNREACHABLE,
        LOOK,
    ),
    copying_case("tables that do not change stay", (STEPS,), *COPIED, Copied(), LOOK),
    copying_case(
        "copies go on",
        (INTERVALS,),
        *COPIED,
        MasterCommit(5),
        Copied(),
        LOOK,
        MasterCommit(6),
        UNREACHABLE,
        LOOK,
    ),
    copying_case(
        "tables are kept while the master is not listed",
        (STEPS,),
        *COPIED,
        Kill("master"),
        UNREACHABLE,
        LOOK,
    ),
    copying_case(
        "tables are kept while the master cannot be reached",
        (STEPS,),
        *COPIED,
        CloseNames(),
        Kill("master"),
        UNREACHABLE,
        LOOK,
        Query(),
    ),
    copying_case(
        "a killed master comes back, perhaps with less progress",
        (STEPS, MERGED),
        *COPIED,
        MasterCommit(6),
        Kill("master"),
        Wait(500),
        Start("master"),
        MakeTopic(OWN_TOPIC, 1),
        Copied(),
        LOOK,
        Query(),
    ),
)

MERGES = (
    copying_case(
        "topics and groups of the slave go with a copy",
        (STEPS,),
        *MADE,
        MakeGroup("S"),
        LOOK,
        Copied(),
        LOOK,
    ),
    copying_case(
        "progress goes back with the master's",
        (MERGED,),
        *COPIED,
        MasterCommit(7),
        MasterTopic("T2"),
        Copied(),
        LOOK,
        MasterCommit(3),
        MasterGroup("H"),
        Copied(),
        LOOK,
    ),
    copying_case(
        "larger progress of the slave is replaced",
        (MERGED,),
        *COPIED,
        Commit(9),
        Query(),
        MasterGroup("H"),
        Copied(),
        Query(),
        LOOK,
    ),
    copying_case(
        "progress that only the slave knows stays",
        (MERGED,),
        *COPIED,
        Commit(5, group="S"),
        MasterGroup("H"),
        Copied(),
        Query(group="S"),
        LOOK,
    ),
    copying_case(
        "a group's progress is replaced with all its queues",
        (MERGED,),
        *COPIED,
        Commit(5, queue=2),
        LOOK,
        MasterGroup("H"),
        Copied(),
        LOOK,
    ),
)

PROGRESS = (
    copying_case(
        "a slave takes progress", (COMMITS,), *COPIED, Commit(7), Query(), Commit(2), Query(), LOOK
    ),
    copying_case(
        "a slave takes no progress with pulls",
        (COMMITS, PULLS),
        *FILLED,
        Pull(5, commits=5),
        Query(),
        Pull(6, commits=6, group="S"),
        Query(group="S"),
        LOOK,
    ),
    copying_case("a slave tells copied progress", (QUERIES,), *FILLED, Query(), Query(queue=1)),
    copying_case("puts at a slave are refused", (PUTS,), *FILLED, Send(), Pull(10), LOOK),
)

READING = (
    copying_case(
        "a topic is unknown until it is copied", (PULLS,), *MADE, Pull(0), Copied(), Pull(0)
    ),
    copying_case("a pull at a slave finds messages", (PULLS,), *FILLED, Pull(0), Pull(7), Pull(9)),
    copying_case(
        "a pull at a slave waits for a message",
        (PULLS,),
        *FILLED,
        Pull(10, held_ms=4000),
        Wait(300),
        MasterTakes(),
        Wait(12_000),
    ),
    copying_case(
        "a pull at a slave waits in vain", (PULLS,), *FILLED, Pull(10, held_ms=2000), Wait(8000)
    ),
    copying_case(
        "the ends of a slave's queue are told", (READS,), *FILLED, Pull(0), AskEnds(), AskEnds(1)
    ),
    copying_case("a pull at the end of a slave's queue", (READS,), *FILLED, Pull(10)),
    copying_case(
        "a pull at a slave's empty queue", (READS,), *FILLED, Pull(0, queue=1), Pull(3, 1)
    ),
    copying_case(
        "a slave does not move its readers",
        (READS, PULLS),
        *FILLED,
        Pull(11),
        Pull(1000),
        needs={"offsetCheckInSlave": (0, 0)},
    ),
    copying_case(
        "a slave moves its readers with offsetCheckInSlave",
        (READS, PULLS),
        *FILLED,
        Pull(11),
        Pull(1000),
        Pull(5, queue=1),
        needs={"offsetCheckInSlave": (1, 1)},
    ),
    copying_case(
        "a slave suggests the master without slaveReadEnable",
        (PULLS,),
        *MADE,
        MasterGroup("S", 2, 3),
        MasterTakes(10),
        Copied(),
        CatchUp(),
        Wait(1500),
        Pull(0, group="S"),
        Pull(10, group="S"),
        needs={"slaveReadEnable": (0, 0)},
    ),
    copying_case(
        "a slave suggests the group's broker with slaveReadEnable",
        (PULLS,),
        *MADE,
        MasterGroup("S", 2, 3),
        MasterTakes(10),
        Copied(),
        CatchUp(),
        Wait(1500),
        Pull(0),
        Pull(0, group="S"),
        Pull(10, group="S"),
        Pull(12, group="S"),
        needs={"slaveReadEnable": (1, 1)},
    ),
    copying_case(
        "a slave that lags answers for what it has",
        (READS, PULLS),
        *FILLED,
        Pull(0),
        Stall(),
        MasterTakes(5),
        Wait(200),
        Pull(10),
        Pull(13),
        Heal(),
        CatchUp(),
        Wait(1500),
        Pull(13),
    ),
)

DELIVERED = Wait(4000)
"""Longer than delay level 1, and the rounds of delivery in it."""
STARTED_AGAIN: tuple[Act, ...] = (
    Kill("master"),
    Wait(300),
    Restart(),
    ShowTables(with_delays=True),
)
"""The slave has nothing but its files."""

FILES = (
    copying_case(
        "a slave starts again with what it has copied",
        (STEPS, STARTS),
        *MASTER_BEGUN,
        *MASTER_HAS,
        MasterTakes(3, delay_level=1),
        DELIVERED,
        ShowMaster(),
        *MASTER_KNOWN,
        Copied(),
        CatchUp(),
        ShowTables(with_delays=True),
        *STARTED_AGAIN,
    ),
)
"""It knows no master before that has delivered: there was no copy before."""

CASES: tuple[Case, ...] = (*COPIES, *MERGES, *PROGRESS, *READING, *FILES)
