"""What was proved through an assumption is open for a group that does not meet it."""

from __future__ import annotations

import pytest
from attrs import frozen

from properties.language.property import PropertyRole
from properties.language.world import ClaimedStructure
from properties.restrictions import unmet_assumptions
from properties.restrictions.results import load_judged
from properties.restrictions.unmet_assumptions import (
    find_resting,
    get_cell,
    leave_open_unmet,
    rests_on,
)
from properties.scenarios.analysis.log import analyse_log
from properties.verdicts.certificates import load_cells
from properties.verdicts.remembering import remember_in
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.structures import STOCK_PAIR
from properties.z3.induction import SolverGaveUpError
from reference.assumptions.assumption import Assumption
from reference.assumptions.register import ASSUMPTIONS, list_unmet
from reference.configuration.broker_group import BrokerGroup
from reference.configuration.deployments import change_master, change_slaves, sample_group
from reference.releases.versions import parse_version

SYSTEM = STRUCTURES["system/sync master/async flush/closed/no offset check/first"]
TIMELY = ASSUMPTIONS["put_over_before_first_report"]
FLUSHED = ASSUMPTIONS["file_flushed_before_it_expires"]


def list_proved(structure: ClaimedStructure) -> list[Verdict]:
    """The proofs of a structure that say something."""
    cells = load_cells(structure).values()
    return [v for v in cells if v.word is VerdictWord.PROVED and not v.is_vacuous]


def list_bearing(group: BrokerGroup, structure: ClaimedStructure) -> list[Assumption]:
    """The unmet assumptions of a group that conditions of this structure rest on."""
    return [each.assumption for each in list_unmet(group) if rests_on(structure, each.assumption)]


def test_a_fault_stands_for_the_conditions_that_exclude_it() -> None:
    """What falls with the fault admitted is what falls without the condition."""
    (judged,) = (j for j in load_judged(STOCK_PAIR) if j.restriction == TIMELY.conditions[0])
    dropped = {
        (claim, fault) for claim, faults in judged.entirely.cells.items() for fault in faults
    }
    assert dropped
    assert find_resting(STOCK_PAIR, TIMELY, list_proved(STOCK_PAIR)) == dropped


def test_the_verdicts_are_open_and_name_the_assumption() -> None:
    """Nothing else changes: refuted and other proved verdicts are those of the stock pair."""
    group = change_slaves(sample_group(), "haSendHeartbeatInterval", "1000")
    before = tuple(load_cells(STOCK_PAIR).values())
    after = leave_open_unmet(group, STOCK_PAIR, before)
    opened = {get_cell(new) for old, new in zip(before, after, strict=True) if old != new}
    assert opened == find_resting(STOCK_PAIR, TIMELY, before)
    for verdict in after:
        if get_cell(verdict) in opened:
            assert verdict.word is VerdictWord.UNDECIDED
            assert verdict.assumption == TIMELY.name
            assert "haSendHeartbeatInterval=1000 (slave 1)" in verdict.note


def test_two_assumptions_that_widen_the_rules_leave_no_proof() -> None:
    """A proof that survives without either alone may need one of the two."""
    group = change_slaves(sample_group(), "haSendHeartbeatInterval", "1000")
    group = change_slaves(group, "fileReservedTime", "0")
    cells = tuple(load_cells(STOCK_PAIR).values())
    assert list_bearing(group, STOCK_PAIR) == [TIMELY, FLUSHED]
    alone = [find_resting(STOCK_PAIR, each, cells) for each in (TIMELY, FLUSHED)]
    proved = set(map(get_cell, list_proved(STOCK_PAIR)))
    opened = leave_open_unmet(group, STOCK_PAIR, cells)
    assert set().union(*alone) < proved
    assert {get_cell(v) for v in opened if v.assumption} == proved
    assert {v.assumption for v in opened} == {"", TIMELY.name, FLUSHED.name}


def test_an_assumption_about_waiting_lets_brokers_take_no_more_steps() -> None:
    """So what it leaves open beside another is what each leaves open alone."""
    group = change_slaves(sample_group(), "haSendHeartbeatInterval", "20000")
    group = change_slaves(group, "fileReservedTime", "0")
    cells = tuple(load_cells(STOCK_PAIR).values())
    unmet = list_bearing(group, STOCK_PAIR)
    assert unmet == [ASSUMPTIONS["reported_before_housekeeping"], FLUSHED]
    alone = [find_resting(STOCK_PAIR, each, cells) for each in unmet]
    opened = leave_open_unmet(group, STOCK_PAIR, cells)
    assert {get_cell(v) for v in opened if v.assumption} == set().union(*alone)


def test_a_group_that_meets_everything_keeps_its_verdicts() -> None:
    """They are the same objects, so that nothing is computed."""
    before = tuple(load_cells(STOCK_PAIR).values())
    assert leave_open_unmet(sample_group(), STOCK_PAIR, before) == before


def test_one_file_size_carries_every_proof_about_slaves() -> None:
    """No proof of a log with a slave is left, nor one of its readers; tables have no files."""
    for structure in (STOCK_PAIR, SYSTEM, STRUCTURES["delay/4.4.0"]):
        proved = list_proved(structure)
        resting = find_resting(structure, ASSUMPTIONS["one_file_size"], proved)
        assert resting == set(map(get_cell, proved))
    tables = STRUCTURES["tables/topics/4.4.0"]
    assert not any(rests_on(tables, each) for each in ASSUMPTIONS.values())


def test_only_claims_about_rest_wait_for_a_first_report() -> None:
    """Flushing and answers to puts come to rest without it."""
    resting = find_resting(
        STOCK_PAIR, ASSUMPTIONS["reported_before_housekeeping"], list_proved(STOCK_PAIR)
    )
    claims = STOCK_PAIR.world.claims
    assert {claims[claim].role for claim, _ in resting} == {PropertyRole.CONVERGENCE}
    assert {claim for claim, _ in resting} == {"slaves_reach_the_masters_end"}


def test_without_a_table_every_proof_rests_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stale table knows nothing, which is not the same as that nothing rests on it."""
    monkeypatch.setattr(unmet_assumptions, "find_bearing", lambda *_: None)
    proved = list_proved(STOCK_PAIR)
    assert find_resting(STOCK_PAIR, FLUSHED, proved) == set(map(get_cell, proved))


def test_a_question_that_z3_gives_up_leaves_every_proof_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And that is not remembered."""

    def give_up(*_args: object) -> None:
        raise SolverGaveUpError("query")

    kept: list[object] = []
    monkeypatch.setattr(unmet_assumptions, "find_falling", give_up)
    group = change_slaves(sample_group(), "haSendHeartbeatInterval", "1000")
    with remember_in(FakeStore(kept), lambda *parts: repr(parts)):
        opened = leave_open_unmet(group, STOCK_PAIR, load_cells(STOCK_PAIR).values())
    proved = set(map(get_cell, list_proved(STOCK_PAIR)))
    assert {get_cell(v) for v in opened if v.assumption} == proved
    assert kept == []


@frozen
class FakeStore:
    """A store that remembers nothing, and notes what it was asked to keep."""

    kept: list[object]

    def recall(self, key: str) -> None:
        """Nothing."""

    def keep(self, key: str, answer: object) -> None:
        """Note it."""
        self.kept.append(answer)


@pytest.mark.parametrize("release", ["4.7.1", "4.8.0"])
def test_what_a_release_refutes_itself_rests_on_no_assumption(release: str) -> None:
    """Where puts wait in turn the rules have the late step, so nothing more falls."""
    for flush in ("ASYNC_FLUSH", "SYNC_FLUSH"):
        structure = STRUCTURES[f"SYNC_MASTER/{flush}/1 slave at {release}"]
        cells = tuple(load_cells(structure).values())
        assert leave_open_unmet(sample_group(parse_version(release)), structure, cells) == cells


@pytest.mark.parametrize(
    ("key", "kept", "broken", "claim"),
    [
        ("haSendHeartbeatInterval", 5000, 4999, "acknowledgement_is_truthful"),
        ("haSendHeartbeatInterval", 18999, 19000, "slaves_reach_the_masters_end"),
        ("mapedFileSizeCommitLog", 2**30, 2**30 - 1, "slaves_reach_the_masters_end"),
        ("mapedFileSizeCommitLog", 2**30, 2**30 + 1, "slaves_reach_the_masters_end"),
    ],
)
def test_both_sides_of_a_border_are_decided(key: str, kept: int, broken: int, claim: str) -> None:
    """One millisecond or byte: what is proved on one side is refuted on the other."""
    for value, word in ((kept, VerdictWord.PROVED), (broken, VerdictWord.REFUTED)):
        group = change_slaves(sample_group(), key, str(value))
        cells = {get_cell(v): v for v in analyse_log(group).verdicts}
        assert cells[claim, "none"].word is word


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("version", "border_ms"),
    [
        ("4.5.1", 5000),
        ("4.6.1", 5000),
        ("4.7.0", 5000),
        ("4.9.3", 4000),
        ("4.9.8", 4000),
        ("5.0.0-quorum", 4000),
        ("5.1.2-quorum", 3001),
        ("5.3.3-quorum", 3001),
    ],
)
def test_so_is_the_border_of_each_release(version: str, border_ms: int) -> None:
    """``haSendHeartbeatInterval`` against the wait that the release has, and how late it looks."""
    for value, word in ((border_ms, VerdictWord.PROVED), (border_ms - 1, VerdictWord.REFUTED)):
        group = sample_group(parse_version(version))
        group = change_slaves(group, "haSendHeartbeatInterval", str(value))
        cells = {get_cell(v): v for v in analyse_log(group).verdicts}
        assert cells["acknowledgement_is_truthful", "none"].word is word


def test_a_masters_short_retention_is_decided() -> None:
    """With SYNC_FLUSH a clean stop may leave bytes off the disk, below what is acknowledged."""
    fallen = {"ASYNC_FLUSH": {"flush_reaches_the_end"}}
    fallen["SYNC_FLUSH"] = {
        "flush_reaches_the_end",
        "acknowledged_is_kept_on_master",
        "acknowledged_is_kept_on_some_broker",
    }
    for flush, claims in fallen.items():
        group = change_master(sample_group(), "flushDiskType", flush)
        before = {get_cell(v): v for v in analyse_log(group).verdicts}
        group = change_master(group, "fileReservedTime", "0")
        after = analyse_log(group).verdicts
        changed = [v for v in after if v.word is not before[get_cell(v)].word]
        assert {v.guarantee for v in changed} == claims
        opened = [get_cell(v) for v in changed if v.word is not VerdictWord.REFUTED]
        assert opened == []


def test_settings_that_only_leave_rest_waiting_refute_nothing_else() -> None:
    """Every step is as before, so every claim about steps is as well."""
    group = change_slaves(sample_group(), "haSendHeartbeatInterval", "20000")
    before = load_cells(STOCK_PAIR)
    changed = {
        v.guarantee for v in analyse_log(group).verdicts if v.word is not before[get_cell(v)].word
    }
    assert changed == {"slaves_reach_the_masters_end"}


@pytest.mark.parametrize("key", ["mapedFileSizeCommitLog", "haSendHeartbeatInterval"])
def test_a_wrong_size_proves_nothing_and_wrong_timers_do(key: str) -> None:
    """Recovery and retention of files of two sizes are not described."""
    group = change_slaves(sample_group(), key, "1000000")
    proved = [v for v in analyse_log(group).verdicts if v.is_relied_on]
    assert bool(proved) == (key == "haSendHeartbeatInterval")
