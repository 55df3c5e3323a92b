"""What a slave does with frames that no master of its log sends: at other offsets, or in parts."""

from __future__ import annotations

from brokers.conformance.acts import Act, Cut, Meet, Wait
from brokers.conformance.case import SMALL_FILES, Case, slave_case
from brokers.conformance.strangers import MESSAGE_BYTES, AwaitReport, Frames, Listen

REFUSE = "replication.md#refuse_frame"
WRONG = "replication.md#append_at_wrong_offset"
APPEND = "replication.md#append_to_slave"
FIRST_FILE = "replication.md#create_slave_file"
REPORT = "replication.md#report_offset"
FRAME = "wire_format.md#the-frame-master-to-slave"
HEARTBEAT = "wire_format.md#the-heartbeat"
CLOSING = "wire_format.md#closing-a-connection"
TIMERS = "wire_format.md#timers"

ONE = MESSAGE_BYTES
END = 2 * ONE
JOINED: tuple[Act, ...] = (Listen(), AwaitReport())
FILLED: tuple[Act, ...] = (*JOINED, Frames(((0, ONE), (ONE, ONE))), Wait(300))
"""The slave's log ends at END."""
REFUSED: tuple[Act, ...] = (Wait(1500), AwaitReport(), Frames(((END, ONE),)), Wait(1500))
"""It has closed by then, has asked again, and takes what it asks for."""

OUT_OF_STEP = tuple(
    slave_case(name, (REFUSE,), *FILLED, Frames(frames), *REFUSED)
    for name, frames in (
        ("a frame that the slave has", ((0, ONE),)),
        ("a frame that goes on from what the slave has", ((ONE, 2 * ONE),)),
        ("a frame that ends inside the slave's log", ((ONE, ONE // 2),)),
        ("a frame beyond the slave's end", ((END + ONE, ONE),)),
        ("a frame a byte beyond the slave's end", ((END + 1, ONE),)),
        ("a frame a byte below the slave's end", ((END - 1, ONE),)),
        ("a frame in the next file", ((4 * 16384, ONE),)),
    )
)

HEADERS = (
    *(
        slave_case(
            f"the header of a frame {where} the slave's end",
            (REFUSE, CLOSING),
            *FILLED,
            Frames(((offset, ONE),), first_bytes=part),
            *REFUSED,
        )
        for where, offset, part in (("below", ONE, 12), ("beyond", END + ONE, 12))
    ),
    slave_case(
        "a frame out of step comes in part",
        (REFUSE, CLOSING),
        *FILLED,
        Frames(((ONE, ONE),), first_bytes=100),
        *REFUSED,
    ),
    slave_case(
        "the header of a frame at the slave's end",
        (FRAME,),
        *FILLED,
        Frames(((END, ONE),), first_bytes=12),
        Wait(700),
        Cut(),
        *REFUSED,
    ),
)
"""A header is compared before its body has come."""

HEARTBEATS = (
    *(
        slave_case(name, (REFUSE, HEARTBEAT), *FILLED, Frames(((offset, 0),)), *REFUSED)
        for name, offset in (
            ("a heartbeat below the slave's end", ONE),
            ("a heartbeat at 0", 0),
            ("a heartbeat beyond the slave's end", END + ONE),
        )
    ),
    slave_case(
        "heartbeats at the slave's end",
        (HEARTBEAT,),
        *FILLED,
        Frames(((END, 0), (END, 0))),
        Wait(300),
        Frames(((END, 0), (END, ONE))),
        Wait(1500),
    ),
)

EMPTY = (
    slave_case(
        "a heartbeat in a later file to an empty slave",
        (FIRST_FILE, HEARTBEAT),
        *JOINED,
        Frames(((0, 0),), files=2),
        Wait(2200, heartbeats=1.0),
        Frames(((0, ONE),), files=2),
        Wait(1500),
        needs=SMALL_FILES,
    ),
    slave_case(
        "a heartbeat inside a later file to an empty slave",
        (FIRST_FILE, HEARTBEAT),
        *JOINED,
        Frames(((ONE, 0),), files=1),
        Wait(2200, heartbeats=1.0),
        Frames(((0, ONE),), files=1),
        Wait(1500),
        needs=SMALL_FILES,
    ),
    slave_case(
        "a frame in a later file to an empty slave",
        (APPEND,),
        *JOINED,
        Frames(((0, ONE),), files=2),
        Wait(1500),
        needs=SMALL_FILES,
    ),
    slave_case(
        "a frame inside a later file to an empty slave",
        (WRONG,),
        *JOINED,
        Frames(((END, ONE),), files=1),
        Wait(1500),
        needs=SMALL_FILES,
    ),
    slave_case(
        "a frame inside the first file to an empty slave",
        (WRONG,),
        *JOINED,
        Frames(((END, ONE),)),
        Wait(1500),
    ),
    slave_case(
        "a frame inside the first file, which a heartbeat has made",
        (WRONG, FIRST_FILE),
        *JOINED,
        Frames(((0, 0),)),
        Wait(1500),
        Frames(((END, ONE),)),
        Wait(1500),
    ),
)

PARTS = (
    *(
        slave_case(
            f"{part} bytes of a frame, then another connection",
            (CLOSING, FRAME),
            *FILLED,
            Frames(((END, ONE),), first_bytes=part),
            Wait(300),
            Cut(),
            AwaitReport(),
            Frames(((END, ONE), (END + ONE, ONE))),
            Wait(1500),
            Frames(((END + 2 * ONE, ONE),)),
            Wait(1500),
        )
        for part in (5, 12, 200)
    ),
    slave_case(
        "frames in many pieces",
        (FRAME, APPEND),
        *FILLED,
        Frames(((END, ONE), (END + ONE, 33), (END + ONE + 33, 0)), piece_bytes=7),
        Wait(1500),
    ),
    slave_case(
        "frames byte by byte",
        (FRAME, APPEND),
        *FILLED,
        Frames(((END, 50), (END + 50, 1)), piece_bytes=1),
        Wait(1500),
    ),
    slave_case(
        "frames in one piece",
        (FRAME, APPEND),
        *JOINED,
        Frames(tuple((at * 100, 100) for at in range(20))),
        Wait(1500),
    ),
)

SILENCE = (
    slave_case(
        "a frame, and then silence",
        (APPEND,),
        *JOINED,
        Frames(((0, ONE),)),
        Wait(2200, heartbeats=1.0),
    ),
    slave_case(
        "frames before the first report",
        (APPEND, REPORT),
        Listen(),
        Meet(),
        Frames(((0, ONE),)),
        Wait(1500),
        Frames(((ONE, ONE),)),
        Wait(1500),
    ),
    slave_case(
        "a master that says nothing is reported to",
        (TIMERS, REPORT),
        *FILLED,
        Wait(1500, heartbeats=2.0),
        Frames(((END, ONE),)),
        Wait(2500, heartbeats=2.0),
    ),
    slave_case(
        "a master that says nothing is left",
        (TIMERS,),
        *FILLED,
        Wait(2500, housekeepings=1.0),
        AwaitReport(),
        Wait(2500, housekeepings=1.0),
        AwaitReport(),
        Frames(((END, ONE),)),
        Wait(1500),
    ),
)

CASES: tuple[Case, ...] = (*OUT_OF_STEP, *HEADERS, *HEARTBEATS, *EMPTY, *PARTS, *SILENCE)
