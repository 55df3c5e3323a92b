"""What a master deletes when its time has come, and what is left for slaves and consumers."""

from __future__ import annotations

from brokers.conformance.acts import Kill, Put, Start, Wait
from brokers.conformance.case import SLAVE_JOINS, Case, master_case, reading_case
from brokers.conformance.clients import (
    AskEnds,
    AskStatus,
    MakeGroup,
    MakeTopic,
    Pull,
    Query,
    Send,
)

RETENTION = "implementers.md#15-retention-ignores-slaves"
POSITION = "replication.md#position_transfer"
EXPIRE = "commit_log.md#expire_uncopied_master_file"
READ = "reading.md#what-the-store-answers"
PROGRESS = "progress.md#queries"

AT_ANY_HOUR = {"deleteWhen": ";".join(f"{hour:02d}" for hour in range(24))}
NOTHING_STAYS = {
    "fileReservedTime": (0, 0),
    "cleanResourceInterval": (10_000, 10_000),
    "mapedFileSizeCommitLog": (16384, 16384),
}
"""A file that is full has expired at once (MappedFileQueue#deleteExpiredFileByTime)."""
SLAVES_KEEP = {"fileReservedTime": "72"}
CLEANED = Wait(75_000)
"""The first look is a minute after the start, the next one ten seconds later
(DefaultMessageStore#addScheduleTask)."""
LOOKED = (Wait(15_000), AskStatus(), CLEANED, AskStatus())
"""By the first answer all that was put is flushed."""

CASES: tuple[Case, ...] = (
    master_case(
        "a request below the first file is sent nothing",
        (RETENTION, POSITION, EXPIRE),
        *SLAVE_JOINS,
        Put(3000, 3),
        Wait(300),
        Kill("slave1"),
        Wait(100),
        Put(3000, 12, waits=False),
        *LOOKED,
        Start("slave1"),
        Wait(2500, heartbeats=2.0),
        Put(300, waits=False),
        Wait(300),
        needs=NOTHING_STAYS,
        words=AT_ANY_HOUR,
        own_settings=SLAVES_KEEP,
    ),
    reading_case(
        "a queue begins with what is left",
        (RETENTION, READ, PROGRESS),
        MakeTopic(),
        MakeGroup(),
        Send(14, body_bytes=3000),
        CLEANED,
        AskStatus(),
        AskEnds(),
        Pull(0),
        Pull(9),
        Pull(14),
        Query(),
        needs=NOTHING_STAYS,
        words=AT_ANY_HOUR,
    ),
)
