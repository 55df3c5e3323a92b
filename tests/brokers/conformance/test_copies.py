"""Slaves that copy tables: what they owe, what the tester's name server says, what is skipped."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from attrs import evolve

from brokers.broker.broker import Broker
from brokers.broker.mutants import MUTANTS
from brokers.broker.parts import USUAL_PARTS
from brokers.conformance.acts import CatchUp, Wait
from brokers.conformance.alternatives import list_alternatives
from brokers.conformance.case import Case, copying_case
from brokers.conformance.cases.slave_copies import DELIVERED, MADE
from brokers.conformance.catalogue import MASTER_CASES, SLAVE_CASES
from brokers.conformance.clients import AskEnds, Pull
from brokers.conformance.copies import Copied, MasterTakes
from brokers.conformance.name_server import NameServerConnection
from brokers.conformance.running import BrokerUnderTest, find_obstacle
from brokers.conformance.stage import Played
from brokers.recordings.judging import CONFORMS, REJECTED, check_recording
from brokers.recordings.reading import Recording
from brokers.recordings.tables.delays import MEMORY
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import Command, CommandReader, encode
from tests.brokers.conformance.simulated_broker import make_settings, play_case

CASES = {case.name: case for case in (*MASTER_CASES, *SLAVE_CASES)}
COPY = CASES["its master's tables are copied"]
TWO_COPIES = CASES["tables are copied again after a change"]
STARTED_AGAIN = CASES["a slave starts again with what it has copied"]
DELAYED = copying_case(
    "delayed messages are read at a slave",
    (),
    *MADE,
    MasterTakes(2, delay_level=1),
    MasterTakes(),
    DELIVERED,
    Copied(),
    CatchUp(),
    Wait(1500),
    Pull(0),
    AskEnds(),
)


def play(folder: Path, case: Case, mutant: str = "", release: str = "4.4.0") -> Played:
    """A case, played by a broker or a mutant of it."""
    parts = MUTANTS[mutant].parts if mutant else USUAL_PARTS
    return play_case(case, folder, release, 1, lambda s, h: Broker(s, h, parts=parts))


@pytest.mark.parametrize("mutant", ["groups_are_not_copied", "copies_once_only"])
def test_a_copy_is_owed(tmp_path: Path, mutant: str) -> None:
    """A slave that was seen to know a master which runs cannot leave a copy out."""
    verdict = check_recording(play(tmp_path, TWO_COPIES, mutant).recording)
    assert verdict.verdict == REJECTED
    assert verdict.blocked_event["ev"] == "tables"


@pytest.mark.parametrize(
    ("release", "late_ms", "word"),
    [
        ("4.4.0", 29_000, CONFORMS),
        ("4.4.0", 31_000, REJECTED),
        ("4.9.8", 31_000, CONFORMS),
        ("4.9.8", 34_000, REJECTED),
    ],
)
def test_a_copy_is_owed_by_the_release(
    tmp_path: Path, release: str, late_ms: float, word: str
) -> None:
    """The first copy is due after 10 s, in later releases the second one after 13 s."""
    recording = play(tmp_path, COPY, "", release).recording
    begun, look = recording.events[0].data, recording.events[-1]
    made = {"topics": [*begun["topics"], "S0"], "topic_data_version_counter": 1}
    shown = {name: begun[name] for name in look.data.keys() & begun.keys() - look_head(look.data)}
    data = {**look.data, **shown, **made, "t_ms": late_ms}
    stale = evolve(look, t_ms=late_ms, data=data)
    events = tuple(event for event in recording.events[:-1] if event.t_ms < late_ms)
    verdict = check_recording(evolve(recording, events=(*events, stale)))
    assert verdict.verdict == word, verdict.reason


def look_head(data: Mapping[str, object]) -> set[str]:
    """The fields of a look that are no table."""
    return {name for name in data if name in {"seq", "t_ms", "ev", "node"}}


def show_delays(recording: Recording, number: int, delays: Mapping[str, int]) -> Recording:
    """The recording with other delay offsets in its look of this number."""
    looks = [event for event in recording.events if event.kind == "tables"]
    other = evolve(looks[number], data={**looks[number].data, MEMORY: delays})
    events = tuple(other if each is looks[number] else each for each in recording.events)
    return evolve(recording, events=events)


@pytest.mark.parametrize("delays", [{}, {"1": 2}, {"1": 4}, {"1": 3, "2": 0}])
def test_delay_offsets_are_in_the_file(tmp_path: Path, delays: Mapping[str, int]) -> None:
    """Three messages were delivered before the copy, so that its file has this and nothing else."""
    recording = play(tmp_path, STARTED_AGAIN).recording
    assert [e.data.get(MEMORY) for e in recording.events if e.kind == "tables"] == [
        {"1": 3},
        {},
        {"1": 3},
    ]
    verdict = check_recording(show_delays(recording, -1, delays))
    assert verdict.verdict == REJECTED
    assert verdict.first_unexplained_seq == recording.events[-1].seq
    assert MEMORY in verdict.reason


def test_other_delay_offsets_are_alternatives(tmp_path: Path) -> None:
    """A slave might have shown one less or one more."""
    recording = play(tmp_path, STARTED_AGAIN).recording
    found = list_alternatives(recording, recording.events[-1].t_ms, is_master_tested=False)
    others = [each for each in found if "level" in each.what]
    assert [each.what for each in others] == ["tables level 1 3 -> 4", "tables level 1 3 -> 2"]
    assert all(check_recording(each.recording).verdict == REJECTED for each in others)


@pytest.mark.parametrize(("release", "word"), [("4.9.8", REJECTED), ("5.0.0", CONFORMS)])
def test_a_copy_reaches_memory_since_5_0(tmp_path: Path, release: str, word: str) -> None:
    """Before, a slave's memory stays as it was at its start."""
    recording = play(tmp_path, STARTED_AGAIN, release=release).recording
    assert check_recording(show_delays(recording, 1, {"1": 3})).verdict == word
    assert check_recording(show_delays(recording, 1, {"1": 4})).verdict == REJECTED


@pytest.mark.parametrize(("release", "counter"), [("5.3.0", 0), ("5.3.3", 2)])
def test_groups_keep_their_version_since_5_3_1(tmp_path: Path, release: str, counter: int) -> None:
    """Over a start, which every release shows in one way only."""
    recording = play(tmp_path, STARTED_AGAIN, release=release).recording
    assert check_recording(recording).verdict == CONFORMS
    look, name = recording.events[-1], "subscription_group_data_version_counter"
    assert look[name] == counter
    other = evolve(look, data={**look.data, name: 2 - counter})
    events = (*recording.events[:-1], other)
    assert check_recording(evolve(recording, events=events)).verdict == REJECTED


def test_delayed_messages_come_into_their_queue_later(tmp_path: Path) -> None:
    """A queue may hold more messages than were answered for it so far."""
    recording = play(tmp_path, DELAYED).recording
    pull, ends = recording.events[-2:]
    assert pull["max_offset"] == ends["max_offset"] == 3
    assert check_recording(recording).verdict == CONFORMS


def test_a_pull_that_is_held_takes_its_time(tmp_path: Path) -> None:
    """Nothing is found only after as long as it asked to be held."""
    recording = play(tmp_path, CASES["a pull waits in vain"]).recording
    held = next(event for event in recording.events if event.data.get("suspend_flag"))
    early = evolve(held, data={**held.data, "t_begin_ms": held.t_ms - 1500})
    events = tuple(early if event is held else event for event in recording.events)
    assert check_recording(recording).verdict == CONFORMS
    verdict = check_recording(evolve(recording, events=events))
    assert verdict.first_unexplained_seq == held.seq
    assert "it is held 2000 ms" in verdict.reason


class Sink:
    """A transport that keeps what is sent."""

    peer, unsent_bytes = "10.0.0.1:1", 0

    def __init__(self) -> None:
        self.sent = b""
        self.is_aborted = False

    def send(self, data: bytes) -> None:
        """Keep it."""
        self.sent += data

    def close(self) -> None:
        """Nothing to end."""

    def abort(self) -> None:
        """The end."""
        self.is_aborted = True


def ask_names(data: bytes) -> tuple[Sink, list[Command]]:
    """What a name server answers to these bytes."""
    sink = Sink()
    connection = NameServerConnection(lambda fields: {"masterAddr": f"for {fields['brokerId']}"})
    connection.opened(sink)
    connection.received(data)
    return sink, CommandReader().feed(sink.sent)


def test_a_name_server_answers_brokers() -> None:
    """Registrations, and the question whether one is needed; nothing else."""
    requests = (
        Command(RequestCode.REGISTER_BROKER, {"brokerId": "1"}, opaque=5),
        Command(RequestCode.QUERY_DATA_VERSION, opaque=6),
        Command(RequestCode.UNREGISTER_BROKER, opaque=7),
        Command(RequestCode.SEND_MESSAGE, opaque=8),
    )
    _, answers = ask_names(b"".join(map(encode, requests)))
    assert [(a.code, dict(a.fields), a.opaque) for a in answers] == [
        (0, {"masterAddr": "for 1"}, 5),
        (0, {"changed": "true"}, 6),
        (0, {}, 7),
        (3, {}, 8),
    ]


def test_a_name_server_leaves_who_sends_no_command() -> None:
    """And says nothing."""
    sink, answers = ask_names(b"\xff" * 64)
    assert sink.is_aborted
    assert not answers


def test_cases_of_copies_need_addresses(tmp_path: Path) -> None:
    """Without them they are not played, and the reason names what is missing."""
    target = BrokerUnderTest(make_settings(COPY, "4.4.0", tmp_path, {}))
    assert find_obstacle(COPY, target) == "it needs --broker and --namesrv-listen"
    whole = evolve(target, broker_address="10.0.0.1:10911", names_port=9876)
    assert not find_obstacle(COPY, whole)
    opened = CASES["a slave suggests the group's broker with slaveReadEnable"]
    assert "slaveReadEnable" in find_obstacle(opened, whole)
