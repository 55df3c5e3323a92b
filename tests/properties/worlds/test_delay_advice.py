"""What the chapter on delayed delivery advises, tried on the case that it is meant for."""

from __future__ import annotations

from attrs import evolve

from properties.worlds.delay.guarantee import passed_message_was_delivered
from properties.worlds.delay.world import DELAY_STRUCTURES
from reference.language.machine import Action, compute_machine
from reference.language.rule import replace_broker
from reference.worlds.delay.state import SLAVE, SMALL_DELAY, Delay

STRUCTURE = DELAY_STRUCTURES[0]

LATE_LOG = (
    Action("put_delayed_message[0]"),
    Action("replicate_delayed_message", {"queue_max": 1}),
    Action("deliver_message[0]"),
    Action("note_progress[0]"),
    Action("copy_progress"),
    Action("stop_broker[0]"),
)
"""The slave has its master's progress, and not yet the copy that this counts."""


def take(state: Delay, action: Action) -> Delay:
    """The state after an action, which is possible."""
    outcome = compute_machine(STRUCTURE).step(state, action)
    assert not outcome.is_refused, (action, outcome.failed)
    after: Delay = outcome.cluster
    return after


def promote_and_deliver(state: Delay) -> Delay:
    """The slave is promoted and delivers all that it finds."""
    state = take(state, Action("promote_slave"))
    while state.brokers[SLAVE].position < state.brokers[SLAVE].queue_max:
        state = take(state, Action(f"deliver_message[{SLAVE}]"))
    return state


def test_a_promoted_slave_without_the_file_skips_nothing() -> None:
    """With the file it does."""
    limits = STRUCTURE.world.get_fault_model("promotion").search_limits
    state = STRUCTURE.make_initial(evolve(SMALL_DELAY, limits=limits))
    for action in LATE_LOG:
        state = take(state, action)
    without = replace_broker(state, SLAVE, evolve(state.brokers[SLAVE], file=0))
    assert not passed_message_was_delivered(promote_and_deliver(state))
    delivered = promote_and_deliver(without)
    assert passed_message_was_delivered(delivered)
    assert delivered.brokers[SLAVE].has_copy
