"""What a master sends to a slave: where it begins, how much at a time, and what in silence."""

from __future__ import annotations

from reference.conformance.acts import (
    CatchUp,
    Cut,
    Heal,
    Kill,
    Look,
    LoseTail,
    Put,
    Stall,
    Start,
    Stop,
    Wait,
    Wipe,
    split_report,
)
from reference.conformance.case import SMALL_FILES, Case, master_case

HANDSHAKE = "implementers.md#1-the-first-report-is-the-handshake-and-it-comes-late"
POSITION = "replication.md#position_transfer"
LAST_FILE = "replication.md#position_at_last_file"
ZERO = "implementers.md#5-a-request-for-0-means-the-last-file"
BATCH = "replication.md#transfer_batch"
BYTES = "implementers.md#7-batches-are-bytes-not-messages"
RECEIVE = "replication.md#receive_report"
IDLE = "connection.md#close_idle_connection"
COUNT = "connection.md#drop_connection"

JOIN = (Start("slave1"), CatchUp())
BACK = (Start("slave1"), CatchUp())
PLAIN = 393
"""What a message of 300 bytes takes in a log of 4.4.0."""

BEGINNINGS = (
    master_case(
        "nothing is sent before the first report",
        (HANDSHAKE, POSITION),
        Put(300, 3, waits=False),
        Stall(frames=False),
        Start("slave1"),
        Wait(heartbeats=2.5),
        Heal(),
        CatchUp(),
        Put(300),
    ),
    master_case("a request for 0 of an empty log", (ZERO, POSITION), *JOIN, Put(300)),
    master_case(
        "a request for 0 within the first file",
        (ZERO, POSITION),
        Put(300, 5, waits=False),
        *JOIN,
        Put(300),
    ),
    master_case(
        "a request for 0 with an older file",
        (ZERO, LAST_FILE),
        Put(3000, 8, waits=False),
        *JOIN,
        Put(300),
        needs=SMALL_FILES,
    ),
    master_case(
        "a request for 0 with several older files",
        (ZERO, LAST_FILE),
        Put(3000, 17, waits=False),
        *JOIN,
        Put(300),
        needs=SMALL_FILES,
    ),
    master_case(
        "a request inside the log",
        (POSITION,),
        *JOIN,
        Put(300, 3),
        Wait(300),
        Kill("slave1"),
        Wait(100),
        Put(300, 4, waits=False),
        *BACK,
        Put(300),
    ),
    master_case(
        "a request at the end of the log",
        (POSITION,),
        *JOIN,
        Put(300, 3),
        Wait(300),
        Kill("slave1"),
        Wait(100),
        *BACK,
        Put(300),
    ),
    master_case(
        "a request in an older file",
        (POSITION, BATCH),
        *JOIN,
        Put(3000, 3),
        Wait(300),
        Kill("slave1"),
        Wait(100),
        Put(3000, 12, waits=False),
        *BACK,
        Put(300),
        needs=SMALL_FILES,
    ),
    master_case(
        "a request below an earlier report",
        (POSITION, RECEIVE),
        *JOIN,
        Put(300, 5),
        Wait(700),
        Kill("slave1"),
        LoseTail("slave1", PLAIN * 2),
        Wait(200),
        *BACK,
        Put(300),
    ),
    master_case(
        "a slave that has lost its disk begins anew",
        (POSITION, ZERO),
        *JOIN,
        Put(300, 5),
        Wait(300),
        Kill("slave1"),
        Wipe("slave1"),
        Wait(200),
        *BACK,
        Put(300),
    ),
    master_case(
        "a slave that stops in order comes back",
        (POSITION,),
        *JOIN,
        Put(300, 5),
        Wait(300),
        Stop("slave1"),
        Wait(200),
        Put(300, waits=False),
        *BACK,
        Put(300),
    ),
    master_case(
        "the position is decided once",
        (HANDSHAKE, POSITION),
        *JOIN,
        Put(300, 3),
        Stall(frames=False),
        Put(300, 3, waits=False),
        Wait(300),
        Heal(),
        CatchUp(),
        Put(300, 2),
    ),
    master_case(
        "a cut, and the transfer goes on",
        (POSITION,),
        *JOIN,
        Put(300, 3),
        Cut(),
        Put(300, 3, waits=False),
        CatchUp(),
        Put(300),
    ),
)

BATCHES = (
    master_case("a message is sent at once", (BATCH,), *JOIN, Put(300), Put(500), Put(20)),
    master_case("messages one after another", (BATCH,), *JOIN, Put(200, 15)),
    master_case("many messages at once", (BATCH,), *JOIN, Put(100, 12, is_at_once=True), Wait(200)),
    master_case(
        "a frame has no more than haTransferBatchSize",
        (BATCH, BYTES),
        Put(3500, 30, waits=False),
        *JOIN,
        Put(300),
        needs={"maxMessageSize": (4000, 1 << 40), "mapedFileSizeCommitLog": (150_000, 1 << 40)},
    ),
    master_case(
        "a frame ends inside a message",
        (BATCH, BYTES),
        Put(3000, 40, waits=False),
        *JOIN,
        Put(3000),
        needs={"maxMessageSize": (4000, 1 << 40), "mapedFileSizeCommitLog": (150_000, 1 << 40)},
    ),
    master_case(
        "a large message while a slave listens",
        (BATCH, BYTES),
        *JOIN,
        Put(60_000, waits=False),
        CatchUp(),
        Put(300),
        needs={"maxMessageSize": (64_000, 1 << 40), "mapedFileSizeCommitLog": (150_000, 1 << 40)},
    ),
    master_case(
        "a frame ends with its file",
        (BATCH, BYTES),
        *JOIN,
        Put(3000, 3),
        Wait(200),
        Stall(),
        Put(3000, 9, waits=False),
        Cut(),
        Heal(),
        CatchUp(),
        Put(300),
        needs=SMALL_FILES,
    ),
    master_case(
        "messages over the end of a file",
        (BATCH, BYTES),
        *JOIN,
        Put(3000, 14),
        needs=SMALL_FILES,
    ),
    master_case(
        "frames are held back for a while",
        (BATCH,),
        *JOIN,
        Put(300),
        Stall(reports=False),
        Put(300, 6, waits=False),
        Wait(300),
        Heal(),
        CatchUp(),
        Put(300),
    ),
)

REPORTS = (
    *(
        master_case(
            f"a report in two parts after {at} bytes",
            (RECEIVE,),
            *JOIN,
            Put(300),
            Wait(100),
            split_report(at, 400.0),
            Put(300),
            Put(300),
        )
        for at in (1, 4, 7)
    ),
    *(
        master_case(
            f"a report of which {at} bytes come before the end",
            (RECEIVE,),
            *JOIN,
            Put(300),
            Wait(100),
            split_report(at, -1.0),
            Put(300),
            Wait(200),
            Put(300),
        )
        for at in (0, 4, 7)
    ),
    master_case(
        "the first report in two parts",
        (HANDSHAKE, RECEIVE),
        Put(300, 2, waits=False),
        split_report(4, 600.0),
        *JOIN,
        Put(300),
    ),
    master_case(
        "reports held back come at once",
        (RECEIVE,),
        *JOIN,
        Put(300),
        Stall(frames=False),
        Put(300, 6, waits=False),
        Wait(300),
        Heal(),
        Wait(100),
        Put(300),
    ),
)

SILENCE = (
    master_case(
        "heartbeats come in silence",
        ("implementers.md#6-a-heartbeat-creates-a-file", BATCH),
        *JOIN,
        Put(300),
        Wait(heartbeats=5.5),
        Put(300),
    ),
    master_case(
        "an idle slave stays connected",
        (IDLE,),
        *JOIN,
        Put(300),
        Wait(housekeepings=2.5),
        Put(300),
    ),
    master_case(
        "a slave that says nothing is left",
        (IDLE, COUNT),
        *JOIN,
        Put(300),
        Wait(300),
        Stall(frames=False),
        Wait(2500, housekeepings=1.0),
        Heal(),
        Wait(300),
        Put(300),
        CatchUp(),
        Put(300),
    ),
    master_case(
        "a slave that never reports is left",
        (IDLE, HANDSHAKE),
        Stall(frames=False),
        Start("slave1"),
        Wait(2500, housekeepings=1.0),
        Heal(),
        CatchUp(),
        Put(300),
    ),
)

TWO_SLAVES = (
    master_case(
        "two slaves get the same",
        (POSITION, BATCH),
        *JOIN,
        Put(300, 3),
        Start("slave2"),
        CatchUp(2),
        Put(300, 3),
        CatchUp(1),
        CatchUp(2),
        Look(),
    ),
    master_case(
        "one of two slaves is held back",
        (POSITION, BATCH, RECEIVE),
        *JOIN,
        Start("slave2"),
        CatchUp(2),
        Stall(slave=2),
        Put(300, 4),
        Heal(2),
        CatchUp(2),
        Put(300, 2),
    ),
    master_case(
        "one of two slaves is killed",
        (POSITION, BATCH, COUNT),
        *JOIN,
        Start("slave2"),
        CatchUp(2),
        Put(300, 2),
        Wait(200),
        Kill("slave1"),
        Wait(100),
        Put(300, 3),
    ),
)

CASES: tuple[Case, ...] = (*BEGINNINGS, *BATCHES, *REPORTS, *SILENCE, *TWO_SLAVES)
