"""What known schedules reach, and how they are carried over to other groups."""

from __future__ import annotations

from random import Random

from attrs import evolve

from properties.schedules.judgement import is_reached_by
from properties.schedules.known_schedules import (
    KnownScheduleSearch,
    load_known_schedules,
    search_known_schedules,
)
from properties.schedules.related_structures import carry_over, mirror, move
from properties.worlds.replication.fault_models import EVERYTHING
from properties.worlds.replication.world import ClaimedGroup
from properties.z3.vacuity import compute_questions, load_witnesses
from reference.language.leaves import flatten
from reference.language.machine import Action
from reference.language.terms import substitute
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from tests.structures import SYNCHRONOUS_PAIR

SIZES = evolve(SMALL_PARAMETERS, limits=EVERYTHING.search_limits)
TWO_SLAVES = evolve(SYNCHRONOUS_PAIR, slaves=2)
CONNECT = (Action("connect_slave[0]", {}), Action("report_offset[0]", {}))


def test_a_moved_schedule_is_another_slaves() -> None:
    """Steps of the master stay, steps of the first slave become the second's."""
    append = Action("append_message[0]", {"size_bytes": 1})
    assert (append, Action("connect_slave[1]", {})) == move(TWO_SLAVES, (append, CONNECT[0]), 1)


def test_in_a_mirrored_schedule_all_slaves_do_the_same() -> None:
    """Each step of the first slave is followed by the second's."""
    expected = ["connect_slave[0]", "connect_slave[1]", "report_offset[0]", "report_offset[1]"]
    assert expected == [a.instance for a in mirror(TWO_SLAVES, SIZES, CONNECT)]
    assert () == mirror(TWO_SLAVES, SIZES, CONNECT[1:])


def test_a_schedule_is_carried_over_in_every_way() -> None:
    """To a pair as it is; to a larger group also mirrored, and for each other slave."""
    assert [CONNECT] == list(carry_over(SYNCHRONOUS_PAIR, SIZES, CONNECT))
    assert 3 == len(set(map(str, carry_over(TWO_SLAVES, SIZES, CONNECT))))


def test_what_is_found_is_reached() -> None:
    """Half of the questions, from the schedules of the other half and of other structures."""
    structure = ClaimedGroup(slaves=2)
    questions = compute_questions(structure)
    asked = {n: questions[n] for n in list(questions)[::4]}
    others = [a.schedule for a in load_witnesses(SYNCHRONOUS_PAIR) if a.schedule is not None]
    found = search_known_schedules(structure, SIZES, asked, others)
    assert len(found) > len(asked) // 2
    for name, schedule in found.items():
        question = asked[name]
        assert is_reached_by(
            lambda cluster, q=question: bool(substitute(q, flatten(cluster))),  # type: ignore[misc]
            structure,
            SIZES,
            schedule,
        ), name


def test_a_stray_walk_depends_on_its_seed_alone() -> None:
    """The same seed leads to the same finds."""

    def walk(seed: int) -> dict[str, tuple[Action, ...]]:
        gathered = KnownScheduleSearch(SYNCHRONOUS_PAIR, SIZES, compute_questions(SYNCHRONOUS_PAIR))
        for _ in range(3):
            gathered.stray(CONNECT, Random(seed))
        return gathered.found

    assert walk(7) == walk(7)
    assert len(walk(7)) > 3


def test_known_schedules_come_from_every_certificate() -> None:
    """Those of cells, and those of witnesses, each once."""
    known = load_known_schedules()
    assert len(known) == len(set(map(str, known)))
    witnesses = {str(a.schedule) for a in load_witnesses(SYNCHRONOUS_PAIR) if a.schedule}
    assert witnesses <= set(map(str, known))
