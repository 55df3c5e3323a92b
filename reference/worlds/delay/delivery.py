"""Delayed messages: put and delivered; delivery progress noted, written and copied.

Source: ScheduleMessageService.DeliverDelayedMessageTimerTask#executeOnTimeup of 4.4.0 (R-BR-05).
"""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import negate
from reference.language.rule import RuleBody, between, replace_broker, rule, when
from reference.worlds.delay.state import MASTER, SLAVE, Delay


def is_role_of_master(state: Delay, broker: int) -> bool:
    """This broker is the master now."""
    return state.is_promoted if broker == SLAVE else negate(state.is_promoted)


def is_serving(state: Delay, broker: int) -> bool:
    """This broker is the master and running; only then does it deliver (R-BR-03)."""
    return state.brokers[broker].is_up & is_role_of_master(state, broker)


def is_pair_connected(state: Delay) -> bool:
    """Both brokers run in their initial roles, so the slave receives what its master has."""
    return state.brokers[SLAVE].is_up & is_serving(state, MASTER)


@rule(who="producer", source="CommitLog#putMessage", weight=8, says="a message is put")
def put_delayed_message(state: Delay, broker: int) -> RuleBody:
    """The master stores a message with a delay level, in the queue of that level."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(
        is_serving=is_serving(state, broker),
        is_below_modelled_end=own.queue_max < state.parameters.ghost_queue_size_max,
    )
    # EFFECT
    return replace_broker(state, broker, evolve(own, queue_max=own.queue_max + 1))


@rule(
    who="master",
    source="DeliverDelayedMessageTimerTask#executeOnTimeup",
    says="delivers the next one",
)
def deliver_message(state: Delay, broker: int) -> RuleBody:
    """A message is due: the master puts a copy, waiting for neither disk nor slave (R-CL-17).

    A position beyond the end of the queue finds nothing and stays where it is.
    """
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_serving=is_serving(state, broker), has_message=own.position < own.queue_max)
    # EFFECT
    is_followed = own.position == state.parameters.ghost_followed
    delivered = evolve(own, position=own.position + 1, has_copy=own.has_copy | is_followed)
    is_twice = state.ghost_is_delivered_twice | (is_followed & own.has_copy)
    return evolve(replace_broker(state, broker, delivered), ghost_is_delivered_twice=is_twice)


@rule(who="master", source="ScheduleMessageService#updateOffset", says="notes progress")
def note_progress(state: Delay, broker: int) -> RuleBody:
    """After a round of deliveries the master notes its position in the table in memory."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_serving=is_serving(state, broker), has_news=negate(own.offset == own.position))
    # EFFECT
    return replace_broker(state, broker, evolve(own, offset=own.position))


@rule(who="master", source="ScheduleMessageService#persist", weight=8, says="writes progress")
def persist_progress(state: Delay, broker: int) -> RuleBody:
    """The master writes its table to its file, every 10 s (R-BR-05)."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_serving=is_serving(state, broker), has_news=negate(own.file == own.offset))
    # EFFECT
    return replace_broker(state, broker, evolve(own, file=own.offset))


@rule(who="slave", source="HAClient#dispatchReadRequest", says="<~ messages to {queue_max}")
def replicate_delayed_message(state: Delay) -> RuleBody:
    """The slave's log receives delayed messages after those that it has."""
    master, slave = state.brokers
    # ENABLED WHEN
    yield when(is_pair_connected=is_pair_connected(state))
    end = yield between("queue_max", slave.queue_max + 1, master.queue_max)
    # EFFECT
    return replace_broker(state, SLAVE, evolve(slave, queue_max=end))


@rule(who="slave", source="HAClient#dispatchReadRequest", says="<~ the copy")
def replicate_copy(state: Delay) -> RuleBody:
    """The slave's log receives the copy of the followed message, after the message itself."""
    master, slave = state.brokers
    # ENABLED WHEN
    yield when(
        is_pair_connected=is_pair_connected(state),
        has_copy=master.has_copy,
        has_message=slave.queue_max > state.parameters.ghost_followed,
        is_missing=negate(slave.has_copy),
    )
    # EFFECT
    return replace_broker(state, SLAVE, evolve(slave, has_copy=True))


@rule(
    who="slave",
    source="SlaveSynchronize#syncDelayOffset",
    weight=8,
    says="<~ progress, to its file",
)
def copy_progress(state: Delay) -> RuleBody:
    """The slave writes the master's table to its file; its own memory keeps the old one (R-MS-07).

    It does not check how far its log has been copied.
    """
    master, slave = state.brokers
    # ENABLED WHEN
    yield when(
        is_pair_connected=is_pair_connected(state), has_news=negate(slave.file == master.offset)
    )
    # EFFECT
    return replace_broker(state, SLAVE, evolve(slave, file=master.offset))
