"""The whole system: its structures, rules, initial state and lanes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from attrs import evolve, frozen

from reference.language.rule import Rule
from reference.language.structure import Lanes, LaneText, Step, fill_one_lane
from reference.language.variant import Variant
from reference.worlds.reading.state import Reading, ReadingParameters
from reference.worlds.reading.structure import (
    READING_RULES,
    draw_broker,
    draw_consumer,
    draw_routes,
    tell_step,
)
from reference.worlds.reading.structure import list_running as list_running_readers
from reference.worlds.replication.state import Cluster
from reference.worlds.replication.structure import Structure, draw_answer, draw_log, find_lane
from reference.worlds.system.lifting import lift_reading_rule
from reference.worlds.system.logs import lift_log_rules
from reference.worlds.system.shape import SystemShape
from reference.worlds.system.state import (
    THE_SLAVE,
    System,
    SystemFaults,
    SystemParameters,
    get_cluster,
    get_reading,
    put_cluster,
    put_reading,
)

QUEUE_RULES = (
    "put_messages",
    "replicate_messages",
    "show_before_master",
    "show_without_master",
    "expire_messages",
    "resume_copying",
    "stop_broker",
    "start_broker",
    "kill_broker",
    "lose_master_power",
    "lose_master_disk",
    "lose_slave_power",
    "delete_first",
    "replace_slave",
    "join_late",
    "damage_copy",
    "miss_messages",
    "stall_slave",
    "overtake_copying",
)
"""The rules of reading by which queues change: here the log changes them."""

SENT_ONCE = ("send_again",)
"""A copy that a producer resends is another message, with an index of its own."""

COUNTED = {
    "kill_consumer": "consumer_kills",
    "part_master_from_name_server": "partitions",
    "deliver_stale_commit": "stale_commits",
    "recreate_topic": "topic_recreations",
}
"""The faults that the other rules of reading count as."""


@cache
def compute_rules(log: Structure) -> dict[str, Rule]:
    """The rules of the log, then those of its readers."""
    read = {
        name: lift_reading_rule(each, COUNTED.get(name, ""))
        for name, each in READING_RULES.items()
        if name not in QUEUE_RULES
    }
    return {**_lift_log_rules(log.variants), **read}


@cache
def _lift_log_rules(variants: tuple[str, ...]) -> dict[str, Rule]:
    rules = Structure(variants=variants).rules
    return lift_log_rules({n: each for n, each in rules.items() if n not in SENT_ONCE})


def leave_out_slaves(rules: Mapping[str, Rule]) -> dict[str, Rule]:
    """The rules that no slave takes part in."""
    return {n: r for n, r in rules.items() if "slave" not in r.indexes and r.who != "slave"}


def end_slave(cluster: Cluster) -> Cluster:
    """The group whose slave is down."""
    (slave,) = cluster.slaves
    return evolve(cluster, slaves=(evolve(slave, is_up=False),))


def forget_slave(reading: Reading) -> Reading:
    """The readers of a group whose slave is down, and in no route."""
    master, slave = reading.brokers
    routes = evolve(
        reading.routes, is_slave_listed=False, is_slave_seen=False, is_master_known=False
    )
    return evolve(reading, brokers=(master, evolve(slave, is_up=False)), routes=routes)


LANE_NAMES = ("producer", "master", "slave", "consumer", "name server")
LANE_WIDTHS = (27, 64, 64, 44, 44)


def list_lanes(_state: System) -> tuple[tuple[str, int], ...]:
    """The producer, both brokers, the consumer and the name server."""
    return tuple(zip(LANE_NAMES, LANE_WIDTHS, strict=True))


def is_of_log(name: str) -> bool:
    """The rule is one of the log, not of its readers."""
    return name not in READING_RULES or name in QUEUE_RULES


def fill_lanes(state: System, step: Step) -> tuple[LaneText, ...]:
    """What each node does in a step; a broker is drawn by its log, its queue and its progress."""
    cluster, reading = get_cluster(state), get_reading(state)
    rule = state.structure.rules[step.rule_name]
    if is_of_log(step.rule_name):
        name, phrase = LANE_NAMES[find_lane(rule, 0)], rule.tell(step.arguments, state)
        answer = draw_answer(rule, 0, cluster)
    else:
        (name, phrase), answer = tell_step(rule, step, state), ""
    logs = (cluster.master.log, cluster.slaves[THE_SLAVE].log)
    states = (
        answer,
        *(f"{draw_log(log)} {draw_broker(reading, i)}" for i, log in enumerate(logs)),
        draw_consumer(reading),
        draw_routes(reading.routes),
    )
    return fill_one_lane(LANE_NAMES.index(name), phrase, states)


def list_running(state: System) -> tuple[bool, ...]:
    """Whether the node of each lane is running; producers and the name server always are."""
    consumer, master, slave, name_server = list_running_readers(get_reading(state))
    return (True, master, slave, consumer, name_server)


@frozen(cache_hash=True)
class SystemStructure(SystemShape):
    """How a group stores and copies, and how it is read."""

    usual_parameters: ClassVar[SystemParameters] = SystemParameters()
    lanes: ClassVar[Lanes] = Lanes(list_lanes, fill_lanes, list_running)

    @property
    def changes(self) -> tuple[Variant, ...]:
        """Those of its log."""
        return self.log.changes

    @property
    def rules(self) -> Mapping[str, Rule]:
        """The rules of the log, then those of its readers; no slave's where there is none."""
        rules = compute_rules(self.log)
        return leave_out_slaves(rules) if self.is_alone else rules

    @property
    def index_counts(self) -> Mapping[str, int]:
        """One slave, one followed message, two brokers."""
        return {**self.log.index_counts, **self.reading.index_counts}

    def make_initial(self, parameters: SystemParameters) -> System:
        """Both brokers up and known to all, empty logs and queues, no consumer yet."""
        cluster = evolve(self.log.make_initial(parameters), faults=SystemFaults())
        reading = self.reading.make_initial(ReadingParameters())
        if self.is_alone:
            cluster, reading = end_slave(cluster), forget_slave(reading)
        state = System(self, parameters, cluster, reading)
        return put_reading(put_cluster(state, cluster), reading)
