"""What only some releases do is looked for in the recordings of those releases."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from attrs import evolve

from brokers.recordings.clock import Timers, compute_longest_wait_ms, has_slave_housekeeping
from brokers.recordings.judging import TraceVerdict, check_recording, find_version
from brokers.recordings.kinds import IGNORED_KINDS
from brokers.recordings.reading import Event, Recording, TraceError, read_recording
from reference.releases.versions import parse_version
from reference.worlds.replication.commit_log import compute_first_phase
from reference.worlds.replication.state import WAITS_FOR_DISK, WAITS_FOR_SLAVE_CHECK
from tests.brokers.recordings.changes.edits import change_event, move
from tests.brokers.recordings.changes.events import change_events
from tests.brokers.recordings.changes.perturber import read_again
from tests.brokers.recordings.changes.values import change_values
from tests.brokers.recordings.shared import cut_behind

NEW = Path(__file__).parents[2] / "data" / "traces_498"


def drop(name: str, *seqs: int, is_clock_exact: bool = False) -> TraceVerdict:
    """The verdict on a recording of 4.9.8 without some events."""
    recording = read_recording(NEW / f"v498_{name}.jsonl")
    kept = tuple(event for event in recording.events if event.seq not in seqs)
    return check_recording(evolve(recording, events=kept), is_clock_exact=is_clock_exact)


@pytest.mark.parametrize(
    ("name", "seqs", "blocked", "reason"),
    [
        pytest.param(
            *("h_slave_ahead_aligned", (126, 127), 129, "is not noted anywhere"),
            marks=pytest.mark.nightly,
        ),
        ("n_clean_restart", (141, 142), 153, "still open"),
        ("r_random_seed22", (105, 106), 117, "still open"),
        ("h_slave_ahead_aligned", (123,), 126, "closing a connection that is silent"),
    ],
)
def test_what_must_happen_is_missed(
    name: str, seqs: tuple[int, ...], blocked: int, reason: str
) -> None:
    """A slave that is ahead is cut off, and a stop closes its connection."""
    verdict = drop(name, *seqs, is_clock_exact=True)
    assert verdict.first_unexplained_seq == blocked
    assert reason in verdict.reason


@pytest.mark.parametrize(
    ("name", "seqs", "blocked", "reason"),
    [("s_idle_500_3000", tuple(range(40, 47)), 48, "has reported nothing")],
)
def test_what_only_an_exact_clock_tells_is_missed(
    name: str, seqs: tuple[int, ...], blocked: int, reason: str
) -> None:
    """An idle slave reports, and is not cut off early; else a stamp may be late by any time."""
    verdict = drop(name, *seqs, is_clock_exact=True)
    assert verdict.first_unexplained_seq == blocked
    assert reason in verdict.reason
    assert drop(name, *seqs).is_conforming


def test_an_own_report_is_not_repeated_early() -> None:
    """What comes from the master does not count, but the interval does."""
    recording = read_recording(NEW / "v498_s_idle_500_3000.jsonl")
    places = [i for i, event in enumerate(recording.events) if event.kind == "ha_report"]
    before, place = places[3:5]
    early_ms = recording.events[before].t_ms + 300.0
    verdict = check_recording(move(recording, place, early_ms))
    assert "the next report after one of the slave's own took 300.0 ms" in verdict.reason


def test_a_restart_waits_for_its_dispatch() -> None:
    """From 4.5.1 on a broker is not started before it has dispatched what it has."""
    recording = read_recording(NEW / "v498_n_clean_restart.jsonl")
    place = next(i for i, event in enumerate(recording.events) if event.seq == 120)
    verdict = check_recording(change_event(recording, place, dispatched_offset=23576))
    assert verdict.first_unexplained_seq == 120
    assert "dispatched_offset" in verdict.reason


def test_the_body_has_a_limit() -> None:
    """A message of 8192 bytes is taken, and one with a body of as many; no larger body is."""
    recording = read_recording(NEW / "v498_b2_slave_node_rejects_put.jsonl")
    place = next(i for i, event in enumerate(recording.events) if event.seq == 30)
    for size, is_possible in ((8192, False), (8193, True)):
        verdict = check_recording(change_event(recording, place, body_bytes=size))
        assert verdict.is_conforming == is_possible


TIMED_OUT = "FLUSH_SLAVE_TIMEOUT"
STALLED = read_recording(NEW / "v498_c_sync_stall_heal.jsonl")


def with_slave_timeout(config: Event, timeout_ms: int) -> Event:
    """A configuration with another ``slaveTimeout`` everywhere."""
    nodes = {
        name: {**node, "store_config": {**node["store_config"], "slaveTimeout": timeout_ms}}
        for name, node in config["nodes"].items()
    }
    return evolve(config, data={**config.data, "nodes": nodes})


def make_line(*puts: tuple[float, float], timeout_ms: int) -> Recording:
    """Puts of a stalled link: when each is called, and how long it takes to time out."""
    (template,) = (e for e in STALLED.events if e.data.get("msg_id") == "st0")
    start_ms, size = template["t_begin_ms"], template["wrote_bytes"]
    before = [e for e in STALLED.events if e.seq < template.seq and e.kind not in IGNORED_KINDS]
    ends = sorted((begin + took, number) for number, (begin, took) in enumerate(puts))
    found: list[Event] = []
    for seq, (end_ms, number) in enumerate(ends, start=template.seq):
        begin_ms, took_ms = puts[number]
        called = sum(begin <= end_ms for begin, _ in puts)
        data = {
            **template.data,
            "t_begin_ms": start_ms + begin_ms,
            "duration_ms": took_ms,
            "wrote_offset": template["wrote_offset"] + number * size,
            "queue_offset": template["queue_offset"] + number,
            "max_offset_after": template["wrote_offset"] + called * size,
        }
        found.append(evolve(template, seq=seq, t_ms=start_ms + end_ms, data=data))
    config = with_slave_timeout(STALLED.config, timeout_ms)
    return evolve(STALLED, config=config, events=(*before, *found))


@pytest.mark.parametrize(
    ("timeout_ms", "puts", "is_possible"),
    [
        (500, [(0, 1001)], True),
        (500, [(0, 503)], False),
        (500, [(0, 2001)], False),
        (1000, [(0, 1002), (0.5, 1001), (2, 2002), (2.3, 2000)], True),
        (3000, [(0, 3001), (250, 3751), (500, 3502), (1250, 3752)], True),
        (3000, [(0, 3001), (250, 3001)], False),
        (3000, [(0, 3001), (250, 3751), (500, 3002)], False),
        (500, [(0, 1001), (300, 702)], True),
        (500, [(0, 1001), (300, 1701)], False),
    ],
)
def test_waits_in_the_line_add_up(
    timeout_ms: int, puts: list[tuple[float, float]], is_possible: bool
) -> None:
    """Whole waits of a second from a put's turn on, one put after another (findings 5 and 6)."""
    recording = make_line(*puts, timeout_ms=timeout_ms)
    assert check_recording(recording).is_conforming == is_possible


def test_a_put_does_not_wait_beyond_its_deadline() -> None:
    """The first report comes 2 s after the connect: with less time a put is given up before."""
    recording = read_recording(NEW / "v498_u_rollover_while_slave_joins.jsonl")
    short = evolve(recording, config=with_slave_timeout(recording.config, 300))
    verdict = check_recording(short)
    assert verdict.first_unexplained_seq == 58
    assert "PUT_OK took" in verdict.reason


def test_clock_rules_follow_the_version() -> None:
    """Which properties count, and for how long, is a matter of the version."""

    def make(version: str) -> Timers:
        return Timers(500, 5000, 3000, slave_timeout_ms=3000, version=parse_version(version))

    assert compute_longest_wait_ms(make("4.9.2")) == math.inf
    assert compute_longest_wait_ms(make("4.6.1")) == 3000
    assert compute_longest_wait_ms(make("4.9.8")) == 4000
    assert has_slave_housekeeping(make("4.4.0"))
    assert not has_slave_housekeeping(make("4.5.2"))
    assert evolve(make("4.4.0"), slave_timeout_ms=None).slave_wait_ms == 5000


@pytest.mark.parametrize(
    ("named", "found"),
    [("4.9.8", "4.9.8"), ("4.4.0", "4.4.0"), (None, "4.4.0"), ("4.9.77", None), (7, None)],
)
def test_a_recording_names_its_version(named: object, found: str | None) -> None:
    """The one that stands in its first line; 4.4.0 where none stands there."""
    data = {name: each for name, each in STALLED.config.data.items() if name != "rocketmq"}
    data = data if named is None else {**data, "rocketmq": named}
    version = find_version(evolve(STALLED, config=evolve(STALLED.config, data=data)))
    assert (version.name if version else None) == found


def test_logs_tell_of_a_stop() -> None:
    """Without its log no event of this recording tells why the master refuses the put."""
    recording = read_recording(NEW / "v498_b2_slave_node_rejects_put.jsonl")
    assert check_recording(recording).is_conforming
    kept = tuple(event for event in recording.events if event.kind != "log")
    verdict = check_recording(evolve(recording, events=kept))
    assert verdict.first_unexplained_seq == 42


def test_both_orders_of_a_put_come_to_the_same_answer() -> None:
    """4.6.0 looks at the disk first, 4.7.0 at the slaves: the same code follows the phase."""
    recording = cut_behind(read_recording(NEW / "v498_o_sync_flush_rollover.jsonl"), 100)
    for name, first in (("4.6.0", WAITS_FOR_DISK), ("4.7.0", WAITS_FOR_SLAVE_CHECK)):
        verdict = check_recording(recording, version=parse_version(name))
        assert verdict.is_conforming
        assert verdict.cluster is not None
        assert compute_first_phase(verdict.cluster) == first


COPIES = 5
"""How many changed copies of a recording are judged for each field."""

ASKED = ("put.put_status", "ha_report.slave_offset", "put.wrote_offset", "too short")
"""Another answer, another offset, a shorter wait."""


@pytest.mark.parametrize(
    "name", ["d2_fallbehind_exact", "h_slave_ahead_aligned", "c_sync_stall_heal"]
)
def test_changed_copies_are_refused(name: str) -> None:
    """None of them can have happened."""
    recording, chance = read_recording(NEW / f"v498_{name}.jsonl"), random.Random(name)
    every = [*change_values(recording, chance, lambda *_: True), *change_events(recording)]
    for asked in ASKED:
        found = [each for each in every if asked in (each.name, each.change)]
        for each in chance.sample(found, min(COPIES, len(found))):
            assert check_recording_or_refuse(each.apply(recording)), each.describe()


def check_recording_or_refuse(copy: Recording) -> bool:
    """It is no recording, or rejected."""
    try:
        return not check_recording(read_again(copy)).is_conforming
    except TraceError:
        return True
