"""Recordings are explained by the rules of their version, and refused by those of another one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from reference.recordings.clock import Timers, compute_longest_wait_ms, has_slave_housekeeping
from reference.recordings.judging import TraceVerdict, check_recording, check_trace, find_version
from reference.recordings.kinds import IGNORED_KINDS
from reference.recordings.reading import Event, Recording, read_recording
from reference.releases.versions import Version, parse_version
from reference.worlds.replication.commit_log import compute_first_phase
from reference.worlds.replication.state import WAITS_FOR_DISK, WAITS_FOR_SLAVE_CHECK
from tests.reference.recordings.corruptions import change_event, corrupt, move
from tests.reference.recordings.line_simulation import BEFORE, simulate
from tests.reference.recordings.recordings_page import (
    PAGE,
    PATHS,
    VERSIONS,
    compute_row,
    render_table,
    update_page,
)

OLD = Path(__file__).parents[2] / "data" / "traces"
NEW = Path(__file__).parents[2] / "data" / "traces_498"

LATE = parse_version("4.9.8")

REFUSED_AS_OLD = {
    "a_sync_healthy": (72, "took 0.4 ms"),
    "b2_slave_node_rejects_put": (46, "a repeated report"),
    "big_message_acks_slow_link": (208, "after 6 wake-ups"),
    "c_sync_stall_heal": (37, "has_no_wake_up_left"),
    "f_slave_restart_resume": (43, "a repeated report"),
    "g_new_slave_joins_old_master": (122, "next_begin_offset is 38"),
    "h_slave_ahead_aligned": (123, "a repeated report"),
    "h_slave_ahead_async": (95, "a repeated report"),
    "i_two_slaves_one_stalled": (37, "a repeated report"),
    "n_clean_restart": (69, "a repeated report"),
    "o_sync_flush_rollover": (230, "a repeated report"),
    "r_random_seed21": (40, "a repeated report"),
    "r_random_seed22": (105, "closing a connection"),
    "s_idle_500_3000": (30, "a repeated report"),
    "s_idle_default_5000_20000": (32, "a repeated report"),
}
"""Recordings of 4.9.8 that 4.4.0 cannot have made: the first event that tells so, and how."""

REFUSED_AS_NEW = {
    "b2_slave_node_rejects_put": (28, "MESSAGE_ILLEGAL"),
    "big_message_acks": (206, "took 15.4 ms"),
    "big_message_acks_slow_link": (94, "took 47.7 ms"),
    "c_sync_stall_heal": (34, "took 5002.0 ms"),
    "d2_fallbehind_exact": (30, "took 503.3 ms"),
    "f_slave_restart_resume": (49, "still open"),
    "g_new_slave_joins_old_master": (119, "next_begin_offset is 0"),
    "h_slave_ahead_aligned": (111, "has reported nothing"),
    "h_slave_ahead_master_empty": (88, "has reported nothing"),
    "h_slave_ahead_misaligned": (111, "has reported nothing"),
    "k_get_message": (90, "next_begin_offset is 0"),
    "l_wait_store_false": (33, "took 1504.6 ms"),
    "n_clean_restart": (136, "still open"),
    "o_sync_flush_rollover": (63, "give_up_disk_wait"),
    "p_slave_behind_master_min": (115, "took 1001.2 ms"),
    "r_random_seed10": (41, "took 302.9 ms"),
    "r_random_seed11": (192, "took 301.2 ms"),
    "r_random_seed12": (103, "still open"),
    "r_random_seed2": (115, "give_up_disk_wait"),
    "r_random_seed3": (15, "took 316.1 ms"),
    "s_idle_500_3000": (29, "has reported nothing"),
    "s_idle_default_5000_20000": (28, "has reported nothing"),
    "x1_pull_decision_table": (100, "next_begin_offset is 0"),
}
"""Recordings of 4.4.0 that 4.9.8 cannot have made."""


@pytest.mark.parametrize("path", sorted(NEW.glob("*.jsonl")), ids=lambda path: path.stem)
def test_conforms(path: Path) -> None:
    """Every event of a recording of 4.9.8 is explained by its rules."""
    verdict = check_trace(path)
    assert (verdict.reason, verdict.rocketmq_version) == ("", "4.9.8")
    assert verdict.is_conforming
    events = read_recording(path).events
    assert verdict.ignored == sum(event.kind in IGNORED_KINDS for event in events)
    assert verdict.explained + verdict.ignored == len(events)
    assert verdict.fields_checked >= 2 * verdict.explained


def check_told_apart(
    folder: Path, version: Version, telling: dict[str, tuple[int, str]], prefix: str = ""
) -> None:
    """All recordings of a folder, and no others, are refused where it is said."""
    assert all((folder / f"{prefix}{name}.jsonl").exists() for name in telling)
    for path in sorted(folder.glob("*.jsonl")):
        verdict = check_recording(read_recording(path), version=version)
        seq, reason = telling.get(path.stem.removeprefix(prefix), (None, ""))
        assert (path.stem, verdict.first_unexplained_seq) == (path.stem, seq)
        assert reason in verdict.reason, path.stem


def test_4_9_8_is_not_4_4_0() -> None:
    """What conforms under both has nothing in it that the two do differently."""
    check_told_apart(NEW, Version(), REFUSED_AS_OLD, "v498_")


def test_4_4_0_is_not_4_9_8() -> None:
    """The same the other way."""
    check_told_apart(OLD, LATE, REFUSED_AS_NEW)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("s_idle_500_3000", "4.5.2"),
        ("big_message_acks_slow_link", "4.6.0"),
        ("o_sync_flush_rollover", "4.8.0"),
        ("n_clean_restart", "4.9.3"),
        ("k_get_message", "4.9.8"),
    ],
)
def test_the_table_says_since_when(name: str, first: str) -> None:
    """A recording of 4.4.0 conforms up to the version that changed what it shows."""
    row = compute_row(read_recording(OLD / f"{name}.jsonl"))
    assert row.recorded == "4.4.0"
    place = next(i for i, version in enumerate(VERSIONS) if version.name == first)
    telling = row.list_telling()
    assert telling[:place] == (None,) * place
    assert None not in telling[place:]
    table = render_table([row])
    assert table.splitlines()[-1].startswith(f"| `{name}` | 4.4.0 | yes |")
    assert table.count("yes") == place


def test_the_page_has_the_row_of_every_recording() -> None:
    """The table of the page, of which nightly runs compute every cell."""
    text = PAGE.read_text(encoding="utf-8")
    for path in PATHS:
        (row,) = re.findall(rf"^\| `{path.stem}` \| (4\.\d\.\d) \| .* \| (.*) \|$", text, re.M)
        verdict = check_recording(read_recording(path), version=LATE)
        seq = verdict.first_unexplained_seq
        assert row == (
            "4.4.0" if path in OLD.iterdir() else "4.9.8",
            f"seq {seq}" if seq else "yes",
        )


@pytest.mark.nightly
def test_the_page_is_up_to_date() -> None:
    """Every recording under every version of the table."""
    text = PAGE.read_text(encoding="utf-8")
    assert update_page(text, "versions") == text


def test_the_page_says_what_conforms() -> None:
    """Of each recording how much is explained, by the rules of its version."""
    text = PAGE.read_text(encoding="utf-8")
    assert update_page(text, "conformance", "later conformance") == text


def drop(name: str, *seqs: int) -> TraceVerdict:
    """The verdict on a recording of 4.9.8 without some events."""
    recording = read_recording(NEW / f"v498_{name}.jsonl")
    kept = tuple(event for event in recording.events if event.seq not in seqs)
    return check_recording(evolve(recording, events=kept))


@pytest.mark.parametrize(
    ("name", "seqs", "blocked", "reason"),
    [
        ("h_slave_ahead_aligned", (126, 127), 129, "still open"),
        ("h_slave_ahead_aligned", (123,), 126, "closing a connection that is silent"),
        ("n_clean_restart", (141, 142), 153, "still open"),
        ("r_random_seed22", (105, 106), 117, "still open"),
        ("s_idle_500_3000", tuple(range(40, 47)), 48, "has reported nothing"),
    ],
)
def test_what_must_happen_is_missed(
    name: str, seqs: tuple[int, ...], blocked: int, reason: str
) -> None:
    """A slave that is ahead is cut off, a stop closes its connection, an idle slave reports."""
    verdict = drop(name, *seqs)
    assert verdict.first_unexplained_seq == blocked
    assert reason in verdict.reason


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
    changed = change_event(recording, place, dispatched_offset=23576)
    assert "a start waits until it is 24374" in check_recording(changed).reason


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


@pytest.mark.parametrize("seed", range(25))
def test_a_line_of_many_is_explained(seed: int) -> None:
    """Producers that wait for one another, time out late, or are answered after their deadline."""
    assert check_recording(simulate(seed)).reason == ""


def test_another_answer_in_the_line_is_refused() -> None:
    """A time-out that none was, and the reverse: nearly each leaves the line out of order."""
    tried = accepted = 0
    for seed in range(12):
        recording = simulate(seed)
        for place, event in enumerate(recording.events):
            status = {"PUT_OK": TIMED_OUT, TIMED_OUT: "PUT_OK"}.get(
                event.data.get("put_status", "")
            )
            if status and event.data["duration_ms"] > 50 and place > len(BEFORE):
                copy = change_event(recording, place, put_status=status)
                tried, accepted = tried + 1, accepted + check_recording(copy).is_conforming
    assert tried > 50
    assert accepted <= tried // 20


def test_clock_rules_follow_the_version() -> None:
    """Which properties count, and for how long, is a matter of the version."""

    def make(version: str) -> Timers:
        return Timers(500, 5000, 3000, slave_timeout_ms=3000, version=parse_version(version))

    assert compute_longest_wait_ms(make("4.9.0")) == 3000
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
    recording = read_recording(NEW / "v498_o_sync_flush_rollover.jsonl")
    for name, first in (("4.6.0", WAITS_FOR_DISK), ("4.7.0", WAITS_FOR_SLAVE_CHECK)):
        verdict = check_recording(recording, version=parse_version(name))
        assert verdict.is_conforming
        assert verdict.cluster is not None
        assert compute_first_phase(verdict.cluster) == first


def find_accepted(name: str, is_asked: Callable[[str], bool], stride: int) -> list[str]:
    """Categories of corrupted copies that conform, of those that are asked for."""
    asked = [
        each
        for each in corrupt(read_recording(NEW / f"v498_{name}.jsonl"))
        if is_asked(each.category)
    ]
    assert asked
    return [
        f"{each.category} {each.seq}"
        for each in asked[::stride]
        if check_recording(each.recording).is_conforming
    ]


@pytest.mark.parametrize(
    "name", ["d2_fallbehind_exact", "h_slave_ahead_aligned", "c_sync_stall_heal"]
)
def test_corrupted_copies_are_refused(name: str) -> None:
    """Another answer, another offset, a shorter wait: none of them can have happened."""

    def is_asked(category: str) -> bool:
        return category in (
            "status",
            "short time-out",
            "ha_report.slave_offset",
            "put.wrote_offset",
        )

    assert find_accepted(name, is_asked, 3) == []
