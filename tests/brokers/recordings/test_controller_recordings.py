"""Recordings of controller mode: the mode, changes of roles, and changed copies."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from brokers.recordings.ahead.elections import number_epochs
from brokers.recordings.inspection.looks import Looks
from brokers.recordings.judging import (
    CONFORMS,
    REJECTED,
    UNDECIDED,
    check_recording,
    find_version,
)
from brokers.recordings.reading import Event, Recording, read_recording
from brokers.recordings.roles.places import take_places
from reference.releases.versions import parse_version
from tests.brokers.recordings.shared import LATEST, cut_behind

ALIKE = LATEST / "v533_quorum_a_sync_healthy.jsonl"

HEALTHY, ALONE, FAILOVER, WHOLE_LOG, LYING, ELECTED, TRUNCATED, LATE, KILLED, EMPTY = (
    "a_healthy_shrink_expand",
    "b_master_alone",
    "c_failover_truncation",
    "e_empty_slave_whole_log",
    "h_slave_power_loss_below_epoch",
    "h2_lying_member_is_elected",
    "m_member_truncates",
    "m2_election_truncates",
    "n_killed_before_append",
    "n0_empty_slave_killed_before_append",
)
SAME_EPOCH, BACK, INSIDE, BACK_AFTER_KILL = (
    "d2_power_loss_same_epoch",
    "x_truncated_bytes_acknowledge",
    "x2_truncated_bytes_end_inside",
    "x3_truncated_bytes_after_kill",
)


def read(name: str) -> Recording:
    """One of the recordings."""
    return read_recording(LATEST / f"v533_controller_{name}.jsonl")


def with_settings(recording: Recording, where: str, **settings: Any) -> Recording:
    """A copy whose brokers have other settings, too."""
    nodes: Mapping[str, Any] = recording.config["nodes"]
    changed = {n: {**node, where: {**node[where], **settings}} for n, node in nodes.items()}
    config = evolve(recording.config, data={**recording.config.data, "nodes": changed})
    return evolve(recording, config=config)


def test_the_mode_is_found() -> None:
    """It stands in the configuration of the broker, not of its store; without it there is none."""
    recording = read(HEALTHY)
    assert find_version(recording) == parse_version("5.3.3-controller")
    without = with_settings(recording, "broker_config", enableControllerMode=False)
    assert find_version(without) == parse_version("5.3.3")


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"inSyncReplicas": 3}, "inSyncReplicas=3 of master: this value requires more slaves"),
        ({"minInSyncReplicas": 2}, "minInSyncReplicas=2 of master"),
        ({"readUnCommitted": True}, "readUnCommitted=true of master"),
    ],
)
def test_settings_outside_the_model_are_refused(settings: Mapping[str, Any], reason: str) -> None:
    """Nobody says of them that they conform, or that they do not."""
    verdict = check_recording(with_settings(read_recording(ALIKE), "store_config", **settings))
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, 0)
    assert verdict.reason.startswith(reason)


def test_a_set_of_which_not_all_are_waited_for_is_refused() -> None:
    """Without allAckInSyncStateSet a put is answered before every member has it (V-33)."""
    changed = with_settings(read(HEALTHY), "store_config", allAckInSyncStateSet=False)
    assert "is compared with allAckInSyncStateSet=true only" in check_recording(changed).reason


def test_other_modes_have_no_controller() -> None:
    """Under the rules of another mode the first role that a controller tells is refused."""
    verdict = check_recording(read(HEALTHY), version=parse_version("5.3.3-quorum"))
    assert (verdict.verdict, verdict.first_unexplained_seq) == (REJECTED, 15)


def test_notes_of_a_controller_have_kinds_of_their_own(tmp_path: Path) -> None:
    """What stands in a note is read as if it were an event; a note that lacks a field stays one."""
    lines = (LATEST / f"v533_controller_{HEALTHY}.jsonl").read_text(encoding="utf-8").splitlines()
    told = json.loads(lines[15])
    assert (told["ev"], told["what"], told["at"]) == ("note", "to_master", "master")
    assert read(HEALTHY).events[14].kind == "to_master"
    assert read(HEALTHY).events[14]["node"] == "master"
    as_event = {**told, "ev": "to_master", "node": "master"}
    del told["epochs"]
    path = tmp_path / "kinds.jsonl"
    path.write_text("\n".join([*lines[:15], json.dumps(told)]), encoding="utf-8")
    assert read_recording(path).events[-1].kind == "note"
    path.write_text("\n".join([*lines[:15], json.dumps(as_event)]), encoding="utf-8")
    assert read_recording(path).events[-1].kind == "to_master"


def test_an_elected_slave_is_at_the_place_of_the_master() -> None:
    """Names, ids and links are exchanged from its election on; connections are counted on."""
    recording = read(FAILOVER)
    by_place = {event.seq: event for event in take_places(recording).events}
    assert by_place[100]["node"] == "slave1"
    assert (by_place[112]["node"], by_place[112]["sync_state_set"]) == ("master", [1])
    assert by_place[148]["node"] == "slave1"
    opened = by_place[158]
    assert (opened["link"], opened["conn"]) == ("link_slave1", 2)
    assert by_place[160]["slave_id"] == 2
    assert by_place[191]["connections"][0]["slave_id"] == 2
    alone = read(ALONE)
    assert take_places(alone) is alone


def test_connections_of_a_place_are_counted_on_when_its_first_broker_is_back() -> None:
    """Two of another broker came between: the third of them is not the second of the place."""
    events = [e for e in take_places(read(BACK)).events if e.kind == "ha_link_open"]
    assert [(e["link"], e["conn"]) for e in events] == [("link_slave1", n) for n in (1, 2, 3, 4)]


def test_to_exchange_places_is_not_to_look() -> None:
    """What nobody looks at is told as such, though every event was renamed."""
    recording = read(FAILOVER)
    looks = Looks()
    check_recording(looks.watch(recording))
    never = looks.count(recording).never_read
    assert {"node_started.confirm_offset", "node_started.load_ok"} <= set(never)
    assert "snapshot.epochs.[].[]" not in never


def add(name: str, number: int) -> Callable[[Event], Mapping[str, Any]]:
    """A number is another one."""
    return lambda event: {name: event[name] + number}


def give(**fields: Any) -> Callable[[Event], Mapping[str, Any]]:
    """Fields have these values."""
    return lambda _: fields


CORRUPTIONS: Mapping[str, tuple[str, int, Callable[[Event], Mapping[str, Any]]]] = {
    "an epoch that begins elsewhere": (ALONE, 132, give(epochs=[[1, 0, 1647], [2, 1647, -1]])),
    "an epoch of another number": (ALONE, 15, give(epochs=[[2, 0, -1]])),
    "an epoch too many": (ALONE, 15, give(epochs=[[1, 0, 0], [2, 0, -1]])),
    "an epoch that ends elsewhere": (FAILOVER, 156, give(epochs=[[1, 0, 2061], [2, 2060, -1]])),
    "an epoch that a slave cannot have": (ALONE, 159, give(epochs=[[1, 0, 1648], [2, 1648, -1]])),
    "a lost epoch file": (LYING, 200, give(epochs=[[1, 0, -1]])),
    "epochs before a role": (ALONE, 10, give(epochs=[[1, 0, -1]])),
    "a handshake with other epochs": (WHOLE_LOG, 83, give(epochs=[[1, 0], [2, 16384]])),
    "a handshake of a longer log": (ALONE, 169, add("master_max_offset", 1)),
    "a handshake of another slave": (ALONE, 36, give(slave_id=1)),
    "a handshake on no connection": (ALONE, 36, give(conn=2)),
    "a member that has not reported": (HEALTHY, 48, give(sync_state_set=[1, 2])),
    "a set without its slave": (HEALTHY, 63, give(sync_state_set=[1])),
    "a set with a stranger": (HEALTHY, 62, give(sync_state_set=[1, 2, 3])),
    "a request that changes nothing": (HEALTHY, 61, give(set=[1])),
    "a slave that shows a set": (HEALTHY, 65, give(sync_state_set=[1, 2])),
    "a report after a handshake": (FAILOVER, 181, add("slave_offset", 412)),
    "a report of what the slave holds": (LYING, 225, give(slave_offset=4060)),
    "a report in a handshake": (HEALTHY, 52, give(state="HANDSHAKE")),
    "a frame of another epoch": (WHOLE_LOG, 98, give(epoch=2, epoch_start_offset=20949)),
    "a frame of an epoch from elsewhere": (ALONE, 187, add("epoch_start_offset", 1)),
    "a confirm offset beyond reports": (HEALTHY, 105, give(confirm_offset=8166)),
    "a frame with a later confirm offset": (HEALTHY, 66, give(confirm_offset=1648)),
    "a time-out without a wait": (HEALTHY, 68, give(put_status="FLUSH_SLAVE_TIMEOUT")),
    "an answer before all have reported": (ALONE, 91, give(put_status="PUT_OK")),
    "a set after a put": (ALONE, 94, give(sync_state_set_after=[1, 2])),
    "an election that has failed": (FAILOVER, 112, give(result=False)),
    "an elected slave with a longer log": (FAILOVER, 112, give(max_offset=3746)),
    "an epoch that no broker was told": (TRUNCATED, 153, give(epochs=[[1, 0], [2, 1648]])),
    "a frame of an epoch that no broker was told": (TRUNCATED, 104, give(epoch=2)),
    "a kill in a frame whose epoch is not recorded": (KILLED, 170, give(epochs=[[1, 0, -1]])),
    "a second handshake elsewhere": (SAME_EPOCH, 144, give(conn=2)),
    "a truncation that is not late": (LATE, 161, give(max_offset=2884)),
    "a truncation that is late and elsewhere": (LATE, 183, give(max_offset=2060)),
    "an abort file with all dispatched that is confirmed": (
        BACK,
        120,
        give(abort_file_present=True),
    ),
    "old bytes behind a record": (BACK, 284, give(max_offset=1649)),
    "more old bytes than were cut": (BACK, 284, give(max_offset=2060)),
    "a late report of an empty slave": (EMPTY, 207, give(ha_client_reported_offset=2871)),
    "an epoch that was not recorded": (ELECTED, 299, give(epochs=[[1, 0, 4060], [3, 4060, -1]])),
}
"""In words: the recording, the event by ``seq``, and what is another value there."""


LEFT_UNDECIDED = ("a report of what the slave holds",)
"""Where the search ends for want of steps: so much is possible, that it does not try all of it."""


@pytest.mark.parametrize("what", CORRUPTIONS)
def test_a_changed_copy_is_rejected(what: str) -> None:
    """At the changed event, or soon after it; the recording up to there conforms."""
    name, seq, change = CORRUPTIONS[what]
    recording = read(name)
    changed = next(event for event in recording.events if event.seq == seq)
    copy = evolve(changed, data={**changed.data, **change(changed)})
    events = tuple(copy if event.seq == seq else event for event in recording.events)
    last = max(e.seq for e in events if e.t_ms <= changed.t_ms + 6_000)
    verdict = check_recording(cut_behind(evolve(recording, events=events), last))
    allowed = {REJECTED, UNDECIDED} if what in LEFT_UNDECIDED else {REJECTED}
    assert verdict.verdict in allowed, verdict.reason
    assert verdict.first_unexplained_seq is not None
    assert verdict.first_unexplained_seq >= seq


def test_a_member_truncates_what_was_acknowledged() -> None:
    """Four messages, answered with both brokers in the set, are on no broker at the end.

    The frames that brought them named the epoch before, so the slave has recorded no other one.
    """
    recording = read(TRUNCATED)
    by_seq = {event.seq: event for event in recording.events}
    answered = [e for e in recording.events if e.kind == "put" and 83 < e.seq < 156]
    assert {(e["put_status"], tuple(e["sync_state_set_after"])) for e in answered} == {
        ("PUT_OK", (1, 2))
    }
    frames = [e for e in recording.events if e.kind == "ha_frame" and 83 < e.seq < 156]
    assert {e["epoch"] for e in frames} == {1}
    assert by_seq[124]["epochs"] == [[1, 0, 1648], [3, 1648, -1]]
    assert by_seq[125]["epochs"] == [[1, 0, -1]]
    lost = {e["msg_id"] for e in answered}
    for seq, is_lost in ((118, False), (119, False), (175, True), (282, True), (283, True)):
        found = {entry["msg_id"] for entry in by_seq[seq]["entries"]}
        assert lost.isdisjoint(found) if is_lost else lost <= found
    assert lost == {"b000", "b001", "b002", "b003"}


def test_a_kill_before_an_append_makes_a_member_that_lies() -> None:
    """A put is answered for the report of a slave that lacks it: no disk has lost anything."""
    recording = read(KILLED)
    by_seq = {event.seq: event for event in recording.events}
    assert (by_seq[132].kind, by_seq[132]["node"]) == ("node_kill9", "slave1")
    assert (by_seq[170]["max_offset"], by_seq[170]["epochs"][-1][:2]) == (1648, [3, 2472])
    assert (by_seq[239].kind, by_seq[239]["slave_offset"]) == ("ha_report", 3696)
    put = by_seq[243]
    assert (put["msg_id"], put["put_status"]) == ("d000", "PUT_OK")
    assert put["sync_state_set_after"] == [1, 2]
    assert (by_seq[245]["node"], by_seq[245]["max_offset"]) == ("slave1", 1648)
    for seq, is_there in ((246, True), (247, False)):
        assert is_there == ("d000" in {entry["msg_id"] for entry in by_seq[seq]["entries"]})


def test_a_master_that_lost_its_tail_and_keeps_its_epoch_keeps_its_slave_out() -> None:
    """What was acknowledged with both is on the slave only; the lists of epochs agree nowhere."""
    by_seq = {event.seq: event for event in read(SAME_EPOCH).events}
    assert by_seq[99]["lost_from_offset"] == 1236
    assert by_seq[134]["epochs"] == [[1, 1236, -1]]
    assert by_seq[134]["sync_state_set"] == [1, 2]
    assert by_seq[166]["sync_state_set"] == [1]
    assert list_records(by_seq[183])[3:] == ["b000", "b001", "b002"]
    assert list_records(by_seq[184])[3:] == ["a003", "a004"]
    for event in by_seq.values():
        if event.kind == "put" and event["msg_id"] in ("a003", "a004"):
            assert event["put_status"] == "PUT_OK"
            assert event["sync_state_set_after"] == [1, 2]


def list_records(event: Event) -> list[str]:
    """The messages that a scan of a log has found, by id; what is no record by its kind."""
    return [entry.get("msg_id", entry["kind"]) for entry in event["entries"]]


def test_truncated_bytes_acknowledge_and_are_elected() -> None:
    """A put is answered for a report of the bytes that a stop and a start have brought back."""
    recording = read(BACK)
    by_seq = {event.seq: event for event in recording.events}
    assert not any(e.kind == "node_kill9" for e in recording.events if e.seq <= 315)
    before = ["a000", "a001", "a002"]
    assert (by_seq[262].kind, by_seq[262]["max_offset"]) == ("node_stop_clean", 1236)
    assert (by_seq[284].kind, by_seq[284]["max_offset"]) == ("node_started", 1648)
    assert (by_seq[311].kind, by_seq[311]["slave_offset"]) == ("ha_report", 1648)
    put = by_seq[315]
    assert (put["msg_id"], put["put_status"]) == ("y000", "PUT_OK")
    assert put["sync_state_set_after"] == [1, 2]
    assert by_seq[350]["epochs"] == [[1, 0, 1236], [2, 1236, 1648], [3, 1648, -1]]
    for seq, node, last in (
        (212, "master", []),
        (286, "master", ["x000"]),
        (324, "slave1", ["y000"]),
        (325, "master", ["x000"]),
        (431, "master", ["x000", "z000", "z001"]),
        (432, "slave1", ["y000", "z000", "z001"]),
    ):
        assert (by_seq[seq]["node"], list_records(by_seq[seq])) == (node, before + last)


def test_truncated_bytes_end_inside_a_record_of_the_master() -> None:
    """The rest of it comes behind them; what was answered with both in the set is lost at once."""
    recording = read(INSIDE)
    by_seq = {event.seq: event for event in recording.events}
    put = by_seq[328]
    assert (put["msg_id"], put["put_status"]) == ("y001", "PUT_OK")
    assert put["sync_state_set_after"] == [1, 2]
    assert by_seq[333]["max_offset"] == put["max_offset_after"] == 2260
    assert list_records(by_seq[334])[3:] == ["y000", "y001"]
    assert list_records(by_seq[335])[3:] == ["x000", "bad_magic"]
    assert by_seq[364]["epochs"][-1] == [3, 1648, -1]
    assert list_records(by_seq[368])[3:] == ["x000", "z000"]


def test_truncated_bytes_come_back_after_a_kill() -> None:
    """CommitLog#recoverAbnormally counts them as well."""
    by_seq = {event.seq: event for event in read(BACK_AFTER_KILL).events}
    assert (by_seq[208].kind, by_seq[246]["last_exit_normal"]) == ("node_kill9", False)
    assert list_records(by_seq[207])[3:] == []
    assert list_records(by_seq[248])[3:] == ["x000"]
    assert list_records(by_seq[325])[3:] == ["x000", "y001", "z000"]


@pytest.mark.parametrize(
    ("told", "numbers"),
    [
        ([[1]], {1: 0}),
        ([[1], [1, 2]], {1: 0, 2: 1}),
        ([[1], [1, 3], [1, 4]], {1: 0, 3: 1, 4: 2}),
        ([[1], [1], [1, 3]], {1: 0, 3: 2}),
        ([[2]], {2: 0}),
    ],
)
def test_numbers_that_no_broker_was_told_are_no_epochs(
    told: list[list[int]], numbers: Mapping[int, int]
) -> None:
    """A controller counts on without a master; an epoch that was not recorded has its place."""
    events = [
        Event(seq, seq, float(seq), "to_master", {"epochs": [[n, 100 * n] for n in rows]})
        for seq, rows in enumerate(told)
    ]
    assert number_epochs(events) == numbers


def test_roles_may_change_only_when_the_master_has_ended() -> None:
    """A slave that is elected beside its running master: the rules have no such step."""
    recording = read(FAILOVER)
    events = tuple(event for event in recording.events if event.kind != "node_kill9")
    verdict = check_recording(evolve(recording, events=events))
    assert verdict.verdict != CONFORMS


def test_a_handshake_may_come_to_nothing() -> None:
    """A master that is told its old epoch moves its begin; the lists agree nowhere then.

    Made from another recording; ``v533_controller_d`` seq 127 and 137 has it so.
    """
    moved, events = [[1, 1648, -1]], []
    for event in cut_behind(read(ALONE), 169).events:
        data = dict(event.data)
        if event.seq >= 132 and data.get("node", "master") == "master" and "epochs" in data:
            is_handshake = event.kind == "ha_handshake_master"
            data["epochs"] = [[1, 1648]] if is_handshake else moved
            data |= {"last_epoch": 1} if is_handshake else {}
        events.append(evolve(event, data=data))
    verdict = check_recording(evolve(read(ALONE), events=tuple(events)))
    assert (verdict.reason, verdict.verdict) == ("", CONFORMS)
    assert verdict.cluster is not None
    assert not verdict.cluster.links[0].is_open
    assert verdict.cluster.epoch_files[0].starts[0] == 1648


def put_in_place(recording: Recording, seq: int, of: Event, **fields: Any) -> Recording:
    """The recording with a copy of an event, and some of its fields, in the place of a log line."""
    old = next(event for event in recording.events if event.seq == seq)
    assert old.kind == "log"
    stamp = {"t_ms": old.t_ms, "seq": seq}
    new = evolve(of, seq=seq, t_ms=old.t_ms, data={**of.data, **stamp, **fields})
    return evolve(recording, events=tuple(new if e is old else e for e in recording.events))


def test_a_connection_counts_until_its_slave_gives_up() -> None:
    """The lists of epochs agree nowhere: the slave waits two seconds before it closes."""
    whole = read(SAME_EPOCH)
    recording = cut_behind(whole, 156)
    later = [event for event in whole.events if event.seq > 156 and event.kind == "snapshot"]
    master, slave = (next(e for e in later if e["node"] == who) for who in ("master", "slave1"))
    unset = dict.fromkeys(("slave_request_offset", "slave_ack_offset", "next_transfer_from"), -1)
    shown = {**unset, "slave_id": 2, "state": "HANDSHAKE"}
    for count, verdict in ((1, CONFORMS), (0, CONFORMS), (3, REJECTED)):
        changed = {"connection_count": count, "connections": [shown] * count}
        members = {"sync_state_set": [1, 2], "local_sync_state_set": [1, 2]}
        copy = put_in_place(recording, 154, master, **changed, **members)
        assert check_recording(copy).verdict == verdict, count
    for is_open in (True, False):
        assert check_recording(
            put_in_place(recording, 155, slave, ha_client_connected=is_open)
        ).is_conforming


def test_a_second_answer_ends_a_connection() -> None:
    """Who has truncated takes no handshake any more (``AutoSwitchHAClient.HAClientReader``)."""
    recording = cut_behind(read(HEALTHY), 43)
    by_seq = {event.seq: event for event in recording.events}
    close = evolve(by_seq[32], kind="ha_link_close")
    closed = put_in_place(recording, 43, close, ev="ha_link_close", closed_by="slave")
    assert check_recording(closed).first_unexplained_seq == 43
    asked = put_in_place(closed, 41, by_seq[36])
    assert check_recording(asked).first_unexplained_seq == 43
    assert check_recording(put_in_place(asked, 42, by_seq[40])).is_conforming
