"""The guarantees that senders of delayed messages rely on, in their words."""

from __future__ import annotations

from properties.language.property import guarantee
from reference.language.operators import all_of, any_of, implies, negate
from reference.worlds.delay.delivery import is_serving
from reference.worlds.delay.state import MASTER, SLAVE, Delay, DelayBroker


def has_message(state: Delay, broker: DelayBroker) -> bool:
    """The broker's log has a message at the followed place."""
    return broker.queue_max > state.parameters.ghost_followed


def is_passed(state: Delay) -> bool:
    """A master's delivery has passed a message at the followed place."""
    followed = state.parameters.ghost_followed
    return any_of(
        *(
            all_of(is_serving(state, n), has_message(state, b), b.position > followed)
            for n, b in enumerate(state.brokers)
        )
    )


def is_anybody_serving(state: Delay) -> bool:
    """Some broker is the master and runs."""
    return is_serving(state, MASTER) | is_serving(state, SLAVE)


def is_delivered(state: Delay) -> bool:
    """Some log has a copy of the followed message."""
    return any_of(*(b.has_copy for b in state.brokers))


def has_slave_progress(state: Delay) -> bool:
    """The progress in a slave's file is beyond the followed place."""
    slave = state.brokers[SLAVE]
    is_beyond = slave.file > state.parameters.ghost_followed
    return all_of(negate(state.is_promoted), has_message(state, slave), is_beyond)


def is_message_waiting(state: Delay) -> bool:
    """A running broker has a message at the followed place, and no copy of it."""
    return any_of(*(b.is_up & has_message(state, b) & negate(b.has_copy) for b in state.brokers))


@guarantee(
    why="A message that delivery has passed without a copy is never delivered.",
    premise=is_passed,
)
def passed_message_was_delivered(state: Delay) -> bool:
    """Every message that the master's delivery has passed has a copy in the master's log."""
    followed = state.parameters.ghost_followed
    return all_of(
        *(
            implies(
                all_of(is_serving(state, n), has_message(state, b), b.position > followed),
                b.has_copy,
            )
            for n, b in enumerate(state.brokers)
        )
    )


@guarantee(
    why="New messages take places that delivery has already passed, and are never delivered.",
    premise=is_anybody_serving,
)
def delivery_is_within_its_queue(state: Delay) -> bool:
    """No master's delivery waits beyond the end of its delay queue."""
    return all_of(
        *(
            implies(is_serving(state, n), b.position <= b.queue_max)
            for n, b in enumerate(state.brokers)
        )
    )


@guarantee(
    why="Applications must cope with messages that they get twice.",
    premise=is_delivered,
)
def no_message_is_delivered_twice(state: Delay) -> bool:
    """A delayed message never gets a second copy."""
    return negate(state.ghost_is_delivered_twice)


@guarantee(
    why="A consumer of a copy that is gone has acted on a message that exists nowhere else.",
    premise=is_delivered,
)
def delivered_message_stays(state: Delay) -> bool:
    """A copy that was written stays on the master, also after a promotion."""
    return negate(state.ghost_is_copy_lost)


@guarantee(
    why="A promoted slave begins with that progress.",
    premise=has_slave_progress,
)
def slaves_file_is_behind_its_log(state: Delay) -> bool:
    """Every message that the progress in a slave's file has passed has a copy in its log."""
    return implies(has_slave_progress(state), state.brokers[SLAVE].has_copy)


@guarantee(
    why="A slave does not deliver, however long its master is away (R-BR-03, K-52).",
    premise=is_message_waiting,
)
def somebody_delivers(state: Delay) -> bool:
    """While a running broker has a message that is not delivered, some broker is delivering."""
    return implies(is_message_waiting(state), is_anybody_serving(state))
