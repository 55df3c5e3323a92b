"""Alarms: each on both sides of its boundary, and those of every recording."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from brokers.recorder.line import Line
from brokers.recorder.watch.alarms import DEFINITIONS, Alarm
from brokers.recorder.watch.output import as_json, describe_alarm, list_watch_metrics
from brokers.recorder.watch.output import render_metrics as render
from brokers.recorder.watch.watch import Watch
from tests.brokers.recorder.alarms_page import (
    PAGE,
    list_alarming,
    list_alarms,
    read_table,
    update_page,
)
from tests.brokers.recordings.recordings_page import replace_table
from tests.brokers.recordings.shared import ALL

NODES = {
    "master": {"role": "SYNC_MASTER", "store_config": {}},
    "slave1": {"role": "SLAVE", "store_config": {}},
}
LINK: dict[str, Any] = {"link": "link_slave1", "conn": 1}
PUT = {
    "node": "master",
    "wait_store_ok": True,
    "put_status": "PUT_OK",
    "wrote_offset": 100,
    "wrote_bytes": 50,
    "max_offset_after": 150,
    "connection_count_before": 1,
    "connection_count_after": 1,
}


def look(t_ms: float, node: str, end: int, dispatched: int | None = None, begin: int = 0) -> Line:
    """A snapshot."""
    at = end if dispatched is None else dispatched
    fields = {"node": node, "max_offset": end, "min_offset": begin, "dispatched_offset": at}
    return Line(t_ms, "snapshot", fields)


def report(t_ms: float, offset: int) -> Line:
    """What a slave reports."""
    return Line(t_ms, "ha_report", {**LINK, "slave_offset": offset})


def frame(t_ms: float, offset: int, size: int) -> Line:
    """What its master sends."""
    return Line(t_ms, "ha_frame", {**LINK, "master_offset": offset, "body_bytes": size})


def link(t_ms: float, kind: str, **fields: Any) -> Line:
    """Something else of the link."""
    return Line(t_ms, kind, {**LINK, **fields})


def put(t_ms: float, begin_ms: float, **changes: Any) -> Line:
    """A put that was answered."""
    return Line(t_ms, "put", {**PUT, "t_begin_ms": begin_ms, **changes})


def died(t_ms: float, node: str) -> Line:
    """A process was killed."""
    return Line(t_ms, "node_kill9", {"node": node})


def late(line: Line, by_ms: float = 300.0) -> Line:
    """A line whose stamp was moved because it came late."""
    return line._replace(late_ms=by_ms)


OPEN = link(0, "ha_link_open")
CLOSED = link(60, "ha_link_close", closed_by="slave")
HELD = Line(30, "link_stalled", {**LINK, "slave_to_master": True, "master_to_slave": True})
OUTRUN = (OPEN, report(10, 90), look(20, "master", 500, begin=100))
MASTER_LOOKS = (look(0, "master", 300), look(5, "slave1", 250, 100))

LATE = "order_unknown"

CASES: dict[str, tuple[tuple[Line, ...], str]] = {
    "a slave's report above a later look": (
        (OPEN, report(10, 101), look(50, "master", 100)),
        "slave_ahead",
    ),
    "the same end": ((OPEN, report(10, 100), look(50, "master", 100)), ""),
    "a look that may be earlier": ((OPEN, report(48, 101), look(50, "master", 100)), ""),
    "the connection has ended": (
        (OPEN, report(10, 101), CLOSED, look(90, "master", 100)),
        "",
    ),
    "a look that came late": ((OPEN, report(10, 101), late(look(50, "master", 100))), LATE),
    "a slave's look that came late": (
        (late(look(10, "slave1", 101)), look(50, "master", 100)),
        LATE,
    ),
    "a report that came late, after its slave's end": (
        (OPEN, died(5, "slave1"), late(report(10, 101)), look(50, "master", 100)),
        LATE,
    ),
    "a slave's look": ((look(10, "slave1", 101), look(50, "master", 100)), "slave_ahead"),
    "a slave that was killed": (
        (look(10, "slave1", 101), died(20, "slave1"), look(50, "master", 100)),
        "",
    ),
    "a position below the first file": (
        (*OUTRUN, look(1100, "master", 500, begin=100)),
        "slave_outrun",
    ),
    "not for a second": ((*OUTRUN, look(900, "master", 500, begin=100)), ""),
    "at the first file": (
        (OPEN, report(10, 100), *(look(t, "master", 500, begin=100) for t in (20, 1100))),
        "",
    ),
    "an empty slave": (
        (OPEN, report(10, 0), *(look(t, "master", 500, begin=100) for t in (20, 1100))),
        "",
    ),
    "it is sent something": (
        (*OUTRUN, frame(700, 90, 20), look(1100, "master", 500, begin=100)),
        "",
    ),
    "held back by the proxy": ((*OUTRUN, HELD, look(1100, "master", 500, begin=100)), ""),
    "an empty slave above a put": (
        (OPEN, report(10, 0), frame(20, 150, 0), put(30, 5, put_status="FLUSH_SLAVE_TIMEOUT")),
        "positioned_above_put",
    ),
    "an empty slave above a put that came late": (
        (
            OPEN,
            report(10, 0),
            frame(20, 150, 0),
            late(put(30, 5, put_status="FLUSH_SLAVE_TIMEOUT")),
        ),
        LATE,
    ),
    "an empty slave whose first frame came late": (
        (
            OPEN,
            report(10, 0),
            late(frame(20, 150, 0)),
            put(30, 5, put_status="FLUSH_SLAVE_TIMEOUT"),
        ),
        LATE,
    ),
    "at the put": (
        (OPEN, report(10, 0), frame(20, 149, 0), put(30, 5, put_status="FLUSH_SLAVE_TIMEOUT")),
        "",
    ),
    "before the put": (
        (OPEN, report(2, 0), frame(3, 150, 0), put(30, 5, put_status="FLUSH_SLAVE_TIMEOUT")),
        "",
    ),
    "a slave that has a log": (
        (OPEN, report(10, 150), frame(20, 150, 0), put(30, 5, put_status="FLUSH_SLAVE_TIMEOUT")),
        "",
    ),
    "acknowledged, and sent in two frames": (
        (OPEN, report(1, 9), frame(10, 100, 30), frame(11, 130, 20), put(30, 5)),
        "",
    ),
    "acknowledged without its last byte": (
        (OPEN, report(1, 9), frame(10, 100, 49), put(30, 5)),
        "false_acknowledgement",
    ),
    "acknowledged, and the put came late": (
        (OPEN, report(1, 9), frame(10, 100, 49), late(put(30, 5))),
        LATE,
    ),
    "acknowledged, and a frame came late": (
        (OPEN, report(1, 9), late(frame(10, 100, 49)), put(30, 5)),
        LATE,
    ),
    "acknowledged with bytes of an earlier life": (
        (OPEN, report(1, 9), frame(2, 100, 50), put(130, 105)),
        "false_acknowledgement",
    ),
    "does not wait": ((OPEN, frame(2, 0, 9), put(130, 105, wait_store_ok=False)), ""),
    "not acknowledged": ((OPEN, put(130, 105, put_status="SLAVE_NOT_AVAILABLE")), ""),
    "a connection that is not recorded": ((OPEN, put(130, 105, connection_count_after=2)), ""),
    "a master that dispatches nothing": (
        (look(0, "master", 300, 100), look(1010, "master", 300, 100)),
        "dispatch_stuck",
    ),
    "for a shorter time": ((look(0, "master", 300, 100), look(900, "master", 300, 100)), ""),
    "whose second look came late": (
        (look(0, "master", 300, 100), late(look(1010, "master", 300, 100))),
        LATE,
    ),
    "whose end between them came late": (
        (
            look(0, "master", 300, 100),
            late(died(1005, "master")),
            look(1010, "master", 300, 100),
        ),
        LATE,
    ),
    "that dispatches something": (
        (look(0, "master", 300, 100), look(1010, "master", 300, 101)),
        "",
    ),
    "that was killed in between": (
        (look(0, "master", 300, 100), died(500, "master"), look(1010, "master", 300, 100)),
        "",
    ),
    "a slave that waits for the rest of a record": (
        (*MASTER_LOOKS, look(1100, "slave1", 299, 100)),
        "",
    ),
    "a slave that has a whole record": (
        (look(0, "master", 250), look(5, "slave1", 250, 100), look(1100, "slave1", 299, 100)),
        "dispatch_stuck",
    ),
}


def watch(lines: Iterable[Line], nodes: dict[str, Any] = NODES, release: str = "4.4.0") -> Watch:
    """A watch that was told these lines; its alarms are in the list that it tells."""
    alarms = list[Alarm]()
    watching = Watch(alarms.append)
    watching.describe(nodes, release)
    for line in lines:
        watching.feed(line)
    return watching


def list_names(watching: Watch) -> list[str]:
    """What it has raised."""
    return [name for name, _ in watching.counts]


@pytest.mark.parametrize("name", CASES)
def test_an_alarm_is_raised_where_the_facts_say_so(name: str) -> None:
    """And nowhere else."""
    lines, expected = CASES[name]
    assert ([expected] if expected else []) == list_names(watch(lines))


def test_every_alarm_has_both_sides() -> None:
    """A definition without a case would be a word only."""
    assert {each.name for each in DEFINITIONS} == {name for _, name in CASES.values() if name}


def test_the_order_is_known_again_after_a_while() -> None:
    """Each late line counts; one warning for all of them, which ends."""
    alarms = list[Alarm]()
    watching = Watch(alarms.append)
    watching.describe(NODES, "4.4.0")
    for t_ms in (0.0, 9_000.0):
        watching.feed(late(look(t_ms, "master", 100)))
    watching.tick(18_999.0)
    assert ["warning"] == [each.definition.severity for each in alarms]
    assert "300 ms" in alarms[0].text
    watching.tick(19_000.0)
    assert [False, True] == [each.is_over for each in alarms]
    assert not watching.active


ACKNOWLEDGED = CASES["acknowledged without its last byte"][0]


@pytest.mark.parametrize(
    ("role", "release", "settings", "is_alarm"),
    [
        ("ASYNC_MASTER", "4.4.0", {}, False),
        ("SYNC_MASTER", "4.9.8", {}, True),
        ("SYNC_MASTER", "5.3.3", {}, False),
        ("SYNC_MASTER", "5.3.3", {"inSyncReplicas": 2}, True),
        ("SYNC_MASTER", "7.0.0", {}, True),
    ],
)
def test_only_puts_that_wait_for_a_slave_can_be_false(
    role: str, release: str, settings: dict[str, Any], *, is_alarm: bool
) -> None:
    """A master of 5.x waits for none, unless it is told to."""
    nodes = {**NODES, "master": {"role": role, "store_config": settings}}
    watching = watch(ACKNOWLEDGED, nodes, release)
    assert is_alarm is ("false_acknowledgement" in list_names(watching))


def test_an_alarm_that_lasts_is_told_once_and_ends() -> None:
    """And can be raised again."""
    alarms = list[Alarm]()
    watching = Watch(alarms.append)
    watching.describe(NODES, "4.4.0")
    for t_ms, end in ((50, 100), (60, 100), (70, 101), (80, 100)):
        watching.feed(OPEN if t_ms == 50 else report(t_ms, 101))
        watching.feed(report(t_ms - 45, 101))
        watching.feed(look(t_ms, "master", end))
    assert [(False, 1), (True, 1), (False, 2)] == [(a.is_over, a.count) for a in alarms]
    assert [False, True] == [key in watching.active for key in (("x", "y"), *watching.counts)]


def test_output_of_alarms() -> None:
    """Lines, JSON, and what Prometheus reads; names with quotes are escaped."""
    nodes = {'a"b\\': NODES["master"], "slave1": NODES["slave1"]}
    watching = Watch(told := list[Alarm]().append)
    alarms: list[Alarm] = told.__self__  # type: ignore[attr-defined]
    watching.describe(nodes, "4.4.0")
    for line in (OPEN, report(10, 101), look(2050, 'a"b\\', 100)):
        watching.feed(line)
    assert describe_alarm(alarms[0], began_ms=0.0).startswith(
        "2.050 s critical slave_ahead slave1: slave1 holds 101, its master ends at 100; since 0.010"
    )
    assert ("slave_ahead", "raised", 10) == tuple(
        json.loads(json.dumps(as_json(alarms[0])))[name] for name in ("alarm", "state", "since_ms")
    )
    text = render(list_watch_metrics(watching))
    labels = '{alarm="slave_ahead",severity="critical",subject="slave1"}'
    assert f"rmqspec_alarms_total{labels} 1\n" in text
    assert f"rmqspec_alarm_active{labels} 1\n" in text
    assert 'rmqspec_log_end_offset{node="a\\"b\\\\"} 100\n' in text
    names = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(set(names)) == len(names)
    assert all(
        line.split("{")[0].split()[0] in names for line in text.splitlines() if line[0] != "#"
    )


@pytest.mark.parametrize("path", list_alarming(), ids=lambda path: path.stem)
def test_alarms_of_a_recording(path: Path) -> None:
    """Those of the page."""
    assert read_table(PAGE.read_text(encoding="utf-8"))[path.stem] == list_alarms(path)


@pytest.mark.nightly
def test_no_other_recording_has_an_alarm() -> None:
    """The page has all alarms of all recordings."""
    text = PAGE.read_text(encoding="utf-8")
    assert text == update_page(text)
    silent = [path for path in ALL if path not in list_alarming()]
    assert {path.stem: [] for path in silent} == {path.stem: list_alarms(path) for path in silent}


def test_a_table_is_replaced() -> None:
    """The test above would notice a change."""
    changed = replace_table(PAGE.read_text(encoding="utf-8"), "alarms", "nothing")
    assert {} == read_table(changed)
