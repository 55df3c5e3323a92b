"""A schedule in sentences: every step once and in order, faults by themselves."""

from __future__ import annotations

import pytest

from properties.schedules.judgement import replay
from properties.schedules.telling import (
    DEPLOYMENT,
    EVENT,
    RESULT,
    STEPS,
    describe_action,
    find_fault_steps,
    tell,
)
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged
from properties.worlds.replication.world import ClaimedGroup
from properties.z3.fault_sets import compute_faults
from reference.language.machine import Action, compute_machine
from tests.properties.refutations import every_world, find_known
from tests.structures import TWO_OF_EACH, allow_two_of_each, name_of


@every_world
def test_every_step_is_told_once(world: str) -> None:
    """In order, from the setting to the guarantee that does not hold."""
    known = find_known(world)
    story = tell(known.guarantee, known.steps)
    assert DEPLOYMENT == story[0].word
    assert known.structure.name in story[0].text
    assert RESULT == story[-1].word
    assert known.structure.world.guarantees[known.guarantee].sentence in story[-1].text
    assert list(range(1, len(known.schedule) + 1)) == [n for s in story for n in s.steps]
    assert all(f"({n}) " in sentence.text for sentence in story for n in sentence.steps)
    assert all(str(sentence).endswith((".", "”")) for sentence in story)


@every_world
def test_faults_are_events(world: str) -> None:
    """Exactly the steps that count against a limit."""
    known = find_known(world)
    story = tell(known.guarantee, known.steps)
    counted = {n for n, a in enumerate(known.schedule, 1) if compute_faults(known.structure, [a])}
    assert counted
    assert counted == {n for s in story if s.word == EVENT for n in s.steps}
    assert counted == find_fault_steps(known.steps)
    others = {n for s in story if s.word == STEPS for n in s.steps}
    assert set(range(1, len(known.schedule) + 1)) == counted | others


def test_sentences_are_those_of_the_rules() -> None:
    """What the sources call a step is left out, and so is what follows a semicolon."""
    structure = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/2 slaves"]
    state = structure.make_initial(TWO_OF_EACH)
    assert "a slave connects and is counted immediately [slave 2]" == describe_action(
        Action("connect_slave[1]"), state
    )
    wrong = describe_action(Action("append_at_wrong_offset[0]", {"size_bytes": 3}), state)
    assert "[slave 1, size_bytes = 3]" in wrong
    assert "stores them where its log begins [" in wrong


@pytest.mark.parametrize("structure", list_tagged(Tag.USUAL), ids=name_of)
def test_every_rule_has_words(structure: object) -> None:
    """Of every structure of every world; who is meant where there is more than one."""
    state = structure.make_initial(allow_two_of_each(structure))
    told = {describe_action(Action(name), state) for name in compute_machine(structure).instances}
    assert len(told) == len(compute_machine(structure).instances)
    assert not any("R-" in words or "; " in words or "{" in words for words in told)


def test_a_schedule_without_steps() -> None:
    """A guarantee that does not hold at the beginning needs none."""
    structure = ClaimedGroup()
    (begin,) = replay(structure, TWO_OF_EACH, ())
    story = tell("slave_is_prefix_of_master", [begin])
    assert [DEPLOYMENT, RESULT] == [s.word for s in story]
    assert story[-1].text.startswith("at the beginning, ")
