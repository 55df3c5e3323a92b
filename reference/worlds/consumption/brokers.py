"""The queue on both brokers: put, replicated, deleted by retention; brokers that stop and start."""

from __future__ import annotations

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import choose, maximum, negate
from reference.language.rule import RuleBody, between, rule, when
from reference.worlds.consumption.state import Broker, Consumption


@rule(
    who="producer", source="DefaultMessageStore#putMessage, ReputMessageService#doReput", weight=8
)
def put_message(state: Consumption) -> RuleBody:
    """The master appends a message, and its queue shows it."""
    master = state.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_below_modelled_end=master.queue_max < state.parameters.ghost_queue_size_max,
    )
    # EFFECT
    return evolve(state, master=evolve(master, queue_max=master.queue_max + 1))


@rule(who="slave", source="HAClient#dispatchReadRequest, ReputMessageService#doReput")
def replicate_messages(state: Consumption) -> RuleBody:
    """The slave receives messages behind its own end, whatever lies before it there (R-HC-17)."""
    master, slave = state.master, state.slave
    # ENABLED WHEN
    yield when(is_master_up=master.is_up, is_slave_up=slave.is_up)
    end = yield between("queue_max", slave.queue_max + 1, master.queue_max)
    # EFFECT
    is_in_step = state.ghost_same_below == slave.queue_max
    return evolve(
        state,
        slave=evolve(slave, queue_max=end),
        ghost_same_below=choose(is_in_step, end, state.ghost_same_below),
    )


def owe_nothing_below(state: Consumption, offset: int) -> Consumption:
    """Ghost bookkeeping: what retention has deleted on any broker is owed to no consumer."""
    consumer = state.consumer
    below = maximum(consumer.ghost_consumed_below, offset)
    return evolve(state, consumer=evolve(consumer, ghost_consumed_below=below))


def expire_first_message(broker: Broker) -> Broker:
    """The broker without its first message."""
    return evolve(broker, queue_min=broker.queue_min + 1)


@rule(who="master", source="DefaultMessageStore.CleanConsumeQueueService#run", weight=1)
def expire_message_on_master(state: Consumption) -> RuleBody:
    """Retention deletes the first message on the master."""
    master = state.master
    # ENABLED WHEN
    yield when(is_master_up=master.is_up, has_older_message=master.queue_min + 1 < master.queue_max)
    # EFFECT
    expired = evolve(state, master=expire_first_message(master))
    return owe_nothing_below(expired, master.queue_min + 1)


@rule(who="slave", source="DefaultMessageStore.CleanConsumeQueueService#run", weight=1)
def expire_message_on_slave(state: Consumption) -> RuleBody:
    """Retention deletes the first message on the slave, by the slave's own clock (R-BR-03)."""
    slave = state.slave
    # ENABLED WHEN
    yield when(is_slave_up=slave.is_up, has_older_message=slave.queue_min + 1 < slave.queue_max)
    # EFFECT
    expired = evolve(state, slave=expire_first_message(slave))
    return owe_nothing_below(expired, slave.queue_min + 1)


def stop_in_order(broker: Broker) -> Broker:
    """The broker after its progress is written, and its process gone (R-BR-08)."""
    return evolve(broker, is_up=False, progress_on_disk=broker.progress)


def start_again(broker: Broker) -> Broker:
    """The broker with the progress that it finds on its disk."""
    return evolve(broker, is_up=True, progress=broker.progress_on_disk)


@rule(who="operator", source="BrokerController#shutdown", weight=1)
def stop_master(state: Consumption) -> RuleBody:
    """The master stops in order."""
    # ENABLED WHEN
    yield when(
        is_master_up=state.master.is_up, is_within_limit=is_within_limit(state, "master_stops")
    )
    # EFFECT
    stopped: Consumption = evolve(state, master=stop_in_order(state.master))
    counted: Consumption = count_fault(stopped, "master_stops")
    return counted


@rule(who="operator", source="BrokerController#initialize, ConsumerOffsetManager#load")
def start_master(state: Consumption) -> RuleBody:
    """The master starts again."""
    # ENABLED WHEN
    yield when(is_master_down=negate(state.master.is_up))
    # EFFECT
    return evolve(state, master=start_again(state.master))


@rule(who="operator", source="BrokerController#shutdown", weight=1)
def stop_slave(state: Consumption) -> RuleBody:
    """The slave stops in order, and forgets the master's address with its process."""
    # ENABLED WHEN
    yield when(is_slave_up=state.slave.is_up, is_within_limit=is_within_limit(state, "slave_stops"))
    # EFFECT
    routes = evolve(state.routes, is_master_known=False)
    stopped = evolve(state, slave=stop_in_order(state.slave), routes=routes)
    counted: Consumption = count_fault(stopped, "slave_stops")
    return counted


@rule(who="operator", source="BrokerController#initialize, ConsumerOffsetManager#load")
def start_slave(state: Consumption) -> RuleBody:
    """The slave starts again."""
    # ENABLED WHEN
    yield when(is_slave_down=negate(state.slave.is_up))
    # EFFECT
    return evolve(state, slave=start_again(state.slave))
