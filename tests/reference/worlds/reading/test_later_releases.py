"""What later releases change for consumers: redirects to the end, and slaves that reject pulls."""

from __future__ import annotations

import pytest
from attrs import evolve

from properties.scenarios.analysis.reading import compute_deployment, find_structure
from properties.worlds.reading.world import LATER_READERS
from reference.configuration.deployments import sample_group
from reference.decisions.reading.subscription_group import DEFAULT_GROUP
from reference.language.machine import Action, compute_machine
from reference.releases.versions import parse_version
from reference.worlds.reading.state import MASTER, SLAVE, SMALL_READING, Reading
from reference.worlds.reading.structure import ReadingStructure

CLOSED = ReadingStructure()
FROM_494 = evolve(CLOSED, is_reset_to_end=True)
FROM_500 = evolve(FROM_494, is_closed_slave_silent=True)


def meet_slave(structure: ReadingStructure) -> Reading:
    """The consumer is at 3, its master is gone, and the slave's queue is [0..1)."""
    state = structure.make_initial(SMALL_READING)
    consumer = evolve(state.consumer, is_running=True, next_offset=3)
    routes = evolve(state.routes, is_master_listed=False, is_master_seen=False)
    brokers = (
        evolve(state.brokers[MASTER], is_up=False, queue_max=3),
        evolve(state.brokers[SLAVE], queue_max=1),
    )
    return evolve(state, consumer=consumer, routes=routes, brokers=brokers)


@pytest.mark.parametrize(("structure", "corrected"), [(CLOSED, 0), (FROM_494, 1)])
def test_a_consumer_beyond_the_end_is_redirected(
    structure: ReadingStructure, corrected: int
) -> None:
    """To the begin in 4.4.0, as the queue begins at 0; to the end from 4.9.4 on."""
    checked = evolve(structure, is_offset_checked_in_slave=True)
    outcome = compute_machine(checked).step(meet_slave(checked), Action("pull_nothing[1]"))
    assert not outcome.is_refused
    assert outcome.cluster.consumer.corrected == corrected


def test_a_closed_slave_rejects_every_pull_from_5_0_0_on() -> None:
    """Nothing that the consumer can do there is left; before, it could pull."""
    for structure, is_asked in ((FROM_494, True), (FROM_500, False)):
        enabled = compute_machine(structure).enabled(meet_slave(structure))
        pulls = {e.instance.name for e in enabled if e.instance.rule.name.startswith("pull_")}
        assert bool(pulls) is is_asked


@pytest.mark.parametrize(
    ("release", "name"),
    [
        ("4.4.0", "reading/closed/no offset check/last"),
        ("4.9.3", "reading/closed/no offset check/last"),
        ("4.9.8", "reading/closed/no offset check/last at 4.9.4"),
        ("5.3.3", "reading/closed/no offset check/last at 5.0.0"),
    ],
)
def test_consumers_of_a_group_are_those_of_its_release(release: str, name: str) -> None:
    """By the release that the answer is about."""
    group = sample_group(parse_version(release))
    structure = find_structure(compute_deployment(group, DEFAULT_GROUP))
    assert structure is not None
    assert structure.name == name
    assert (structure in LATER_READERS) is (" at " in name)
