"""What explains a recording is a schedule, and tells what became of the acknowledged puts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve

from brokers.explaining.explanation import GroupExplanation
from brokers.explaining.told.acknowledged import (
    Acknowledgements,
    AtRisk,
    is_on_a_slave,
    is_safe,
)
from brokers.explaining.told.excerpts import tell_event
from brokers.explaining.told.verdict import GroupVerdict
from brokers.recordings.groups import split_groups
from brokers.recordings.judging import check_recording, find_version
from brokers.recordings.reading import read_recording
from brokers.recordings.roles.places import take_places
from command_line.answers.recordings.schedules import make_trace
from properties.exports.itf import decode_itf, encode_itf
from properties.mutants.recording_judge import list_explained
from properties.schedules.judgement import JudgedStep, replay
from reference.releases.versions import Version
from reference.worlds.replication.put import has_slave_wait, is_acknowledged
from reference.worlds.replication.state import Cluster, CommitLog
from reference.worlds.replication.structure import draw_log
from tests.brokers.explaining.test_links import strip
from tests.brokers.recordings.shared import ALL, DATA, TRACES
from tests.command_line.run import assert_one_line, run

JOINS = TRACES / "u_rollover_while_slave_joins.jsonl"
HEALTHY = TRACES / "a_sync_healthy.jsonl"
TRUTHFUL = "acknowledgement_is_truthful"
EDGES = tuple(
    DATA / "traces_edge" / f"{n}.jsonl" for n in ("short_heartbeat_440", "queued_puts_480")
)


def explain(path: Path) -> tuple[GroupVerdict, ...]:
    """The verdicts on the groups of a recording, with their schedules."""
    return check_recording(read_recording(path), is_schedule_kept=True).groups


def follow(group: GroupVerdict) -> list[JudgedStep]:
    """All states of a schedule in the reference, judged by one claim."""
    trace = make_trace(group, "a recording")
    assert trace is not None
    return list(replay(trace.structure, trace.parameters, trace.schedule, [TRUTHFUL]))


@pytest.mark.parametrize("path", [*ALL, *EDGES], ids=lambda path: path.stem)
def test_each_schedule_is_taken_by_the_reference(path: Path) -> None:
    """It comes to the same state, and says the same of the answers of a synchronous master."""
    for group in explain(path):
        if not group.schedule:
            continue
        steps = follow(group)
        assert steps[-1].cluster == evolve(group.cluster, structure=steps[0].cluster.structure)
        told = group.acknowledged
        if told is not None:
            assert bool(told.unreceived) == any(map(answers_unreceived, steps)), path


def answers_unreceived(step: JudgedStep) -> bool:
    """A step by which a synchronous master answers what no slave has received."""
    cluster: Cluster = step.cluster
    return TRUTHFUL in step.violated and any(
        is_acknowledged(m) and has_slave_wait(cluster, m) and not m.ghost_is_received
        for m in cluster.messages
    )


def test_an_answer_that_no_slave_made_true_is_told() -> None:
    """Without any fault: the file ends while the slave joins (R-HA-12)."""
    (group,) = explain(JOINS)
    assert group.acknowledged == Acknowledgements(
        3, unreceived=(52,), on_master_alone=AtRisk(52, 1, 2084)
    )
    told = [step for step in follow(group) if TRUTHFUL in step.violated]
    assert str(told[0].action) == "answer_slave_wait[0]()"


@pytest.mark.parametrize(
    "name", ["e_async_lag_catchup", "i_two_slaves_one_stalled", "h_slave_ahead_misaligned"]
)
def test_what_is_at_risk_is_counted_anew_at_each_event(name: str) -> None:
    """Each message by itself, in each state."""
    recording = read_recording(next(path for path in ALL if path.stem.endswith(name)))
    (group,) = split_groups(take_places(recording))
    explanation = GroupExplanation.begin(group, find_version(recording) or Version())
    followed, worst = explanation.acknowledged, [AtRisk(0, 0, 0), AtRisk(0, 0, 0)]
    while explanation.waiting:
        seq = explanation.waiting[0].event.seq
        assert explanation.run(moments_max=1) is None
        cluster = explanation.observer.scene.cluster
        for place, is_there in enumerate((is_on_a_slave, is_safe)):
            left = [put for put in followed.kept if not is_there(cluster, put.message)]
            size_bytes = sum(put.size_bytes for put in left)
            if size_bytes > worst[place].size_bytes:
                worst[place] = AtRisk(seq, len(left), size_bytes)
    told = followed.told
    assert [told.on_master_alone, told.in_memory_alone] == [w if w.puts else None for w in worst]


def test_lost_messages_are_told() -> None:
    """A controller elects a member that truncates what was acknowledged before."""
    name = "v533_controller_m2_election_truncates.jsonl"
    (path,) = (path for path in ALL if path.name == name)
    told = [group.acknowledged for group in explain(path)]
    lost = [each for group in told if group is not None for each in group.lost]
    assert [(105, 230), (108, 230), (111, 230), (114, 230)] == lost


def test_a_healthy_group_risks_nothing() -> None:
    """Each of its puts was on a slave when it was answered."""
    (group,) = explain(HEALTHY)
    assert group.acknowledged == Acknowledgements(20)


def test_a_schedule_is_kept_if_asked_for() -> None:
    """It takes memory."""
    assert check_recording(read_recording(HEALTHY)).groups[0].schedule == ()


def test_a_trace_is_read_back() -> None:
    """With more followed messages, and more lives of the log, than the catalogue's structure."""
    (group,) = explain(TRACES / "r_random_seed2.jsonl")
    trace = make_trace(group, "r_random_seed2.jsonl")
    assert trace is not None
    assert trace.structure.messages > 1
    assert decode_itf(json.loads(json.dumps(encode_itf(trace)))) == trace


def test_links_alone_are_explained_by_steps() -> None:
    """What nobody recorded is chosen; the rest are steps, which an event shows."""
    recording = strip(read_recording(HEALTHY))
    (group,) = check_recording(recording, is_schedule_kept=True).groups
    assert len(follow(group)) == len(group.schedule) + 1 > 50
    frame = next(e for e in recording.events if e.kind == "ha_frame" and e["body_bytes"])
    excerpt = tell_event((group,), frame.seq)
    assert excerpt is not None
    steps = {step.instance: step.is_announced for each in excerpt.here for step in each.steps}
    assert {"transfer_batch[0]": True, "append_to_slave[0]": False} == steps


def test_schedules_are_written_and_drawn(tmp_path: Path) -> None:
    """``replay`` reads what ``trace`` writes; a folder that exists is left alone."""
    out = tmp_path / "schedules"
    result = run("trace", JOINS, HEALTHY, JOINS, "--out", out)
    assert result.returncode == 0, result.stderr
    assert "    on no slave when a synchronous master answered: 1 (seq 52)\n" in result.stdout
    names = {JOINS.stem, f"{JOINS.stem}-2", HEALTHY.stem}
    files = {f"{name}.{kind}.json" for name in names for kind in ("itf", "vector")}
    assert files == {path.name for path in out.iterdir()}
    drawn = run("replay", out / f"{JOINS.stem}.itf.json")
    assert f"      ✗ {TRUTHFUL}\n" in drawn.stdout
    vector = json.loads((out / f"{JOINS.stem}.vector.json").read_text(encoding="utf-8"))
    assert vector["valid"] is True
    again = run("trace", JOINS, "--out", out)
    assert_one_line(again, 3)


def test_a_recording_needs_the_rules_of_its_schedule(tmp_path: Path) -> None:
    """Mutants of these are tried with it."""
    (tmp_path / HEALTHY.name).write_bytes(HEALTHY.read_bytes())
    rules = list_explained(tmp_path)[HEALTHY.stem]
    assert {"append_to_slave", "answer_slave_wait"} <= rules
    assert "expire_master_file" not in rules


def test_a_log_of_many_epochs_is_drawn() -> None:
    """A recording has as many as its master has lost its power; their letters begin anew."""
    log = CommitLog(ends=tuple(range(10, 550, 10)))
    assert draw_log(log).startswith("[a10 b10 c10 ")
    assert draw_log(log).endswith(" Z10 a10 b10]")
