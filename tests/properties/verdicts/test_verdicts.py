"""Every cell of every structure: decided again from certificates, compared with expectations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from properties.scenarios.analysis.log import decide
from properties.schedules.judgement import find_needless_steps, is_refuted_by
from properties.verdicts import certificates
from properties.verdicts.expectations import find_expectation, load_expectations
from properties.verdicts.verdict import (
    Hints,
    InternalDisagreementError,
    Verdict,
    VerdictWord,
    record_violation,
    search_structure,
)
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME, FAULT_MODELS
from properties.worlds.replication.world import CLAIMS, ClaimedGroup
from properties.z3.bounded_search import BoundedSearch
from properties.z3.induction import InductionResult, prove_lemmas
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.parameters import SMALL_PARAMETERS, Parameters, clip_sizes
from tests.structures import GROUPS, SYNCHRONOUS_PAIR, leave_large_to_night, name_of


@pytest.fixture(params=leave_large_to_night(GROUPS), ids=name_of, scope="module")
def structure(request: pytest.FixtureRequest) -> ClaimedGroup:
    """Each structure."""
    chosen: ClaimedGroup = request.param
    return chosen


@pytest.fixture(scope="module")
def verdicts(structure: ClaimedGroup) -> tuple[Verdict, ...]:
    """Its cells, under the sizes of a real broker."""
    document = certificates.load(structure)
    assert document is not None, "the rules have changed: run ./rmqspec prove --search"
    return certificates.recheck(structure, Parameters(), document)


def test_every_cell_is_decided(structure: ClaimedGroup, verdicts: tuple[Verdict, ...]) -> None:
    """One verdict per guarantee and fault model, none undecided."""
    cells = {(v.guarantee, v.fault) for v in verdicts}
    assert {(g, c.name) for g in CLAIMS for c in FAULT_MODELS} == cells
    assert [] == [v for v in verdicts if v.word is VerdictWord.UNDECIDED]


def test_every_cell_is_as_expected(structure: ClaimedGroup, verdicts: tuple[Verdict, ...]) -> None:
    """The engines say what the data file expects, with a reason for each cell."""
    for v in verdicts:
        expected = find_expectation(v.guarantee, structure, v.fault)
        assert expected.verdict is v.word, (v.guarantee, v.fault)
        assert v.is_vacuous == expected.reason.startswith("Vacuous"), (v.guarantee, v.fault)
        assert expected.reason


def test_schedules_are_minimal(structure: ClaimedGroup, verdicts: tuple[Verdict, ...]) -> None:
    """From no refuting schedule can a single step be left out."""
    for v in verdicts:
        if v.word is not VerdictWord.REFUTED:
            continue
        sizes = SMALL_PARAMETERS if v.is_scaled else Parameters()
        parameters = evolve(sizes, limits=FAULT_MODEL_BY_NAME[v.fault].search_limits)
        needless = find_needless_steps(
            v.schedule,
            lambda trial, v=v, p=parameters: is_refuted_by(v.guarantee, structure, p, trial),  # type: ignore[misc]
        )
        assert [] == needless, (v.guarantee, v.fault)


def test_more_faults_never_help(structure: ClaimedGroup, verdicts: tuple[Verdict, ...]) -> None:
    """The table is monotone: what is refuted under fewer faults is refuted under more, as fast."""
    cells = {(v.guarantee, v.fault): v for v in verdicts}
    for weaker in FAULT_MODELS:
        for stronger in FAULT_MODELS:
            if not weaker.is_contained_in(stronger):
                continue
            for g in CLAIMS:
                fewer, more = cells[g, weaker.name], cells[g, stronger.name]
                if fewer.word is VerdictWord.REFUTED:
                    assert more.word is VerdictWord.REFUTED
                    assert len(more.schedule) <= len(fewer.schedule)


def test_every_expectation_decides_a_cell() -> None:
    """No entry of the expectations is dead."""
    structures = [s for s in STRUCTURES.values() if isinstance(s, ClaimedGroup)]
    used = {
        find_expectation(g, s, c.name) for g in CLAIMS for s in structures for c in FAULT_MODELS
    }
    assert set(load_expectations()) == used


@pytest.mark.nightly
def test_false_acknowledgement_is_found_anew() -> None:
    """Bounded search finds the slave that is ahead by itself: 16 steps, none shorter."""
    fault_model = FAULT_MODEL_BY_NAME["master power loss"]
    name = "acknowledgement_is_truthful"
    search = BoundedSearch(SYNCHRONOUS_PAIR, fault_model, prove_lemmas(SYNCHRONOUS_PAIR))
    questions = {name: record_violation(SYNCHRONOUS_PAIR, name)}
    answer = search.find_shortest(questions, depth_limits={name: 20})[name]
    assert 16 == answer.depth
    assert answer.schedule is not None
    assert is_refuted_by(name, SYNCHRONOUS_PAIR, search.parameters, answer.schedule)
    rules = [a.instance for a in answer.schedule]
    assert 1 == rules.count("lose_master_power")
    assert rules.index("append_to_slave[0]") < rules.index("lose_master_power")


@pytest.mark.nightly
def test_search_without_help_agrees() -> None:
    """Lemmas and order reduction lose nothing: a search without either is as short.

    A schedule that is not known to be the shortest may be longer.
    """
    structure = ClaimedGroup(Role.ASYNC_MASTER, FlushDiskType.SYNC_FLUSH, 1)
    fault_model = FAULT_MODEL_BY_NAME["master power loss"]
    names = [n for n in CLAIMS if n not in ("acknowledged_is_kept_on_master",)]
    names.remove("acknowledged_is_kept_on_some_broker")
    plain = BoundedSearch(structure, fault_model)
    plain.needless_orders = []
    questions = {n: record_violation(structure, n) for n in names}
    answers = plain.find_shortest(questions, depth_limits=dict.fromkeys(names, 10))
    document = certificates.load(structure)
    assert document is not None
    cells = certificates.decode_cells(structure, document)
    certified = {
        v.guarantee: v
        for v in cells
        if v.fault == fault_model.name and v.guarantee in names and v.schedule
    }
    found = {n: a.depth for n, a in answers.items() if a.schedule is not None}
    assert len(found) > 2
    known = {n: len(v.schedule) for n, v in certified.items() if len(v.schedule) <= 10}
    assert known.keys() <= found.keys() <= certified.keys()
    for name, depth in found.items():
        assert depth == len(certified[name].schedule) or not certified[name].is_shortest
        assert depth <= len(certified[name].schedule)


@pytest.mark.nightly
def test_small_sizes_are_searched_when_the_known_schedule_does_not_fit() -> None:
    """A fall-behind limit of one byte: the search goes on where known schedules do not fit."""
    parameters = evolve(Parameters(), ha_slave_fallbehind_max_bytes=1)
    verdicts = decide(SYNCHRONOUS_PAIR, parameters)
    assert clip_sizes(parameters).ha_slave_fallbehind_max_bytes == 1
    for v in verdicts:
        if v.word is VerdictWord.REFUTED:
            sizes = clip_sizes(parameters) if v.is_scaled else parameters
            given = evolve(sizes, limits=FAULT_MODEL_BY_NAME[v.fault].search_limits)
            assert is_refuted_by(v.guarantee, SYNCHRONOUS_PAIR, given, v.schedule)
    words = {(v.guarantee, v.fault): v.word for v in verdicts}
    assert words["acknowledgement_is_truthful", "master power loss"] is VerdictWord.REFUTED


def test_a_forged_proof_is_refused() -> None:
    """A certificate that calls a refuted cell proved is a disagreement, not a verdict."""
    document = certificates.load(SYNCHRONOUS_PAIR)
    assert document is not None
    for cell in document["cells"]:
        if cell["fault"] == "master power loss":
            cell["verdict"] = "proved"
    with pytest.raises(InternalDisagreementError):
        certificates.recheck(SYNCHRONOUS_PAIR, Parameters(), document)


def test_a_forged_lemma_is_refused() -> None:
    """A certificate whose lemmas carry no proof of one of them is a disagreement."""
    document = certificates.load(SYNCHRONOUS_PAIR)
    assert document is not None
    document["inductive_set"].remove("log_ends_in_last_file")
    with pytest.raises(InternalDisagreementError, match="do not prove"):
        certificates.recheck(SYNCHRONOUS_PAIR, Parameters(), document)


def forge_bounded(document: dict[str, Any]) -> None:
    """Turn what is refuted into an unsupported word."""
    for cell in document["cells"]:
        if cell["verdict"] == "refuted":
            cell["verdict"] = "bounded"
            cell.pop("is_shortest", None)


def forge_missing(document: dict[str, Any]) -> None:
    """Leave a cell out."""
    del document["cells"][0]


def forge_doubled(document: dict[str, Any]) -> None:
    """Have a cell twice and another one not at all."""
    document["cells"][0] = document["cells"][1]


def forge_longer(document: dict[str, Any]) -> None:
    """Put a step into a schedule that it does not need."""
    cell = next(
        c
        for c in document["cells"]
        if c["guarantee"] == "acknowledgement_is_truthful" and "schedule" in c
    )
    cell["schedule"].insert(-1, ["append_other_message", {"size_bytes": 1}])


def forge_later(document: dict[str, Any]) -> None:
    """Let a column fall later than one with fewer faults, by a schedule that has no idle step."""
    cells = {(c["guarantee"], c["fault"]): c for c in document["cells"]}
    name = "acknowledgement_is_truthful"
    later, sooner = cells[name, "every fault"], cells[name, "master power loss"]
    assert len(later["schedule"]) < len(sooner["schedule"])
    later["schedule"] = sooner["schedule"]


def forge_lemma(document: dict[str, Any]) -> None:
    """Name a lemma that does not exist."""
    document["inductive_set"].append("everything_is_fine")


def forge_shape(document: dict[str, Any]) -> None:
    """Be no certificate at all."""
    document["cells"] = 7


@pytest.mark.parametrize(
    "forge",
    [
        *(forge_bounded, forge_missing, forge_doubled, forge_longer, forge_later),
        *(forge_lemma, forge_shape),
    ],
)
def test_a_forged_certificate_is_refused(forge: Callable[[dict[str, Any]], None]) -> None:
    """Nothing but the length of a schedule is taken on trust."""
    document = certificates.load(SYNCHRONOUS_PAIR)
    assert document is not None
    forge(document)
    with pytest.raises(InternalDisagreementError, match="prove --search"):
        certificates.recheck(SYNCHRONOUS_PAIR, Parameters(), document)


def test_a_proof_is_not_called_vacuous_for_nothing() -> None:
    """Only where the premise is proved to be impossible."""
    alone = next(s for s in GROUPS if not s.slaves)
    document = certificates.load(alone)
    assert document is not None
    proved = next(
        c for c in document["cells"] if c["verdict"] == "proved" and not c.get("is_vacuous")
    )
    proved["is_vacuous"] = True
    with pytest.raises(InternalDisagreementError, match="certified as vacuous"):
        certificates.recheck(alone, Parameters(), document)


def test_a_broken_certificate_is_none(tmp_path: Path) -> None:
    """A file that is no JSON, or was made from other rules, is not used."""
    certificates.get_path(SYNCHRONOUS_PAIR, tmp_path).write_text("{")
    assert certificates.load(SYNCHRONOUS_PAIR, tmp_path) is None
    certificates.get_path(SYNCHRONOUS_PAIR, tmp_path).write_text('{"digest": "x"}')
    assert certificates.load(SYNCHRONOUS_PAIR, tmp_path) is None


def test_a_forged_schedule_is_no_refutation() -> None:
    """A schedule that does not refute leaves its cell undecided."""
    document = certificates.load(SYNCHRONOUS_PAIR)
    assert document is not None
    for cell in document["cells"]:
        cell.get("schedule", [None]).pop()
    verdicts = certificates.recheck(SYNCHRONOUS_PAIR, Parameters(), document)
    assert VerdictWord.REFUTED not in {v.word for v in verdicts}


@pytest.mark.parametrize("fault", ["none", "master kill", "slave power loss", "late join"])
def test_a_schedule_needs_the_faults_of_its_column(fault: str) -> None:
    """What a master's power loss refutes is no refutation where none may happen."""
    lost = "acknowledged_is_kept_on_master"
    refuted = certificates.load_refuted(SYNCHRONOUS_PAIR, lost, "master power loss")
    again = certificates.rejudge(SYNCHRONOUS_PAIR, Parameters(), refuted)
    assert again.word is VerdictWord.REFUTED
    elsewhere = evolve(refuted, fault=fault)
    for parameters in (Parameters(), SMALL_PARAMETERS):
        found = certificates.rejudge(SYNCHRONOUS_PAIR, parameters, elsewhere)
        assert found.word is VerdictWord.UNDECIDED


@pytest.mark.nightly
def test_certificates_are_found_anew(structure: ClaimedGroup) -> None:
    """A search from nothing finds the same words and the same lengths."""
    document = certificates.load(structure)
    assert document is not None
    stored = {
        (c["guarantee"], c["fault"]): (c["verdict"], len(c.get("schedule", ())))
        for c in document["cells"]
    }
    smaller = certificates.load_related(structure)
    found = {
        (v.guarantee, v.fault): (v.word.value, len(v.schedule))
        for v in search_structure(structure, hints=Hints(smaller))
    }
    assert stored == found
    assert SMALL_PARAMETERS.mapped_file_size_bytes < 32


def test_a_prover_that_assumes_what_it_concludes_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Claims that a schedule refutes must fall; a prover that keeps everything keeps them too."""
    document = certificates.load(SYNCHRONOUS_PAIR)
    assert document is not None
    monkeypatch.setattr(certificates, "prove_lemmas", lambda structure, names: tuple(names))
    with pytest.raises(InternalDisagreementError, match="unsound"):
        certificates.recheck(SYNCHRONOUS_PAIR, Parameters(), document)


def test_a_refuted_cell_must_not_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a schedule refutes and the lemmas imply cannot both be right."""
    document = certificates.load(SYNCHRONOUS_PAIR)
    assert document is not None
    everything = InductionResult(tuple(CLAIMS), (), tuple(document["inductive_set"]), (), 0)
    columns = dict.fromkeys(FAULT_MODEL_BY_NAME, everything)
    monkeypatch.setattr(certificates, "decide_fault_models", lambda structure, lemmas: columns)
    with pytest.raises(InternalDisagreementError, match="follows from the lemmas"):
        certificates.recheck(SYNCHRONOUS_PAIR, Parameters(), document)


def test_a_schedule_that_needs_small_files_is_marked() -> None:
    """In files of 1 GiB a late join takes too many steps; a loss of the tail does not."""
    cells = certificates.load_cells(SYNCHRONOUS_PAIR)
    joined = cells["acknowledged_is_held_twice", "late join"]
    lost = cells["acknowledged_is_kept_on_master", "master power loss"]
    assert certificates.rejudge(SYNCHRONOUS_PAIR, Parameters(), joined).is_scaled
    assert not certificates.rejudge(SYNCHRONOUS_PAIR, Parameters(), lost).is_scaled
