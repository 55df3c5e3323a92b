"""Triage: each of its answers, for properties whose truth is known."""

from __future__ import annotations

import pytest
from attrs import evolve

from properties.language.property import Predicate, Property, PropertyRole
from properties.schedules.judgement import is_refuted_by
from properties.verdicts.verdict import InternalDisagreementError
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import GUARANTEES, LEMMAS
from properties.z3 import triage as triage_module
from properties.z3.triage import TriagedCounterexample, TriageWord, triage, triage_candidate
from reference.language.operators import implies
from reference.worlds.replication.state import ANSWERED, FLUSH_SLAVE_TIMEOUT, Cluster
from tests.structures import SYNCHRONOUS_PAIR

NO_FAULT = FAULT_MODEL_BY_NAME["none"]


def examine(predicate: Predicate, depth_limit: int = 6) -> dict[str, TriagedCounterexample]:
    """The answers for a candidate lemma of the synchronous pair without faults, by rule."""
    candidate = Property("candidate", PropertyRole.LEMMA, predicate)
    found = triage_candidate(SYNCHRONOUS_PAIR, NO_FAULT, candidate, depth_limit=depth_limit)
    return {one.action.instance if one.action else "": one for one in found}


def nothing_is_ever_flushed(cluster: Cluster) -> bool:
    """False, and soon."""
    return cluster.master.log.flushed_offset == 0


def a_timed_out_put_has_stood_in_line(cluster: Cluster) -> bool:
    """True, and not inductive: nothing says that a put which waits has its place in the line."""
    message = cluster.messages[0]
    is_timed_out = (message.phase == ANSWERED) & (message.status == FLUSH_SLAVE_TIMEOUT)
    return implies(is_timed_out, message.transfer_turn > 0)


def the_log_stays_short(cluster: Cluster) -> bool:
    """False, but beyond the searched log."""
    return cluster.master.log.max_offset < 1000


def kills_are_not_negative(cluster: Cluster) -> bool:
    """True, and inductive."""
    return cluster.faults.master_kills >= 0


def the_master_is_down(cluster: Cluster) -> bool:
    """False from the start."""
    return cluster.master.is_stopping


def test_a_false_candidate_is_reachable() -> None:
    """One byte is appended and flushed."""
    found = examine(nothing_is_ever_flushed)["flush_master"]
    assert TriageWord.REACHABLE is found.word
    assert ["append_other_message", "flush_master"] == [
        "append_other_message" if a.instance.startswith("append") else a.instance
        for a in found.schedule
    ]


def test_a_true_candidate_that_is_not_inductive_is_unreached() -> None:
    """The state has a put that waits without a place in the line; no run has."""
    answers = examine(a_timed_out_put_has_stood_in_line, depth_limit=9)
    assert TriageWord.REACHABLE not in {one.word for one in answers.values()}
    timed_out = answers["time_out_slave_wait[0]"]
    assert "unreached within 9 steps" == timed_out.describe()
    assert 0 == timed_out.before["messages.0.transfer_turn"]


def test_a_counterexample_that_a_lemma_contradicts_is_excluded() -> None:
    """Without faults answers are truthful; that reports are honest says a lemma."""
    found = triage(SYNCHRONOUS_PAIR, NO_FAULT, "acknowledgement_is_truthful")
    answers = {one.action.instance: one for one in found if one.action is not None}
    assert {TriageWord.EXCLUDED} == {one.word for one in found}
    assert "lacked_put_is_not_reported" in answers["answer_slave_wait[0]"].excluded_by
    assert all(set(one.excluded_by) & set(LEMMAS) for one in found)


def test_a_refuted_guarantee_has_a_reachable_counterexample() -> None:
    """What triage reaches refutes the guarantee in that column."""
    fault_model = FAULT_MODEL_BY_NAME["master power loss"]
    name = "slave_is_prefix_of_master"
    found = triage(SYNCHRONOUS_PAIR, fault_model, name, depth_limit=8)
    reached = [one for one in found if one.word is TriageWord.REACHABLE]
    sizes = SYNCHRONOUS_PAIR.world.make_search_parameters(fault_model)
    assert all(is_refuted_by(name, SYNCHRONOUS_PAIR, sizes, one.schedule) for one in reached)
    assert any(one.is_same_state for one in reached)


@pytest.mark.nightly
def test_another_state_may_be_reached() -> None:
    """The smallest state is impossible; the rule breaks it from others too."""
    late_join = FAULT_MODEL_BY_NAME["late join"]
    found = triage(SYNCHRONOUS_PAIR, late_join, "acknowledged_is_held_twice", depth_limit=11)
    answers = {one.action.instance: one for one in found if one.action is not None}
    assert TriageWord.REACHABLE is answers["answer_slave_wait[0]"].word
    assert not answers["answer_slave_wait[0]"].is_same_state
    assert "reachable from another state, 11 steps" == answers["answer_slave_wait[0]"].describe()


def test_what_does_not_fit_into_the_searched_log_is_said() -> None:
    """A thousand bytes are beyond it, and nobody calls them unreached."""
    answers = examine(the_log_stays_short)
    assert {TriageWord.OUT_OF_RANGE} == {one.word for one in answers.values()}
    assert "append_other_message" in answers


def test_an_inductive_candidate_has_no_counterexample() -> None:
    """There is nothing to triage."""
    assert {} == examine(kills_are_not_negative)


def test_a_candidate_may_be_false_from_the_start() -> None:
    """It takes no step."""
    found = examine(the_master_is_down)[""]
    assert "reachable, 0 steps" == found.describe()


def test_an_unknown_property_is_an_error() -> None:
    """No name is guessed."""
    with pytest.raises(KeyError):
        triage(SYNCHRONOUS_PAIR, NO_FAULT, "no_such_property")


def test_the_reference_has_the_last_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """A schedule that the reference does not confirm is a disagreement, not an answer."""
    monkeypatch.setattr(triage_module, "is_reached_by", lambda *arguments: False)
    with pytest.raises(InternalDisagreementError, match="flush_master breaks candidate"):
        examine(nothing_is_ever_flushed)


def test_a_reachable_counterexample_is_no_violation() -> None:
    """Its verdict is of its own kind: no word of it is a word of the guarantee table."""
    one = TriagedCounterexample("any", None, {}, TriageWord.UNREACHED, depth=3)
    assert "unreached within 3 steps" == one.describe()
    excluded = evolve(one, word=TriageWord.EXCLUDED, excluded_by=tuple(GUARANTEES)[:1])
    assert f"excluded by {next(iter(GUARANTEES))}" == excluded.describe()
    out = evolve(one, word=TriageWord.OUT_OF_RANGE)
    assert "out of the range of the searched log" == out.describe()
