"""Own masters and slaves under every release: what is recorded between them conforms.

They are killed, stopped, cut off, stalled and wiped; ``store`` reads the files that they leave.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from brokers.disk.findings import FindingKind
from brokers.disk.reading import read_stored_broker
from brokers.recordings.judging import CONFORMS, check_recording
from command_line.answers.stores.pair import compare_stores
from reference.releases.start_rules import make_start_rules
from reference.releases.versions import list_versions
from tests.brokers.broker.simulated.group import Group
from tests.brokers.broker.simulated.scenarios import SCENARIOS

CASES = (
    ("healthy", "5.3.3", 5),
    ("sync_flush", "4.9.8", 3),
    ("stalls", "4.9.8", 2),
    ("restarts", "5.3.3", 8),
    ("kills", "4.4.0", 8),
    ("losses", "4.4.0", 22),
    ("rollovers", "5.3.3-quorum", 11),
    ("async", "5.3.3", 4),
    ("skewed", "4.9.8", 9),
    ("looked_at", "4.4.0", 1),
    ("two_slaves", "5.3.3-quorum", 5),
    ("everything", "4.4.0", 4),
)
"""Scenario, release and seed."""
LINES = 200
LINES_LOOKED_AT = 500
"""Most of them are looks."""

MOVES = {
    *("append_message", "fill_file", "flush_for_put", "give_up_disk_wait", "refuse_put"),
    *("answer_slave_wait", "time_out_slave_wait", "refuse_slave_wait", "skip_slave_wait"),
    *("connect_slave", "close_idle_connection", "drop_connection", "refuse_frame"),
    *("report_offset", "receive_report", "position_transfer", "position_at_last_file"),
    *("transfer_batch", "append_to_slave", "create_slave_file", "discard_frame"),
    *("answer_disk_wait", "request_slave_wait", "wait_one_second"),
}
"""Rules whose steps the brokers take: every way in which a put and a connection can end."""
RANDOM_SEEDS = range(2000, 2150)
EARLIER = (
    ("losses", "5.3.3-quorum", 47, 250),
    ("rollovers", "5.3.3-quorum", 31, 300),
    ("skewed", "4.7.0", 2025, 600),
    ("everything", "5.2.0", 2057, 300),
    ("everything", "5.5.0-quorum", 2224, 150),
    ("skewed", "5.1.1-quorum", 100740, 100),
    ("skewed", "4.9.6", 101575, 150),
    ("everything", "4.4.0", 111, 250),
    ("everything", "5.1.3", 105405, 250),
    ("rollovers", "5.3.1-quorum", 200507, 250),
    ("restarts", "5.1.0-quorum", 301234, 250),
    ("rollovers", "4.8.0", 301399, 150),
    ("everything", "5.3.3", 114, 250),
    ("two_slaves", "5.5.1-quorum", 304436, 150),
)
"""Scenario, release, seed and lines of recordings that the checker once did not explain: entries of
a queue that an earlier start has cut off, a report on its way when its slave is killed, the same
with clocks that differ, a flush before a deletion, a slave that dispatched more than it may, looks
of a slave by a clock that is ahead, while a put is answered, an abort file that a stop leaves, a
first file before its first frame, a flush that goes on in parts,
puts without a line before a slave that joins, and before a new file, an empty file that is gone
with the power, a connect before another connection ends."""
RELEASES = [v.name for v in list_versions() if v.mode in ("", "quorum")]


def play(folder: Path, scenario: str, release: str, seed: int, events: int) -> Group:
    """A group after so many lines."""
    group = Group(SCENARIOS[scenario], release, seed, folder)
    group.run(events)
    return group


def judge(group: Group) -> str:
    """The verdict on what was recorded; with its reason, unless it conforms."""
    verdict = check_recording(group.make_recording())
    if verdict.verdict == CONFORMS:
        return CONFORMS
    return f"{verdict.verdict} at {verdict.first_unexplained_seq}: {verdict.reason}"


@pytest.mark.parametrize(("scenario", "release", "seed"), CASES)
def test_what_is_recorded_conforms(tmp_path: Path, scenario: str, release: str, seed: int) -> None:
    """Puts were answered, and where the scenario strikes, it has in two ways at least."""
    lines = LINES_LOOKED_AT if scenario == "looked_at" else LINES
    group = play(tmp_path, scenario, release, seed, lines)
    assert judge(group) == CONFORMS
    assert sum(len(p.codes) for p in group.producers) > 20
    assert len(set(group.operator.strikes)) >= min(2, len(SCENARIOS[scenario].strikes))


@pytest.mark.parametrize(("scenario", "release", "seed", "lines"), EARLIER)
def test_what_was_refused_conforms(
    tmp_path: Path, scenario: str, release: str, seed: int, lines: int
) -> None:
    """Each of them has happened."""
    assert judge(play(tmp_path, scenario, release, seed, lines)) == CONFORMS


def test_a_corrupted_one_is_refused(tmp_path: Path) -> None:
    """The test above can fail."""
    group = play(tmp_path, "healthy", "4.4.0", 1, 150)
    reports = [line for line in group.lines if line["ev"] == "ha_report" and line["slave_offset"]]
    reports[3]["slave_offset"] += 1
    assert judge(group).startswith("rejected")


@pytest.mark.parametrize("seed", [5, 6])
def test_files_left_behind_are_what_the_brokers_had(tmp_path: Path, seed: int) -> None:
    """Master and slave are killed at the same moment: ``store`` finds their logs to their ends."""
    group = play(tmp_path, "stalls", "4.4.0", seed, 200)
    rules = make_start_rules("4.4.0")
    read = [read_stored_broker(n.name, n.settings.store_root, rules) for n in group.nodes]
    for node, stored in zip(group.nodes, read, strict=True):
        assert node.broker is not None
        assert stored.start.end_offset == node.broker.store.max_offset
    kind = compare_stores(*read, (), lambda _: None).kind
    ends = [stored.start.end_offset for stored in read]
    assert kind in ({FindingKind.EQUAL} if ends[0] == ends[1] else {FindingKind.BEHIND})


@pytest.mark.parametrize(("late_ms", "is_explained"), [(1.0, True), (60.0, False)])
def test_a_slave_may_look_connected_to_a_proxy_that_has_no_master(
    tmp_path: Path, late_ms: float, *, is_explained: bool
) -> None:
    """Its connection has been accepted, and is about to end."""
    group = play(tmp_path, "kills", "4.4.0", 1, LINES)
    at, refusal = next(
        (i, line) for i, line in enumerate(group.lines) if line["ev"] == "proxy_target_down"
    )
    looks = [e for e in group.lines[:at] if e["ev"] == "snapshot" and e["node"] == "slave1"]
    now_ms = refusal["t_ms"] + late_ms
    look = {**looks[-1], "t_ms": now_ms, "ha_client_connected": True}
    later = next(i for i, line in enumerate(group.lines) if line["t_ms"] > now_ms)
    group.lines.insert(later, look)
    assert judge(group).startswith(CONFORMS if is_explained else "rejected")


@pytest.mark.nightly
def test_random_groups_conform(tmp_path: Path) -> None:
    """Hundreds of groups, of every release: all that befalls them, and nearly all that they do."""
    seen: Counter[str] = Counter()
    taken: Counter[str] = Counter()
    scenarios = list(SCENARIOS)
    for seed in RANDOM_SEEDS:
        chance = random.Random(seed)
        scenario, release = chance.choice(scenarios), chance.choice(RELEASES)
        group = play(tmp_path / str(seed), scenario, release, seed, chance.choice((150, 300, 600)))
        assert judge(group) == CONFORMS, (scenario, release, seed)
        seen.update(group.operator.strikes)
        taken.update(group.taken)
    assert {name for each in SCENARIOS.values() for name in each.strikes} == set(seen)
    assert set() == MOVES - set(taken)
