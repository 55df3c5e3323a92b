"""How a master answers pulls, and keeps its consumers' progress."""

from __future__ import annotations

from brokers.conformance.acts import Act, Wait
from brokers.conformance.case import Case, reading_case
from brokers.conformance.clients import AskEnds, Commit, MakeGroup, MakeTopic, Pull, Query, Send

READ = "reading.md"
PROGRESS = "progress.md"
DISPATCHED = Wait(400)
"""Until what was sent can be read."""

LATE: tuple[Act, ...] = (Send(1), DISPATCHED)

FILLED: tuple[Act, ...] = (MakeTopic(), MakeGroup(), Send(10), DISPATCHED)

PULLS = (
    reading_case("a pull finds messages", (READ,), *FILLED, Pull(0), Pull(4), Pull(9)),
    reading_case("a pull of few messages", (READ,), *FILLED, Pull(0, messages_max=3), Pull(3)),
    reading_case("a pull at the end", (READ,), *FILLED, Pull(10)),
    reading_case("a pull beyond the end", (READ,), *FILLED, Pull(11), Pull(1000)),
    reading_case("a pull below 0", (READ,), *FILLED, Pull(-1)),
    reading_case("a pull of an empty queue", (READ,), *FILLED, Pull(0, queue=1), Pull(5, queue=1)),
    reading_case("a pull of a queue that there is not", (READ,), *FILLED, Pull(0, queue=7)),
    reading_case("a pull of an unknown topic", (READ,), *FILLED, Pull(0, topic="T9")),
    reading_case(
        "each queue has its own offsets",
        (READ,),
        *FILLED,
        Send(3, queue=2),
        DISPATCHED,
        Pull(0, queue=2),
        Pull(3, queue=2),
        Pull(4, queue=2),
        Pull(0),
    ),
    reading_case(
        "a group chooses its broker",
        (READ,),
        MakeTopic(),
        MakeGroup("G"),
        MakeGroup("S", 2, 3),
        Send(10),
        DISPATCHED,
        Pull(0),
        Pull(0, group="S"),
        Pull(12, group="S"),
    ),
    reading_case(
        "messages that come later are found",
        (READ,),
        *FILLED,
        Pull(10),
        Send(2),
        DISPATCHED,
        Pull(10),
        Pull(12),
    ),
)

KEPT = (
    reading_case("progress of a new group", (PROGRESS,), *FILLED, Query()),
    reading_case("progress of a queue without messages", (PROGRESS,), *FILLED, Query(queue=1)),
    reading_case("progress is what was committed", (PROGRESS,), *FILLED, Commit(4), Query()),
    reading_case(
        "progress goes back as it is told",
        (PROGRESS,),
        *FILLED,
        Commit(7),
        Query(),
        Commit(2),
        Query(),
    ),
    reading_case("progress beyond the end", (PROGRESS,), *FILLED, Commit(50), Query()),
    reading_case(
        "a pull commits",
        (PROGRESS, READ),
        *FILLED,
        Pull(3, commits=3),
        Query(),
        Pull(8, commits=8),
        Query(),
    ),
    reading_case(
        "a pull without the flag commits nothing", (PROGRESS, READ), *FILLED, Pull(3), Query()
    ),
    reading_case(
        "each group and queue has its own progress",
        (PROGRESS,),
        *FILLED,
        MakeGroup("H"),
        Send(5, queue=1),
        DISPATCHED,
        Commit(4),
        Commit(2, queue=1),
        Commit(6, group="H"),
        Query(),
        Query(1),
        Query(group="H"),
        Query(1, group="H"),
    ),
)

SMALL_MEMORY = {"accessMessageInMemoryMaxRatio": (0, 0)}
"""Every message counts as being on disk."""
OPEN = {"slaveReadEnable": (1, 1)}

SUGGESTED = (
    reading_case(
        "a master that is open suggests the group's broker",
        (READ,),
        MakeTopic(),
        MakeGroup("S", 2, 3),
        Send(10),
        DISPATCHED,
        Pull(0, group="S"),
        Pull(10, group="S"),
        needs=OPEN,
    ),
    reading_case(
        "what is not in memory is to be read elsewhere",
        (READ,),
        MakeTopic(),
        MakeGroup("S", 2, 3),
        Send(10),
        DISPATCHED,
        Pull(0, group="S"),
        Pull(10, group="S"),
        needs={**OPEN, **SMALL_MEMORY},
    ),
    reading_case(
        "progress of a new group in a queue that is not in memory",
        (PROGRESS,),
        *FILLED,
        Query(),
        Query(queue=1),
        needs=SMALL_MEMORY,
    ),
)

HELD = (
    reading_case(
        "a pull waits for a message", (READ,), *FILLED, Pull(10, held_ms=9000), Wait(300), *LATE
    ),
    reading_case(
        "a pull waits in vain", (READ,), *FILLED, Pull(10, held_ms=2000), Wait(8000), Pull(10)
    ),
    reading_case(
        "a pull that finds messages does not wait",
        (READ,),
        *FILLED,
        Pull(9, held_ms=2000),
        Wait(8000),
    ),
    reading_case("a queue's ends are told", (READ,), *FILLED, Pull(0), AskEnds(), AskEnds(1)),
)

CASES: tuple[Case, ...] = (*PULLS, *KEPT, *SUGGESTED, *HELD)
