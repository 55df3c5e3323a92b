"""Tables of progress: taken from the consumer, written to disk, copied to the slave."""

from __future__ import annotations

from attrs import evolve

from reference.language.operators import negate
from reference.language.rule import RuleBody, rule, when
from reference.worlds.consumption.state import Broker, Consumption


def is_positioned(state: Consumption) -> bool:
    """The consumer runs and has a position in the queue."""
    return state.consumer.is_running & (state.consumer.position >= 0)


def take_progress(broker: Broker, progress: int) -> Broker:
    """The broker with this progress, whatever it had: also a lower one (R-CO-01)."""
    return evolve(broker, progress=progress)


def note_stored(state: Consumption) -> Consumption:
    """Ghost bookkeeping: a broker has taken the consumer's progress."""
    consumer = state.consumer
    return evolve(state, consumer=evolve(consumer, ghost_stored=consumer.position))


@rule(who="consumer", source="RemoteBrokerOffsetStore#updateConsumeOffsetToBroker")
def send_progress_to_master(state: Consumption) -> RuleBody:
    """The consumer sends its progress to the master, which it prefers (R-CC-13)."""
    # ENABLED WHEN
    yield when(
        is_positioned=is_positioned(state),
        is_master_seen=state.routes.is_master_seen,
        is_master_up=state.master.is_up,
    )
    # EFFECT
    taken = evolve(state, master=take_progress(state.master, state.consumer.position))
    return note_stored(taken)


@rule(who="consumer", source="RemoteBrokerOffsetStore#updateConsumeOffsetToBroker")
def send_progress_to_slave(state: Consumption) -> RuleBody:
    """The consumer sends its progress to the slave, because its route has no master."""
    # ENABLED WHEN
    yield when(
        is_positioned=is_positioned(state),
        is_master_unseen=negate(state.routes.is_master_seen),
        is_slave_seen=state.routes.is_slave_seen,
        is_slave_up=state.slave.is_up,
    )
    # EFFECT
    taken = evolve(state, slave=take_progress(state.slave, state.consumer.position))
    return note_stored(taken)


@rule(who="master", source="ConsumerOffsetManager#persist", weight=8)
def persist_progress_of_master(state: Consumption) -> RuleBody:
    """The master writes its table, every 5 s (R-CO-03)."""
    master = state.master
    # ENABLED WHEN
    yield when(is_master_up=master.is_up)
    # EFFECT
    return evolve(state, master=evolve(master, progress_on_disk=master.progress))


@rule(who="slave", source="ConsumerOffsetManager#persist", weight=8)
def persist_progress_of_slave(state: Consumption) -> RuleBody:
    """The slave writes its table, every 5 s and after each synchronisation."""
    slave = state.slave
    # ENABLED WHEN
    yield when(is_slave_up=slave.is_up)
    # EFFECT
    return evolve(state, slave=evolve(slave, progress_on_disk=slave.progress))


@rule(who="slave", source="SlaveSynchronize#syncConsumerOffset", weight=8)
def synchronise_progress(state: Consumption) -> RuleBody:
    """The slave takes over the master's entry, also a lower one; its own stays where there is none.

    Every 60 s, as long as it knows the master's address (R-MS-01, R-MS-03, R-MS-06).
    """
    # ENABLED WHEN
    yield when(
        is_slave_up=state.slave.is_up,
        is_master_known=state.routes.is_master_known,
        is_master_up=state.master.is_up,
        has_master_entry=state.master.progress >= 0,
    )
    # EFFECT
    return evolve(state, slave=take_progress(state.slave, state.master.progress))
