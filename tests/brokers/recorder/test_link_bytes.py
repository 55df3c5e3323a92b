"""What passes on a connection, read from pieces: every cut shows the same."""

from __future__ import annotations

import itertools

import pytest

from brokers.recorder.link_bytes import MASTER, SLAVE, LinkBytes
from brokers.wire.replication import REPORT
from tests.brokers.recorder.streams import (
    CONTROLLED_HEADER,
    CONTROLLED_REPORT,
    FRAME,
    Event,
    cut,
    make_controlled_frame,
    make_frames,
    make_master_handshake,
    make_reports,
    make_slave_handshake,
)

PLAIN = {
    SLAVE: make_reports(0, 300, 2**40),
    MASTER: make_frames((0, 0), (0, 300), (300, 5)),
}
PLAIN_EVENTS = {
    SLAVE: [("ha_report", {"slave_offset": offset}) for offset in (0, 300, 2**40)],
    MASTER: [
        ("ha_frame", {"master_offset": offset, "body_bytes": size})
        for offset, size in ((0, 0), (0, 300), (300, 5))
    ],
}
CONTROLLED = {
    SLAVE: make_slave_handshake(2, learner=1) + CONTROLLED_REPORT.pack(2, 2472),
    MASTER: make_master_handshake(2884, (1, 0), (3, 2472))
    + make_controlled_frame(2472, 7, 3, 2472, 2884),
}
CONTROLLED_EVENTS = {
    SLAVE: [
        (
            "ha_handshake_slave",
            {"slave_id": 2, "sync_from_last_file": False, "async_learner": True},
        ),
        ("ha_report", {"slave_offset": 2472, "state": "TRANSFER"}),
    ],
    MASTER: [
        (
            "ha_handshake_master",
            {"master_max_offset": 2884, "epochs": [[1, 0], [3, 2472]], "last_epoch": 3},
        ),
        (
            "ha_frame",
            {
                "master_offset": 2472,
                "body_bytes": 7,
                "epoch": 3,
                "epoch_start_offset": 2472,
                "confirm_offset": 2884,
                "state": "TRANSFER",
            },
        ),
    ],
}


def feed(bytes_seen: LinkBytes, side: str, pieces: list[bytes]) -> list[Event]:
    """The events that these pieces show."""
    return [tuple(each) for piece in pieces for each in bytes_seen.feed(side, piece)]


@pytest.mark.parametrize(
    ("sent", "shown"),
    [(PLAIN, PLAIN_EVENTS), (CONTROLLED, CONTROLLED_EVENTS)],
    ids=["plain", "controlled"],
)
@pytest.mark.parametrize("side", [SLAVE, MASTER])
def test_every_cut_in_two_places_shows_the_same(
    sent: dict[str, bytes], shown: dict[str, list[Event]], side: str
) -> None:
    """The first report or handshake comes before the master's first byte."""
    for places in itertools.combinations_with_replacement(range(0, len(sent[side]) + 1, 3), 2):
        bytes_seen = LinkBytes()
        before = feed(bytes_seen, SLAVE, [sent[SLAVE]]) if side == MASTER else []
        got = feed(bytes_seen, side, list(cut(sent[side], places)))
        assert shown[side] == got, places
        assert before in ([], shown[SLAVE])


def test_a_report_is_shown_as_soon_as_it_is_whole() -> None:
    """Nothing waits for the master: its stamp is that of its last byte."""
    bytes_seen = LinkBytes()
    assert [] == feed(bytes_seen, SLAVE, [b"\0" * 7])
    assert [("ha_report", {"slave_offset": 9})] == feed(bytes_seen, SLAVE, [b"\x09"])
    assert [("ha_report", {"slave_offset": 2**32 + 2})] == feed(
        LinkBytes(), SLAVE, [REPORT.pack(2**32 + 2)]
    )


@pytest.mark.parametrize("offset", [2**32, 2**32 + 65536])
def test_a_report_that_looks_like_a_handshake_waits_for_the_master(offset: int) -> None:
    """Eight bytes do not tell; a master answers a handshake only when all sixteen are there."""
    bytes_seen = LinkBytes()
    assert [] == feed(bytes_seen, SLAVE, [REPORT.pack(offset)])
    shown = [*PLAIN_EVENTS[MASTER][:1]]
    got = feed(bytes_seen, MASTER, [make_frames((0, 0))])
    assert [("ha_report", {"slave_offset": offset}), *shown] == got


BROKEN = {
    "a length below 0": (PLAIN[SLAVE], FRAME.pack(5, 3) + b"abc" + FRAME.pack(8, -1)),
    "a state that there is not": (CONTROLLED[SLAVE], CONTROLLED_HEADER.pack(9, 0, 0, 0)),
    "a body of a handshake that is no list": (
        CONTROLLED[SLAVE],
        CONTROLLED_HEADER.pack(1, 13, 0, 0),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_breaks_the_protocol_is_noted_once(name: str) -> None:
    """What was whole before is shown; nothing is read behind it, and the other side goes on."""
    first, data = BROKEN[name]
    bytes_seen = LinkBytes()
    feed(bytes_seen, SLAVE, [first])
    got = feed(bytes_seen, MASTER, [data, b"more", make_frames((0, 1))])
    assert ["note"] == [kind for kind, _ in got if kind != "ha_frame"]
    assert ("ha_frame", {"master_offset": 5, "body_bytes": 3}) in got or "length" not in name
    assert feed(bytes_seen, SLAVE, [make_reports(1) if first in PLAIN.values() else first[-12:]])
