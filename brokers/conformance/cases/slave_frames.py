"""What a slave does with frames: it reports, appends, makes files, and bears frames in parts."""

from __future__ import annotations

from brokers.conformance.acts import (
    CatchUp,
    Cut,
    Heal,
    Look,
    Meet,
    Put,
    Stall,
    Start,
    Wait,
    split_frame,
)
from brokers.conformance.case import MASTER_JOINS, SMALL_FILES, Case, slave_case

REPORT = "replication.md#report_offset"
APPEND = "replication.md#append_to_slave"
FIRST_FILE = "replication.md#create_slave_file"
BYTES = "implementers.md#7-batches-are-bytes-not-messages"
AT_ONCE = "implementers.md#8-each-append-is-reported-before-any-flush"
HANDSHAKE = "implementers.md#1-the-first-report-is-the-handshake-and-it-comes-late"
HEARTBEAT = "implementers.md#6-a-heartbeat-creates-a-file"
SILENT = "connection.md#close_idle_connection"

SMALL_BATCHES = {"haTransferBatchSize": "100"}
"""The tester's frames are so short that a message takes several."""

FIRST_REPORTS = (
    slave_case(
        "empty slave reports after a heartbeat interval",
        (HANDSHAKE, REPORT),
        *MASTER_JOINS,
        Put(300),
    ),
    slave_case(
        "empty slave reports 0 to a master with bytes",
        (HANDSHAKE, REPORT),
        Start("master"),
        Put(300, 3, waits=False),
        CatchUp(),
    ),
    slave_case(
        "slave with bytes reports where its log ends",
        (HANDSHAKE, REPORT),
        *MASTER_JOINS,
        Put(300, 2),
        Wait(300),
        Cut(),
        CatchUp(),
        Put(300),
    ),
    slave_case(
        "first report waits while nothing is to be sent",
        (HANDSHAKE, REPORT),
        Start("master"),
        Meet(),
        Wait(1500, heartbeats=1.5),
        Put(200),
    ),
    slave_case(
        "reports go on by the timer",
        (REPORT,),
        *MASTER_JOINS,
        Put(200),
        Wait(heartbeats=3.4),
        Put(200),
    ),
    slave_case(
        "each connection has a first report of its own",
        (HANDSHAKE, REPORT),
        *MASTER_JOINS,
        *(act for _ in range(3) for act in (Put(200), Wait(200), Cut(), CatchUp())),
    ),
)

APPENDS = (
    slave_case("a frame is reported at once", (AT_ONCE, APPEND), *MASTER_JOINS, Put(400)),
    slave_case("each of many frames is reported", (AT_ONCE, APPEND), *MASTER_JOINS, Put(350, 12)),
    slave_case(
        "frames one behind another",
        (AT_ONCE, APPEND),
        *MASTER_JOINS,
        Put(150, 15, waits=False),
        CatchUp(),
        Put(150),
    ),
    slave_case(
        "a message in several frames",
        (BYTES, APPEND),
        *MASTER_JOINS,
        Put(900, 2),
        own_settings=SMALL_BATCHES,
    ),
    slave_case(
        "frames end inside messages",
        (BYTES, APPEND),
        Start("master"),
        Put(333, 7, waits=False),
        CatchUp(),
        Put(333),
        own_settings={"haTransferBatchSize": "257"},
    ),
    slave_case(
        "a frame of several messages",
        (BYTES, APPEND),
        Start("master"),
        Put(60, 20, waits=False),
        CatchUp(),
        Put(60),
    ),
    slave_case(
        "a large message",
        (BYTES, APPEND),
        *MASTER_JOINS,
        Put(7000),
        Put(10),
        own_settings={"haTransferBatchSize": "1024"},
    ),
    slave_case("messages of one byte", (APPEND,), *MASTER_JOINS, Put(1, 8)),
    slave_case(
        "messages with WAIT=false are copied",
        (APPEND,),
        *MASTER_JOINS,
        Put(250, 4, waits=False),
        CatchUp(),
        Put(250),
    ),
    slave_case(
        "frames held back come at once",
        (AT_ONCE, APPEND),
        *MASTER_JOINS,
        Put(200),
        Stall(reports=False),
        Put(200, 6, waits=False),
        Wait(400),
        Heal(),
        CatchUp(),
        Put(200),
    ),
    slave_case(
        "reports that are held back come later",
        (AT_ONCE, APPEND),
        *MASTER_JOINS,
        Put(200),
        Stall(frames=False),
        Put(200, 6, waits=False),
        Wait(400),
        Heal(),
        CatchUp(),
        Put(200),
    ),
)

SPLITS = tuple(
    slave_case(
        f"a frame cut in two behind byte {at}",
        (BYTES, APPEND),
        *MASTER_JOINS,
        Put(300),
        Wait(200),
        split_frame(at, 150.0),
        Put(300),
        CatchUp(),
        Put(100),
        CatchUp(),
        Look(),
    )
    for at in (1, 8, 11, 12, 13, 100, 300)
)

CUT_FRAMES = tuple(
    slave_case(
        f"a frame of which {at} bytes come before the end",
        (BYTES, APPEND),
        *MASTER_JOINS,
        Put(300),
        Wait(200),
        split_frame(at, -1.0),
        Put(300, waits=False),
        Wait(300),
        CatchUp(),
        Put(100),
    )
    for at in (0, 5, 12, 20, 200)
)

FILES = (
    slave_case(
        "a heartbeat makes the first file",
        (HEARTBEAT, FIRST_FILE),
        Start("master"),
        CatchUp(),
        Wait(heartbeats=2.5),
        Put(300),
        Wait(heartbeats=1.2),
        Put(300),
    ),
    slave_case(
        "an empty slave begins at the master's last file",
        (HEARTBEAT, FIRST_FILE),
        Start("master"),
        Put(3000, 7, waits=False),
        CatchUp(),
        Put(300),
        needs=SMALL_FILES,
    ),
    slave_case(
        "a log over several files",
        (APPEND, BYTES),
        *MASTER_JOINS,
        Put(3000, 12),
        needs=SMALL_FILES,
    ),
    slave_case(
        "a log over several files, caught up",
        (APPEND, BYTES),
        *MASTER_JOINS,
        Put(300),
        Wait(200),
        Stall(),
        Put(3000, 12, waits=False),
        Heal(),
        CatchUp(),
        Put(300),
        needs=SMALL_FILES,
    ),
    slave_case(
        "frames end with a file",
        (APPEND, BYTES),
        *MASTER_JOINS,
        Put(2000, 20, waits=False),
        CatchUp(),
        Put(300),
        own_settings={"haTransferBatchSize": "5000"},
        needs=SMALL_FILES,
    ),
)

SILENCE = (
    slave_case(
        "heartbeats keep a connection",
        (SILENT,),
        *MASTER_JOINS,
        Put(200),
        Wait(housekeepings=2.5),
        Put(200),
    ),
    slave_case(
        "a silent connection is closed",
        (SILENT,),
        *MASTER_JOINS,
        Put(200),
        Wait(200),
        Stall(reports=False),
        Wait(2500, housekeepings=1.0),
        Heal(),
        CatchUp(),
        Put(200),
    ),
    slave_case(
        "a stall shorter than the housekeeping is borne",
        (SILENT,),
        *MASTER_JOINS,
        Put(200),
        Wait(200),
        Stall(),
        Wait(housekeepings=0.5),
        Heal(),
        CatchUp(),
        Put(200),
    ),
)

CASES: tuple[Case, ...] = (
    *FIRST_REPORTS,
    *APPENDS,
    *SPLITS,
    *CUT_FRAMES,
    *FILES,
    *SILENCE,
)
