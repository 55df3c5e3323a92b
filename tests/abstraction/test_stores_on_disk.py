"""States that the rules lead to, in bytes, in folders: read back, they are what they are.

The verdict on a pair is held against the bytes of the two stores after a real start, and against
their origins, which no reader of folders knows.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from attrs import frozen
from hypothesis import given

from brokers.disk.comparison.acknowledged import Acknowledged
from brokers.disk.findings import FindingKind
from brokers.disk.reading import read_stored_broker
from brokers.disk.stored_brokers import StoredBroker
from command_line.answers.stores.pair import Pair, compare_stores
from properties.scenarios.known_issues.catalogue import find_scenario, load_scenarios
from properties.scenarios.procedures.store_findings import load_store_findings
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import ClaimedGroup
from reference.releases.start_rules import make_start_rules
from reference.store import recovery
from reference.store import store as stores
from reference.worlds.replication.state import Message
from tests.abstraction.group import Broker, Group, get_begin, has_bytes_of, make_group
from tests.abstraction.histories import COMMANDS, Command, play
from tests.abstraction.replaying import find_replay
from tests.abstraction.test_steps import make_histories
from tests.brokers.disk.rendering import render_store
from tests.reference.store.logs import NOW_MS

RULES = make_start_rules("4.4.0")
DIFFERING = {FindingKind.DIVERGED, FindingKind.FOREIGN, FindingKind.GAP}
"""Kinds that are found where both hold bytes."""
STEPS_BETWEEN = 7
"""How often the folders of a history are written."""


@frozen
class Truth:
    """Both brokers after a start that really happens."""

    master: Broker
    slave: Broker

    def list_bytes(self, broker: Broker) -> tuple[int, bytes]:
        """Where its log begins, and what it holds."""
        held = (file.content.data[: file.wrote_position_bytes] for file in broker.log.mapped_files)
        return get_begin(broker.log), b"".join(held)

    def holds_record(self, holder: Broker, source: Broker, message: Message) -> bool:
        """Somewhere, perhaps at a foreign place, it has the bytes that another broker has."""
        begin, data = self.list_bytes(source)
        record = data[message.start_offset - begin : message.end_offset - begin]
        return record in self.list_bytes(holder)[1]

    def find_kind(self) -> FindingKind | None:
        """What the bytes say, read plainly; None: both hold bytes, and some differ."""
        (ours_begin, ours), (begin, theirs) = map(self.list_bytes, (self.master, self.slave))
        ours_end, end = self.master.max_offset, self.slave.max_offset
        low, high = max(begin, ours_begin), min(end, ours_end)
        if low < high:
            one, other = (
                ours[low - ours_begin : high - ours_begin],
                theirs[low - begin : high - begin],
            )
            if one != other:
                return None
        if self.slave.log.mapped_files and begin > ours_begin:
            return FindingKind.GAP if begin == end else FindingKind.BEGINS_LATER
        if end < ours_begin:
            return FindingKind.OUTRUN
        if end == ours_end:
            ours_queues, queues = map(list_queue_entries, (self.master, self.slave))
            return FindingKind.EQUAL if ours_queues == queues else FindingKind.QUEUES
        return FindingKind.AHEAD if end > ours_end else FindingKind.BEHIND


def list_queue_entries(broker: Broker) -> dict[str, tuple[int, list[bytes]]]:
    """Of queues with entries, where they end, and their bytes."""
    return {
        key: (queue.max_offset_in_queue, [f.content.data[: f.wrote_position_bytes] for f in files])
        for key, queue in broker.store.consume_queues.items()
        if (files := queue.files.mapped_files) and queue.max_offset_in_queue
    }


def leave(broker: Broker) -> stores.Store:
    """What another process finds."""
    return stores.leave_to_next_process(broker.store)


def start(broker: Broker) -> Broker:
    """A start that really happens."""
    loaded, is_loaded = recovery.load(leave(broker), NOW_MS)
    assert is_loaded is True
    return Broker(loaded)


def list_kinds(pair: Pair) -> set[FindingKind]:
    """Everything that is found."""
    return {pair.kind} | {f.kind for f in (*pair.logs.findings, *pair.remarks)}


def read_back(group: Group, acknowledged: tuple[Acknowledged, ...] = ()) -> Pair:
    """The pair, from folders."""
    with tempfile.TemporaryDirectory() as name:
        read: list[StoredBroker] = []
        for who, broker in (("master", group.master), ("slave", group.slave)):
            (folder := Path(name) / who).mkdir()
            render_store(leave(broker), folder)
            read.append(read_stored_broker(who, folder, RULES))
        return compare_stores(*read, acknowledged, lambda _: None)


def list_groups(commands: list[Command]) -> Iterator[Group]:
    """Some states of a history, and its last one."""
    after = make_group()
    for number, (_, step) in enumerate(play(after, commands)):
        after = step.after
        if number % STEPS_BETWEEN == STEPS_BETWEEN - 1:
            yield after
    yield after


def check(group: Group) -> Pair:
    """What is read back is true of the bytes, and of the message that is followed."""
    truth, message = Truth(start(group.master), start(group.slave)), group.message
    acknowledged = (Acknowledged(str(message.start_offset), 1),) if message.phase > 0 else ()
    pair, kind = read_back(group, acknowledged), truth.find_kind()
    found = {finding.kind for finding in pair.logs.findings if not finding.is_hole} or {
        FindingKind.EQUAL
    }
    assert found & DIFFERING if kind is None else kind in found, (kind, pair.logs)
    if message.phase > 0:
        check_message(truth, group, pair)
    return pair


def check_message(truth: Truth, group: Group, pair: Pair) -> None:
    """Whoever holds the message, by the origin of each byte, is found to hold its record.

    What a choice loses has it exactly if one store alone holds it; a slave may hold a record of
    another origin with the same bytes.
    """
    message = group.message
    on_master, on_slave = (has_bytes_of(b, message) for b in (truth.master, truth.slave))
    at, begin = message.start_offset, get_begin(truth.master.log)
    lost_if_promoted = {r.offset for r in pair.choices.if_slave_is_promoted.first}
    lost_if_master_stays = {r.offset for r in pair.choices.if_master_stays.first}
    (sought,) = pair.sought
    if on_master:
        assert "master" in sought.holders
        assert at not in lost_if_promoted or not on_slave
        is_kept = "slave" in sought.holders or truth.holds_record(
            truth.slave, truth.master, message
        )
        assert at in lost_if_promoted or is_kept
    if on_slave:
        assert "slave" in sought.holders
        is_kept = "master" in sought.holders or truth.holds_record(
            truth.master, truth.slave, message
        )
        assert at in lost_if_master_stays or is_kept or at < begin


@given(COMMANDS)
def test_states_are_read_back(commands: list[Command]) -> None:
    """Whatever happens to a pair."""
    for group in list_groups(commands):
        check(group)


def test_histories_meet_every_kind() -> None:
    """No kind of verdict goes untested."""
    groups = (group for commands in make_histories(150) for group in list_groups(commands))
    met = Counter(kind for group in groups for kind in list_kinds(check(group)))
    wanted = {
        FindingKind.EQUAL,
        FindingKind.BEHIND,
        FindingKind.AHEAD,
        FindingKind.DIVERGED,
        FindingKind.GAP,
        FindingKind.OUTRUN,
    }
    wanted |= {
        FindingKind.BEGINS_LATER,
        FindingKind.TORN_TAIL,
        FindingKind.STALE_TAIL,
        FindingKind.TORN_RECORD,
    }
    assert wanted - met.keys() == set(), met


ISSUES: Mapping[str, FindingKind] = {
    **dict.fromkeys(("slave_ahead_acknowledges", "logs_differ_silently"), FindingKind.DIVERGED),
    **dict.fromkeys(
        ("both_copies_lost", "slave_dispatch_stuck", "recreated_master_stays_empty"),
        FindingKind.AHEAD,
    ),
    "last_file_only": FindingKind.GAP,
    "outrun_by_retention": FindingKind.OUTRUN,
    "torn_record_counts_as_whole": FindingKind.TORN_RECORD,
    # What went wrong was said to producers, or is not on disk yet: the stores are as always.
    **dict.fromkeys(
        (
            "stranger_acknowledges",
            "slave_write_error_acknowledged",
            "idle_slave_dropped",
            "timed_out_before_first_report",
            "refused_put_is_stored",
            "sent_again_and_stored_twice",
            "slave_too_far_behind",
            "internal_put_asks_no_slave",
        ),
        FindingKind.BEHIND,
    ),
    **dict.fromkeys(
        ("stranger_and_power_loss", "flush_error_swallowed", "lost_batch_is_sent_again"),
        FindingKind.EQUAL,
    ),
}
"""By the issue's name, what the stores show at the end of its schedule."""
CONTROLLER_ISSUES = {
    "lying_member_acknowledges": FindingKind.EPOCH_AHEAD,
    "epoch_begins_again": FindingKind.EPOCH_LATE,
}
"""Told by epoch files, which the store in bytes does not have."""
NOT_IN_BYTES = {"old_bytes_count_as_records", "timed_out_behind_another"}
"""Their schedules need records of a size that no choice of places gives."""


def list_log_issues() -> Iterator[str]:
    """Issues of the log at 4.4.0."""
    for scenario in load_scenarios():
        structure = scenario.structure
        if isinstance(structure, ClaimedGroup) and not structure.variants:
            yield scenario.name


@pytest.mark.parametrize("name", sorted(set(list_log_issues()) - NOT_IN_BYTES))
def test_known_issues_are_recognised(name: str) -> None:
    """The last state of an issue's schedule is found to be what it is."""
    scenario = find_scenario(name)
    limits = FAULT_MODEL_BY_NAME[scenario.fault].search_limits
    pair = check(find_replay(scenario.structure, limits, scenario.schedule).group)
    assert ISSUES[name] in list_kinds(pair), pair


def test_issues_are_told_where_they_show() -> None:
    """A finding names the issues that end in it, and no other one."""
    told = {name: kind for kind, f in load_store_findings().items() for name in f.issues}
    plain = {FindingKind.BEHIND, FindingKind.EQUAL}
    shown = {name: kind for name, kind in ISSUES.items() if kind not in plain}
    assert told == {**shown, **CONTROLLER_ISSUES}
