"""What is shown of the contents of a log, and of reads from it; settings that are changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import evolve

from brokers.recordings.ahead.links import read_scan_end
from brokers.recordings.ahead.order import Observation
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.checks.contents import check_checksums, check_comparison, check_scan
from brokers.recordings.checks.settings import check_address, check_set_config
from brokers.recordings.hidden.node import Goal, Node, Requirements
from brokers.recordings.kinds import END_KINDS, START_KINDS
from brokers.recordings.log.asking import Asking, see
from brokers.recordings.log.brokers import begins_at, get_log
from brokers.recordings.log.guide import name_instance
from brokers.recordings.log.tables import hold_against, learn_from
from brokers.recordings.reading import Event
from brokers.recordings.recorded_log import name_broker, name_end
from brokers.recordings.tables.reads import check_read
from reference.worlds.replication.dispatch import is_dispatch_file_there
from reference.worlds.replication.mapped_files import is_flush_file_there


def observe_checksums(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """The CRC of each file of a log."""
    event = observation.event
    broker = asking.plan.find_node(event)
    files = [each for each in event["files"] if each["from_offset"] < each["to_offset"]]
    is_up = asking.guide.get(node, f"{name_broker(broker)}.is_up")
    goals = []
    if files and is_up:
        text, end = f"max_offset of {event['node']}", files[-1]["to_offset"]
        goals.append(asking.has_value(text, name_end(asking.plan, broker), end))
    return hold_against(asking, observation, check_checksums, *goals)


def observe_scan(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """Every record of a log; where nobody has seen these put, its end shows how many there are."""
    event, end = observation.event, read_scan_end(observation.event)
    broker, text = asking.plan.find_node(event), f"max_offset of {event['node']}"
    if asking.plan.are_puts_hidden and end:
        goal = asking.has_value(text, name_end(asking.plan, broker), end)
    else:
        goal = asking.holds(f"{text} is {end} or more", reaches, broker, numbers=(end,))
    return hold_against(asking, observation, check_scan, goal)


def reaches(state: Any, broker: int, end: int) -> Any:
    """A broker's log goes as far as this."""
    return end <= get_log(state, broker).max_offset


def observe_comparison(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """The bytes of master and slave compared."""
    return hold_against(asking, observation, check_comparison)


def observe_read(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """The store answers a read from its queue and its log, as far as they go now."""
    event = observation.event
    end = name_end(asking.plan, asking.plan.find_node(event))
    goal = asking.has_value(f"max_offset_py of {event['node']}", end, event["max_offset_py"])
    return hold_against(asking, observation, check_read, goal)


def observe_address(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A slave is told where its master is, or asked for it."""
    event = observation.event
    slave = asking.plan.find_node(event)

    def learn(after: Node) -> Node:
        told = check_address(asking.view(after, observation), event)
        address = told.get_broker(slave).ha_master_address
        return see(lambda seen: seen.change_broker(slave, ha_master_address=address))(after)

    asked = hold_against(asking, observation, check_address)
    return Requirements(asked.stages, after=learn)


def observe_set_config(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """Properties of a broker are set; those that its master reads anew count at once."""
    event = observation.event
    switched = "switch_master_role"
    is_master = asking.plan.find_node(event) == MASTER
    names = [switched] * (is_master and "brokerRole" in event["props"])
    role = event["props"].get("brokerRole")
    wanted = asking.has_value("brokerRole", "master.is_sync", role == "SYNC_MASTER")

    def set_sizes(after: Node) -> Node:
        view = check_set_config(asking.view(after, observation), event)
        return after.edit(state=asking.guide.machine.encode(view.cluster))

    asked = Requirements(
        (lambda _: (wanted,) if names else (),),
        permits=dict.fromkeys(names, 1),
        after=set_sizes,
    )
    return learn_from(asking, observation, asked, check_set_config)


def observe_expiry(asking: Asking, observation: Observation, node: Node) -> Requirements:
    """A broker deletes its oldest files (DefaultMessageStore.CleanCommitLogService)."""
    event = observation.event
    broker, deleted = asking.plan.find_node(event), event["deleted"]
    size = asking.guide.get(node, "parameters.mapped_file_size_bytes")
    begin = asking.guide.get(node, f"{name_broker(broker)}.log.start_offset") + deleted * size
    names = [name_instance(rule, broker) for rule in EXPIRING if has_rule(asking, rule, broker)]
    text = f"{deleted} files of {event['node']} are deleted"
    goal = begins_at(asking, text, broker, begin)
    if not deleted:
        return Requirements()
    cursors = tuple(list_cursor_goals(asking, event, broker, begin))
    return Requirements(
        (lambda _: cursors, lambda _: (goal,)), permits=dict.fromkeys(names, deleted)
    )


def list_cursor_goals(asking: Asking, event: Event, broker: int, begin: int) -> Iterator[Goal]:
    """Flush and dispatch that are seen to go on have left the files that are deleted (R-CL-09)."""
    look = find_next_look(asking, event)
    if look is not None and look.data.get("flushed_offset", -1) >= begin:
        yield asking.holds("the flush can go on", may_flush_on, broker, numbers=(begin,))
    if look is not None and look.data.get("dispatched_offset", -1) >= begin:
        text = "the dispatch can go on"
        yield asking.holds(text, may_dispatch_on, broker, numbers=(begin,))


def find_next_look(asking: Asking, event: Event) -> Event | None:
    """The next look at the broker that an event is about, in the same process."""
    turns = {"snapshot", *END_KINDS, *START_KINDS}
    following = next((e for e in asking.plan.list_later(event) if e.kind in turns), None)
    return following if following is not None and following.kind == "snapshot" else None


def may_flush_on(state: Any, broker: int, begin: int) -> Any:
    """A broker's flush goes on when its log begins here."""
    return is_flush_file_there(evolve(get_log(state, broker), start_offset=begin))


def may_dispatch_on(state: Any, broker: int, begin: int) -> Any:
    """A broker's dispatch goes on when its log begins here."""
    log = evolve(get_log(state, broker), start_offset=begin)
    return is_dispatch_file_there(state, log)


EXPIRING = ("expire_WHO_file", "expire_uncopied_WHO_file", "delete_young_WHO_file")
"""The rules by which a broker deletes its oldest file."""


def has_rule(asking: Asking, rule: str, broker: int) -> bool:
    """The structure has this rule for a broker."""
    return name_instance(rule, broker) in asking.guide.machine.instances
