"""What the page for operators rests on: procedures, copies by hand, facts, what an answer means."""

from __future__ import annotations

import pytest
from attrs import evolve

from book.operators import choices
from book.operators.cells import NEVER, REASONS, Reason, Reasons, find_vacuous
from book.operators.choices import READERS, list_choices, say_statuses, say_target
from properties.scenarios.procedures.answers import (
    ANSWERS,
    FAULTS,
    QUESTIONS,
    STRUCTURE,
    decide,
    load_schedules,
    say_both_ways,
)
from properties.scenarios.procedures.facts import FACTS, ProvedFact, find_broken_by_copy, is_proved
from properties.scenarios.procedures.procedures import (
    Course,
    Procedure,
    compute_operated_machine,
    find_missing_lemmas,
    is_as_good_as_new,
    load_procedures,
    try_out,
)
from properties.scenarios.procedures.recoveries import is_all_running
from properties.scenarios.reading_claims import ReadingDeployment
from properties.schedules.judgement import ScheduleError, is_reached_by
from properties.worlds.replication.world import (
    CERTIFIED_GROUPS,
    LEMMAS,
    REPLICATION,
    SANITY_CHECKS,
    ClaimedGroup,
)
from reference.language.machine import Action
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from reference.worlds.replication.rules import RULES
from reference.worlds.replication.state import ANSWERED, PUT_OK, Cluster
from tests.structures import leave_large_to_night, name_of

PAIR = ClaimedGroup()
"""The stock synchronous pair."""

COPIED = [s for s in CERTIFIED_GROUPS if s.slaves > 0]
"""Groups with a slave to copy to."""

ON_LOGS_TRIED = [p for p in load_procedures() if isinstance(p.structure, ClaimedGroup)]
"""Procedures about logs; those about progress have no quiescence in which a group could rest."""

every_procedure = pytest.mark.parametrize("procedure", load_procedures(), ids=lambda p: p.name)


@every_procedure
def test_advice_keeps_what_is_at_stake(procedure: Procedure) -> None:
    """Every act is possible; afterwards the claim holds, and the proofs apply to a log again."""
    trial = try_out(procedure, procedure.advice)
    assert trial.is_claim_kept
    if procedure in ON_LOGS_TRIED:
        assert trial.is_as_good_as_new
        assert all(is_next_put_acknowledged(states[-1]) for states in trial.ends)


def is_next_put_acknowledged(cluster: Cluster) -> bool:
    """The message that was put after the acts is answered PUT_OK."""
    tried = [m for m in cluster.messages if m.phase == ANSWERED]
    return bool(tried) and tried[-1].status == PUT_OK


@every_procedure
def test_each_mistake_costs_what_is_at_stake(procedure: Procedure) -> None:
    """Every act is possible, and the claim is broken: the advice matters."""
    assert procedure.mistakes
    assert not any(try_out(procedure, each).is_claim_kept for each in procedure.mistakes)


@pytest.mark.parametrize("procedure", ON_LOGS_TRIED, ids=lambda p: p.name)
def test_no_act_of_an_advice_is_needless(procedure: Procedure) -> None:
    """Without any one of them another is impossible, or the group may not be well."""
    acts = procedure.advice.acts
    shorter = {str(a): (*acts[:i], *acts[i + 1 :]) for i, a in enumerate(acts)}
    cures = [name for name, left in shorter.items() if is_cure(procedure, Course("", left))]
    assert not cures


def is_cure(procedure: Procedure, course: Course) -> bool:
    """The acts are possible, the claim holds, the proofs apply again, and puts are acknowledged."""
    try:
        trial = try_out(procedure, course)
    except ScheduleError:
        return False
    is_well = trial.is_claim_kept and trial.is_as_good_as_new
    ends = [states[-1] for states in trial.ends]
    return is_well and all(map(is_all_running, ends)) and all(map(is_next_put_acknowledged, ends))


@pytest.mark.parametrize("structure", leave_large_to_night(COPIED), ids=name_of)
def test_a_copy_of_the_masters_store_keeps_every_lemma(structure: ClaimedGroup) -> None:
    """In every state that has the lemmas, reachable or not: what was proved stays proved."""
    assert not find_broken_by_copy(structure)


def test_a_new_group_is_as_good_as_new() -> None:
    """One with a slave ahead is not, nor one whose master remembers a report beyond its log."""
    start = PAIR.make_initial(SMALL_PARAMETERS)
    assert is_as_good_as_new(start)
    ahead = next(p for p in load_procedures() if p.name == "slave_ahead")
    (harmed,) = try_out(ahead, ahead.mistakes[0]).rested
    assert find_missing_lemmas(harmed) == ("slave_is_prefix_of_master",)
    remembers = evolve(start, master=evolve(start.master, push2_slave_max_offset=1))
    assert "reports_are_within_log_in_first_life" in find_missing_lemmas(remembers)


def test_a_slave_that_began_empty_is_well_when_the_past_has_expired() -> None:
    """Before that it lacks what its master still has."""
    new_slave = next(p for p in load_procedures() if p.name == "new_slave")
    (rested,) = try_out(new_slave, new_slave.mistakes[0]).rested
    assert not is_as_good_as_new(rested)
    expired = compute_operated_machine(rested.structure).step(rested, Action("expire_master_file"))
    assert not expired.is_refused
    assert is_as_good_as_new(expired.cluster)


def test_what_is_done_by_hand_is_in_no_verdict() -> None:
    """It is no rule of 4.4.0, and it is done to brokers that are down only."""
    assert not set(REPLICATION.manual_rules) & set(RULES)
    machine = compute_operated_machine(PAIR)
    start = PAIR.make_initial(SMALL_PARAMETERS)
    for name in ("copy_store_to_slave[0]", "copy_store_to_master[0]", "sync_master"):
        assert "is_master_down" in machine.step(start, Action(name)).failed


@pytest.mark.parametrize("name", [*SANITY_CHECKS, *LEMMAS])
def test_as_good_as_new_asks_for_every_lemma(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sanity checks too: a group that lacks any one of them is not as good as new."""
    fallen = evolve(REPLICATION.lemmas[name], predicate=lambda cluster: False)
    monkeypatch.setitem(REPLICATION.lemmas, name, fallen)  # type: ignore[arg-type]
    assert find_missing_lemmas(PAIR.make_initial(SMALL_PARAMETERS)) == (name,)


@pytest.mark.parametrize("fact", FACTS, ids=lambda f: f.predicate.__name__)
def test_facts_are_proved(fact: ProvedFact) -> None:
    """For the smallest groups and each column that they name; under a late join they are not."""
    small = [s for s in fact.structures if s.slaves == 1]
    assert small
    assert all(is_proved(fact, s, c) for s in small for c in fact.fault_models)
    assert not is_proved(fact, small[-1], "late join")


@pytest.mark.nightly
@pytest.mark.parametrize("fact", FACTS, ids=lambda f: f.predicate.__name__)
def test_facts_are_proved_of_every_group(fact: ProvedFact) -> None:
    """For each group and column that they name; under a late join they are not."""
    assert all(is_proved(fact, s, c) for s in fact.structures for c in fact.fault_models)
    assert not is_proved(fact, fact.structures[-1], "late join")


@pytest.mark.parametrize("key", load_schedules(), ids=" ".join)
def test_an_open_answer_is_shown_both_ways(key: tuple[str, str, str]) -> None:
    """Each schedule is possible, and ends with the answer and what it shows."""
    answer, question, word = key
    shown = say_both_ways(answer, question)[word]
    parameters = STRUCTURE.world.make_search_parameters(FAULTS)
    assert is_reached_by(shown, STRUCTURE, parameters, load_schedules()[key])


def test_every_answer_is_decided() -> None:
    """By a proof or by two schedules; a slave that starts meanwhile may answer what it lacks."""
    words = {(a, q): decide(a, q).word for a in ANSWERS for q in QUESTIONS}
    assert {words["PUT_OK", q] for q in ("stored", "on_disk")} == {"yes"}
    assert {words["refused", q] for q in QUESTIONS} == {"no"}
    assert {words[a, "on_slave"] for a in ("PUT_OK", "FLUSH_DISK_TIMEOUT")} == {"open"}
    assert {words[a, "stored"] for a in ANSWERS if a != "refused"} == {"yes"}


def make_reason(sentence: str) -> Reason:
    """One of these words."""
    return Reason(sentence, (), (), "", "")


def test_letters_follow_the_reasons() -> None:
    """A reason has one letter, whatever cell names it; other answers have none."""
    one, other = map(make_reason, ("this", "that"))
    reasons = Reasons.collect(["yes", one, NEVER, other, make_reason("this")])
    assert [reasons.get_letter(r) for r in (one, other, one)] == ["a", "b", "a"]
    assert reasons.say(other) == f"[no, b]({REASONS})"
    assert reasons.say("yes") == "yes"
    with pytest.raises(ValueError, match="not in tuple"):
        reasons.get_letter(make_reason("else"))


def test_groups_that_fall_for_different_reasons_are_two_choices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Though either has a no under one fault model, and a first letter of its own there."""
    monkeypatch.setattr(choices, "find_answer", lambda name, *cell: make_reason(name))
    list_choices.cache_clear()
    try:
        assert all(len(choice.structures) == 1 for choice in list_choices())
    finally:
        list_choices.cache_clear()


def test_vacuous_cells_are_those_of_answers_and_slaves() -> None:
    """A SYNC_MASTER without slaves answers no put with PUT_OK, and has no slave to differ."""
    alone, *others = (
        ClaimedGroup(Role.SYNC_MASTER, FlushDiskType.ASYNC_FLUSH, slaves) for slaves in (0, 1, 2)
    )
    assert {claim for claim, _ in find_vacuous(alone.name)} == {
        "acknowledged_is_kept_on_master",
        "acknowledged_is_kept_on_some_broker",
        "acknowledged_is_held_twice",
        "acknowledgement_is_truthful",
        "slave_is_prefix_of_master",
        "equal_offsets_mean_equal_bytes",
        "slaves_reach_the_masters_end",
        "slaves_come_to_hold_everything",
    }
    assert [frozenset()] * len(others) == [find_vacuous(group.name) for group in others]


def test_statuses_follow_the_waits() -> None:
    """A group whose puts wait for nothing answers PUT_OK only."""
    asynchronous = ClaimedGroup(Role.ASYNC_MASTER, FlushDiskType.ASYNC_FLUSH, 1)
    assert say_statuses(asynchronous) == "no other"
    assert say_statuses(evolve(asynchronous, flush_disk_type=FlushDiskType.SYNC_FLUSH)) == (
        "`FLUSH_DISK_TIMEOUT`"
    )


def test_readers_are_distinguished() -> None:
    """By the claims of the chapter on reading."""
    assert [say_target(each) for each in READERS.values()] == [
        "pulls go to the master",
        "slow consumers pull from the slave",
        "pulls go to the slave after the first one",
    ]
    assert say_target(ReadingDeployment(True, False, 1, 1)) == "pulls go to both"
    assert say_target(ReadingDeployment(False, False, 1, 1)) == "pulls go to the master"
