"""How a master answers its producers, with and without slaves that acknowledge."""

from __future__ import annotations

from brokers.conformance.acts import (
    CatchUp,
    Cut,
    Heal,
    Kill,
    LoseTail,
    Put,
    Slow,
    Stall,
    Start,
    Wait,
    Wipe,
)
from brokers.conformance.case import SLAVE_JOINS, SMALL_FILES, SYNC_FLUSH, Case, master_case

REFUSE = "put.md#refuse_slave_wait"
SKIP = "put.md#skip_slave_wait"
REQUEST = "put.md#request_slave_wait"
ANSWER = "put.md#answer_slave_wait"
TIME_OUT = "put.md#time_out_slave_wait"
GIVE_UP = "put.md#give_up_slave_wait"
DISK = "put.md#answer_disk_wait"
GIVE_UP_DISK = "put.md#give_up_disk_wait"
APPEND = "commit_log.md#append_message"
FILL = "commit_log.md#fill_file"
COUNTED = "implementers.md#2-a-connection-counts-when-it-is-accepted"
HIGHEST = "implementers.md#4-the-highest-report-is-one-number-and-never-goes-down"
EQUAL = "implementers.md#10-a-report-equal-to-the-messages-end-answers-it"
FIVE = "implementers.md#11-the-wait-ends-after-five-wake-ups-not-after-five-seconds"
WAIT_FALSE = "implementers.md#12-waitfalse-skips-every-wait"
FAR = "implementers.md#9-too-far-behind-begins-at-equality"

PLAIN = 393

WITHOUT_SLAVE = (
    master_case("a put without a slave", (REFUSE, APPEND), Put(300, 3), Wait(100), Put(100)),
    master_case("WAIT=false without a slave", (SKIP, WAIT_FALSE), Put(300, 3, waits=False)),
    master_case(
        "both kinds of put by turns",
        (SKIP, REFUSE, WAIT_FALSE),
        *(Put(200, 2, waits=bool(n % 2)) for n in range(6)),
    ),
    master_case(
        "a refused wait is a stored message",
        (REFUSE, WAIT_FALSE),
        Put(300, 3),
        *SLAVE_JOINS,
        Put(300),
    ),
    master_case(
        "messages of several queues",
        (APPEND,),
        *(Put(100 + n, queue=n % 4, waits=False) for n in range(8)),
    ),
    master_case("messages at once", (APPEND,), Put(300, 8, is_at_once=True), Wait(100), Put(300)),
    master_case(
        "a message that does not fit into the file",
        (FILL, APPEND),
        Put(3000, 7, waits=False),
        needs=SMALL_FILES,
    ),
    master_case(
        "files are filled and begun",
        (FILL, APPEND),
        Put(2000, 26, waits=False),
        needs=SMALL_FILES,
    ),
)

ACKNOWLEDGED = (
    master_case("a slave acknowledges", (ANSWER, EQUAL), *SLAVE_JOINS, Put(300, 5)),
    master_case(
        "several puts wait for one report",
        (ANSWER, EQUAL),
        *SLAVE_JOINS,
        Put(300, 6, is_at_once=True),
        Wait(200),
        Put(300),
    ),
    master_case(
        "WAIT=false with a slave",
        (SKIP, WAIT_FALSE),
        *SLAVE_JOINS,
        Stall(),
        Put(300, 3, waits=False),
        Heal(),
        CatchUp(),
        Put(300),
    ),
    master_case(
        "a put waits as soon as a slave is connected",
        (COUNTED, REQUEST),
        Start("slave1"),
        Wait(50),
        Put(300),
        CatchUp(),
        Put(300),
    ),
    master_case(
        "a put waits while reports are held back",
        (REQUEST, ANSWER),
        *SLAVE_JOINS,
        Put(300),
        Stall(frames=False),
        Put(300, is_awaited=False),
        Wait(600),
        Heal(),
        Wait(200),
        Put(300),
    ),
    master_case(
        "a put waits while frames are held back",
        (REQUEST, ANSWER),
        *SLAVE_JOINS,
        Put(300),
        Stall(reports=False),
        Put(300, is_awaited=False),
        Wait(600),
        Heal(),
        Wait(200),
        Put(300),
    ),
    master_case(
        "either of two slaves acknowledges",
        (ANSWER, HIGHEST),
        *SLAVE_JOINS,
        Start("slave2"),
        CatchUp(2),
        Stall(slave=1),
        Put(300, 2),
        Heal(1),
        CatchUp(1),
        Stall(slave=2),
        Put(300, 2),
        Heal(2),
        CatchUp(2),
    ),
)

NOT_ACKNOWLEDGED = (
    master_case(
        "no report in time",
        (TIME_OUT, GIVE_UP, FIVE),
        *SLAVE_JOINS,
        Put(300),
        Stall(frames=False),
        Put(300),
        Heal(),
        CatchUp(),
        Put(300),
    ),
    master_case(
        "no frame arrives in time",
        (TIME_OUT, GIVE_UP, FIVE),
        *SLAVE_JOINS,
        Put(300),
        Stall(reports=False),
        Put(300),
        Heal(),
        CatchUp(),
        Put(300),
    ),
    master_case(
        "puts wait behind one another",
        (TIME_OUT, GIVE_UP, FIVE),
        *SLAVE_JOINS,
        Put(300),
        Stall(),
        Put(300, 3, is_at_once=True),
        Heal(),
        CatchUp(),
        Put(300),
    ),
    master_case(
        "a large message has many reports",
        (GIVE_UP, FIVE),
        *SLAVE_JOINS,
        Put(300),
        Put(240_000, 2),
        Put(300),
        needs={"maxMessageSize": (250_000, 1 << 40), "mapedFileSizeCommitLog": (1 << 20, 1 << 40)},
    ),
    master_case(
        "the slave is killed while a put waits",
        (TIME_OUT, GIVE_UP),
        *SLAVE_JOINS,
        Put(300),
        Stall(),
        Put(300, is_awaited=False),
        Wait(300),
        Kill("slave1"),
        Heal(),
        Wait(6000),
        Put(300),
    ),
    master_case(
        "the slave comes back while a put waits",
        (ANSWER, REQUEST),
        *SLAVE_JOINS,
        Put(300),
        Stall(),
        Put(300, is_awaited=False),
        Wait(100),
        Cut(),
        Heal(),
        CatchUp(),
        Wait(300),
        Put(300),
    ),
    master_case(
        "no slave is left",
        (REFUSE, "connection.md#drop_connection"),
        *SLAVE_JOINS,
        Put(300, 2),
        Wait(200),
        Kill("slave1"),
        Wait(200),
        Put(300, 2),
    ),
    master_case(
        "a slave that has lost its disk has acknowledged",
        (HIGHEST, ANSWER),
        *SLAVE_JOINS,
        Put(300, 5),
        Wait(300),
        Kill("slave1"),
        Wipe("slave1"),
        Wait(200),
        Start("slave1"),
        Wait(100),
        Put(300),
        CatchUp(),
        Put(300),
    ),
    master_case(
        "a slave that has lost its tail reports less",
        (HIGHEST, ANSWER),
        *SLAVE_JOINS,
        Put(300, 5),
        Wait(700),
        Kill("slave1"),
        LoseTail("slave1", PLAIN * 2),
        Wait(200),
        Start("slave1"),
        CatchUp(),
        Put(300, 2),
    ),
)

LIMIT = {"haSlaveFallbehindMax": (3000, 3000)}
THOUSAND = 896
"""The body of a message with ``WAIT=false`` that takes 1000 bytes in a log of 4.4.0."""
LONG_BEATS = {"haSendHeartbeatInterval": (3000, 1 << 31)}
"""A report that is repeated by the timer does not help at once."""

FAR_BEHIND = (
    *(
        master_case(
            f"a slave is behind by {2 * 1000 + size} bytes, the limit is 3000",
            (FAR, REFUSE, REQUEST),
            *SLAVE_JOINS,
            Put(1000),
            Wait(100),
            Stall(),
            Put(THOUSAND, 2, waits=False),
            Put(size - 93),
            Heal(),
            CatchUp(),
            Wait(200),
            Put(300),
            needs=LIMIT,
        )
        for size in (999, 1000, 1001)
    ),
    master_case(
        "the reports of a slave that has left still count",
        (HIGHEST, FAR),
        *SLAVE_JOINS,
        Put(1000, 5),
        Wait(100),
        Kill("slave1"),
        Wait(300),
        Stall(frames=False, slave=2),
        Start("slave2"),
        Wait(200),
        Put(300),
        Heal(2),
        CatchUp(2),
        Put(300),
        needs=LIMIT,
    ),
    master_case(
        "a lower report lowers nothing",
        (HIGHEST, FAR),
        *SLAVE_JOINS,
        Put(1000, 5),
        Wait(700),
        Kill("slave1"),
        LoseTail("slave1", 1093),
        Wait(200),
        Stall(reports=False),
        Start("slave1"),
        Wait(1500, heartbeats=1.0),
        Put(300),
        Heal(),
        CatchUp(),
        Put(300),
        needs=LIMIT,
    ),
)

SEEN_LATE = (
    master_case(
        "a connection counts before its first report",
        (COUNTED, REQUEST),
        Stall(frames=False),
        Start("slave1"),
        Wait(1500),
        Put(300),
        Heal(),
        CatchUp(),
        Put(300),
    ),
    master_case(
        "of several reports the last one counts",
        (ANSWER, "replication.md#receive_report"),
        *SLAVE_JOINS,
        Put(300),
        Wait(200),
        Stall(frames=False),
        Put(300, 4, waits=False),
        Put(300, is_awaited=False),
        Wait(300),
        Heal(),
        Wait(300),
        Put(300),
        needs=LONG_BEATS,
    ),
    master_case(
        "the first report answers, too",
        (ANSWER, HIGHEST),
        *SLAVE_JOINS,
        Put(300),
        Wait(200),
        Stall(frames=False),
        Put(300, is_awaited=False),
        Wait(300),
        Cut(),
        Heal(),
        Wait(1500, heartbeats=1.0),
        Put(300),
    ),
    master_case(
        "a large message over a slow link",
        (GIVE_UP, FIVE),
        *SLAVE_JOINS,
        Put(300),
        Slow(60.0),
        Put(240_000),
        CatchUp(),
        Put(300),
        needs={"maxMessageSize": (250_000, 1 << 40), "mapedFileSizeCommitLog": (1 << 20, 1 << 40)},
    ),
    master_case(
        "an empty slave joins while a put waits at a file's end",
        ("counterexamples/acknowledged_is_held_twice.md", "replication.md#position_at_last_file"),
        Put(1900, 7, waits=False),
        Stall(frames=False),
        Start("slave1"),
        Wait(300),
        Put(2000, is_awaited=False),
        Wait(200),
        Put(2000, waits=False),
        Heal(),
        CatchUp(),
        Put(300),
        needs={"mapedFileSizeCommitLog": (16384, 16384)},
    ),
)

ASYNCHRONOUS = (
    master_case(
        "nobody waits for a slave",
        (SKIP,),
        Put(300, 2),
        *SLAVE_JOINS,
        Stall(),
        Put(300, 3),
        Heal(),
        CatchUp(),
        Put(300),
        words={"brokerRole": "ASYNC_MASTER"},
    ),
)

FLUSHED = (
    master_case(
        "puts wait for the disk and for a slave",
        (DISK, GIVE_UP_DISK, ANSWER),
        *SLAVE_JOINS,
        Put(3000, 12),
        needs=SMALL_FILES,
        words=SYNC_FLUSH,
    ),
    master_case(
        "puts wait for the disk, and there is no slave",
        (DISK, GIVE_UP_DISK, REFUSE),
        Put(3000, 12),
        needs=SMALL_FILES,
        words=SYNC_FLUSH,
    ),
)

CASES: tuple[Case, ...] = (
    *WITHOUT_SLAVE,
    *ACKNOWLEDGED,
    *NOT_ACKNOWLEDGED,
    *FAR_BEHIND,
    *SEEN_LATE,
    *ASYNCHRONOUS,
    *FLUSHED,
)
