"""What the chapter on delayed delivery advises, tried on the schedule that it is meant for."""

from __future__ import annotations

from attrs import evolve

from properties.delay.guarantee import passed_message_was_delivered
from properties.judgement import replay
from properties.subject import get_fault_class
from properties.world_page import load_cells
from reference.delay.delivery import replace_broker
from reference.delay.state import SLAVE, Delay
from reference.delay.structure import DELAY_STRUCTURES, SMALL_DELAY
from reference.machine import Action, compute_machine

STRUCTURE = DELAY_STRUCTURES[0]


def promote_and_deliver(state: Delay) -> Delay:
    """The slave is promoted and delivers all that it finds."""
    machine = compute_machine(STRUCTURE)
    state = machine.step(state, Action("promote_slave")).cluster
    while not (outcome := machine.step(state, Action(f"deliver_message[{SLAVE}]"))).is_refused:
        state = outcome.cluster
    return state


def test_a_promoted_slave_without_the_file_skips_nothing() -> None:
    """With the file of the certified schedule it does."""
    schedule = load_cells(STRUCTURE)["passed_message_was_delivered", "promotion"].schedule
    assert "promote_slave" == schedule[-1].instance
    limits = get_fault_class(STRUCTURE, "promotion").search_limits
    *_, last = replay(STRUCTURE, evolve(SMALL_DELAY, limits=limits), schedule[:-1])
    slave = last.cluster.brokers[SLAVE]
    kept = promote_and_deliver(last.cluster)
    deleted = promote_and_deliver(replace_broker(last.cluster, SLAVE, evolve(slave, file=0)))
    assert not passed_message_was_delivered(kept)
    assert passed_message_was_delivered(deleted)
    assert deleted.brokers[SLAVE].has_copy
