"""The delivering broker stops, starts, fails, or is replaced by its slave."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import choose, minimum, negate
from reference.language.rule import RuleBody, between, replace_broker, rule, when
from reference.worlds.delay.delivery import is_role_of_master, is_serving
from reference.worlds.delay.state import SLAVE, Delay, DelayBroker


def begin_at_file(state: Delay, broker: DelayBroker) -> DelayBroker:
    """The broker after a start: memory and position come from the file, perhaps corrected."""
    begin = broker.file
    if state.structure.is_corrected_at_start:
        begin = minimum(begin, broker.queue_max)
    return evolve(broker, is_up=True, offset=begin, position=begin)


@rule(who="operator", source="ScheduleMessageService#shutdown", weight=1, says="stops cleanly")
def stop_broker(state: Delay, broker: int) -> RuleBody:
    """The delivering broker stops cleanly; it does not write its file once more."""
    # ENABLED WHEN
    yield when(
        is_serving=is_serving(state, broker), is_within_limit=is_within_limit(state, "stops")
    )
    # EFFECT
    stopped = replace_broker(state, broker, evolve(state.brokers[broker], is_up=False))
    counted: Delay = count_fault(stopped, "stops")
    return counted


@rule(who="operator", source="ScheduleMessageService#load, #start", says="starts again")
def start_broker(state: Delay, broker: int) -> RuleBody:
    """The master restarts and delivers from the position in its file."""
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(is_down=negate(own.is_up), is_role_of_master=is_role_of_master(state, broker))
    # EFFECT
    return replace_broker(state, broker, begin_at_file(state, own))


@rule(who="operator", source="ScheduleMessageService#load", weight=1, says="restarts as a slave")
def restart_slave(state: Delay) -> RuleBody:
    """The slave restarts as a slave: it loads its file into memory and does not use it."""
    slave = state.brokers[SLAVE]
    # ENABLED WHEN
    yield when(is_slave=negate(state.is_promoted), is_file_news=negate(slave.offset == slave.file))
    # EFFECT
    return replace_broker(state, SLAVE, begin_at_file(state, slave))


@rule(
    who="operator",
    source="BrokerController#initialize with another brokerRole",
    weight=8,
    says="starts as the master",
)
def promote_slave(state: Delay) -> RuleBody:
    """The master is down, and the slave restarts as the master (R-NS-09)."""
    master, slave = state.brokers
    # ENABLED WHEN
    yield when(
        is_master_down=negate(master.is_up),
        is_slave=negate(state.is_promoted),
        is_within_limit=is_within_limit(state, "promotions"),
    )
    # EFFECT
    is_lost = state.ghost_is_copy_lost | (master.has_copy & negate(slave.has_copy))
    begun = replace_broker(state, SLAVE, begin_at_file(state, slave))
    promoted = evolve(begun, is_promoted=True, ghost_is_copy_lost=is_lost)
    counted: Delay = count_fault(promoted, "promotions")
    return counted


@rule(who="fault", source="kill -9 of the broker", says="## KILLED")
def kill_broker(state: Delay, broker: int) -> RuleBody:
    """The delivering broker's process is killed, and its table in memory is lost."""
    # ENABLED WHEN
    yield when(
        is_serving=is_serving(state, broker), is_within_limit=is_within_limit(state, "kills")
    )
    # EFFECT
    killed = replace_broker(state, broker, evolve(state.brokers[broker], is_up=False))
    counted: Delay = count_fault(killed, "kills")
    return counted


def tell_power_loss(arguments: Mapping[str, int], state: Delay) -> str:
    """The timeline's phrase for a power loss."""
    gone = ["COPY"] * arguments["is_copy_lost"] + ["FILE"] * arguments["is_file_lost"]
    return "## POWER LOSS, keeps {kept_queue_max}" + "".join(f", no {g}" for g in gone)


@rule(who="fault", source="power loss of the broker's machine", says=tell_power_loss)
def lose_power(state: Delay, broker: int) -> RuleBody:
    """The delivering broker loses the end of its log, and perhaps its file of progress.

    The copy lies after its message in the log: if the message is lost, so is the copy.
    """
    own = state.brokers[broker]
    # ENABLED WHEN
    yield when(
        is_serving=is_serving(state, broker),
        is_within_limit=is_within_limit(state, "power_losses"),
    )
    kept = yield between("kept_queue_max", 0, own.queue_max)
    is_copy_gone = yield between("is_copy_lost", 0, 1)
    is_file_gone = yield between("is_file_lost", 0, 1)
    # EFFECT
    is_message_kept = kept > state.parameters.ghost_followed
    has_copy = own.has_copy & is_message_kept & (is_copy_gone == 0)
    file = choose(is_file_gone == 1, 0, own.file)
    off = evolve(own, is_up=False, queue_max=kept, has_copy=has_copy, file=file)
    is_lost = state.ghost_is_copy_lost | (own.has_copy & negate(has_copy))
    lost = evolve(replace_broker(state, broker, off), ghost_is_copy_lost=is_lost)
    counted: Delay = count_fault(lost, "power_losses")
    return counted
