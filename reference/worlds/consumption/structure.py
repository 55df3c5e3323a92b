"""Consumers: what makes a structure, with the rules, the first state and the lanes.

A queue is drawn message by message: ``[·mm]`` has lost its first message to retention, ``[mx]`` has
a second message that is not the master's. Progress is told as memory/disk, ``-`` where there is no
entry. Of the routes are told the brokers that the name server lists, those that the consumer sees,
and whether the slave knows its master.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from attrs import frozen

from reference.language.rule import Rule, collect_rules
from reference.language.structure import BaseStructure, Lanes, LaneText, Step, fill_one_lane
from reference.worlds.consumption import brokers, consumer, faults, progress, routes
from reference.worlds.consumption.state import (
    NO_PROGRESS,
    Broker,
    Consumer,
    Consumption,
    ConsumptionParameters,
    Routes,
)

CONSUMER, MASTER, SLAVE, ROUTES = range(4)
WIDTHS = (32, 40, 40, 50)
DRAWN_MESSAGES_MAX = 12

Phrase = Callable[[Mapping[str, int], Consumption], str]

PHRASES: Mapping[str, tuple[int, Phrase]] = {
    "put_message": (MASTER, lambda a, s: "a message is put"),
    "replicate_messages": (SLAVE, lambda a, s: f"<~ copies to {a['queue_max']}"),
    "expire_message_on_master": (MASTER, lambda a, s: "expires a message"),
    "expire_message_on_slave": (SLAVE, lambda a, s: "expires a message"),
    "stop_master": (MASTER, lambda a, s: "stops in order"),
    "start_master": (MASTER, lambda a, s: "starts again"),
    "stop_slave": (SLAVE, lambda a, s: "stops in order"),
    "start_slave": (SLAVE, lambda a, s: "starts again"),
    "list_master": (ROUTES, lambda a, s: "lists the master"),
    "drop_master": (ROUTES, lambda a, s: "drops the master"),
    "list_slave": (ROUTES, lambda a, s: "lists the slave"),
    "drop_slave": (ROUTES, lambda a, s: "drops the slave"),
    "learn_master": (
        ROUTES,
        lambda a, s: f"slave {'learns' if s.routes.is_master_known else 'forgets'} its master",
    ),
    "refresh_route": (ROUTES, lambda a, s: "consumer asks"),
    "send_progress_to_master": (CONSUMER, lambda a, s: "progress to master"),
    "send_progress_to_slave": (CONSUMER, lambda a, s: "progress to slave"),
    "persist_progress_of_master": (MASTER, lambda a, s: "writes progress"),
    "persist_progress_of_slave": (SLAVE, lambda a, s: "writes progress"),
    "synchronise_progress": (SLAVE, lambda a, s: "<~ progress of master"),
    "read_from_master": (CONSUMER, lambda a, s: f"reads {s.consumer.position - 1} of master"),
    "read_from_slave": (CONSUMER, lambda a, s: f"reads {s.consumer.position - 1} of slave"),
    "correct_by_master": (CONSUMER, lambda a, s: "is moved by master"),
    "correct_by_slave": (CONSUMER, lambda a, s: "is moved by slave"),
    "start_consumer": (CONSUMER, lambda a, s: "starts"),
    "begin_at_stored_progress": (CONSUMER, lambda a, s: "begins as stored"),
    "begin_at_zero": (CONSUMER, lambda a, s: "begins at 0"),
    "begin_at_end": (CONSUMER, lambda a, s: "begins at the end"),
    "stop_consumer": (CONSUMER, lambda a, s: "stops in order"),
    "kill_consumer": (CONSUMER, lambda a, s: "## KILLED"),
    "kill_master": (MASTER, lambda a, s: "## KILLED"),
    "lose_master_power": (
        MASTER,
        lambda a, s: "## POWER LOSS" + (", AND ITS FILE" if a["is_file_lost"] else ""),
    ),
    "kill_slave": (SLAVE, lambda a, s: "## KILLED"),
    "part_master_from_name_server": (ROUTES, lambda a, s: "## LOSES THE MASTER"),
    "deliver_stale_commit": (MASTER, lambda a, s: f"## OLD COMMIT {a['progress']} ARRIVES"),
}
"""For each rule the lane in which a step of it stands, and what it looks like there."""


def list_lanes(state: Consumption) -> tuple[tuple[str, int], ...]:
    """The consumer, both brokers and the name server."""
    return tuple(zip(("consumer", "master", "slave", "name server"), WIDTHS, strict=True))


def fill_lanes(state: Consumption, step: Step) -> tuple[LaneText, ...]:
    """What each node does in a step, and what it has afterwards."""
    lane, phrase = PHRASES[step.rule_name]
    states = (
        draw_consumer(state.consumer),
        draw_broker(state.master, state.master.queue_max),
        draw_broker(state.slave, state.ghost_same_below),
        draw_routes(state.routes),
    )
    return fill_one_lane(lane, phrase(step.arguments, state), states)


def draw_consumer(consumer: Consumer) -> str:
    """Where it stands."""
    if not consumer.is_running:
        return "down"
    return "at ?" if consumer.position == NO_PROGRESS else f"at {consumer.position}"


def draw_broker(broker: Broker, same_below: int) -> str:
    """Its queue, in which messages from ``same_below`` on are not the master's; its progress."""
    memory = draw_progress(broker.progress) if broker.is_up else "down"
    queue = draw_queue(broker, min(same_below, broker.queue_max))
    return f"{queue} {memory}/{draw_progress(broker.progress_on_disk)}"


def draw_queue(broker: Broker, same_below: int) -> str:
    """Message by message, or in numbers where there are many."""
    first, end = broker.queue_min, broker.queue_max
    if end > DRAWN_MESSAGES_MAX:
        foreign = f" x{end - same_below}" if same_below < end else ""
        return f"[·{first} m{max(0, same_below - first)}{foreign}]"
    return f"[{'·' * first}{('m' * same_below + 'x' * (end - same_below))[first:]}]"


def draw_progress(progress: int) -> str:
    """An entry of a table; ``-`` where there is none."""
    return "-" if progress == NO_PROGRESS else str(progress)


def draw_routes(routes: Routes) -> str:
    """Who is listed, who is seen, who is known."""
    listed = _name_brokers(routes.is_master_listed, routes.is_slave_listed)
    seen = _name_brokers(routes.is_master_seen, routes.is_slave_seen)
    known = "M" if routes.is_master_known else "-"
    return f"lists {listed} seen {seen} known {known}"


def _name_brokers(is_master: bool, is_slave: bool) -> str:
    return ("M" if is_master else "-") + ("S" if is_slave else "-")


def list_running(state: Consumption) -> tuple[bool, ...]:
    """For each lane whether its node runs; the name server does."""
    return (state.consumer.is_running, state.master.is_up, state.slave.is_up, True)


LANES = Lanes(list_lanes, fill_lanes, list_running)


CONSUMPTION_RULES: dict[str, Rule] = collect_rules(brokers, routes, progress, consumer, faults)
"""Every rule of this world by name, in the order in which they are told."""


@frozen
class ConsumptionStructure(BaseStructure):
    """The settings that decide which broker a consumer may read."""

    is_slave_read: bool = False
    """Brokers and group are set up so that a consumer may be sent to the slave while it sees the
    master (R-PM-10); without it reads go to the slave only when no master is listed (R-CC-01)."""
    is_offset_checked_in_slave: bool = False
    """``offsetCheckInSlave`` on the slave (R-GM-03)."""

    usual_parameters: ClassVar[ConsumptionParameters] = ConsumptionParameters()
    lanes: ClassVar[Lanes] = LANES

    @property
    def name(self) -> str:
        """Short name, for example ``consumer/slave read/no offset check``."""
        read = "slave read" if self.is_slave_read else "no slave read"
        check = "offset check" if self.is_offset_checked_in_slave else "no offset check"
        return f"consumer/{read}/{check}"

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The same for every structure."""
        return CONSUMPTION_RULES

    def make_initial(self, parameters: ConsumptionParameters) -> Consumption:
        """Both brokers up and known to all, an empty queue, no consumer yet."""
        return Consumption(self, parameters, Broker(), Broker(), Routes(), Consumer())


CONSUMPTION_STRUCTURES = tuple(
    ConsumptionStructure(is_read, is_checked)
    for is_read in (False, True)
    for is_checked in (False, True)
)
"""Every structure of this world."""
