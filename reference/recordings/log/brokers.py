"""What a broker shows of itself, and what its start and its end ask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import evolve

from reference.language.operators import negate
from reference.recordings.hidden.node import Asked, Goal, Node
from reference.recordings.log.asking import Asking, ask_for, fires, note
from reference.recordings.log.guide import name_broker, name_end, name_instance
from reference.recordings.log.notes import Notes
from reference.recordings.order import Observation
from reference.recordings.plan import MASTER
from reference.recordings.reading import Event
from reference.worlds.replication.mapped_files import compute_last_file_end


def observe_snapshot(asking: Asking, observation: Observation, node: Node) -> Asked:
    """A broker shows its log and its links."""
    event = observation.event
    broker = asking.plan.find_node(event)
    goals = [*list_log_goals(asking, event, broker), *list_link_goals(asking, event, broker)]
    return ask_for(*goals)


def list_log_goals(asking: Asking, event: Event, broker: int) -> Iterator[Goal]:
    """What a broker shows of its log."""
    log, who = f"{name_broker(broker)}.log", event["node"]
    paths = {
        "max_offset": name_end(asking.plan, broker),
        "flushed_offset": f"{log}.flushed_offset",
        "dispatched_offset": f"{log}.dispatched_offset",
    }
    if broker == MASTER:
        paths["push2_slave_max_offset"] = "master.push2_slave_max_offset"
        paths["connection_count"] = "master.connection_count"
    for name, path in paths.items():
        if name in event.data:
            yield asking.has_value(f"{name} of {who}", path, event[name])
    begin = event.data.get("min_offset", -1)
    if begin >= 0:
        text = f"min_offset of {who} is {begin}"
        yield asking.holds(text, lambda s: begins_at(get_log(s, broker), begin))
    files = event.data.get("mapped_files")
    if files is not None:
        text = f"mapped_files of {who} is {files}"
        yield asking.holds(text, lambda s: has_files(s, broker, files))


def get_log(state: Any, broker: int) -> Any:
    """A broker's log."""
    return state.master.log if broker == MASTER else state.slaves[broker].log


def begins_at(log: Any, offset: int) -> Any:
    """A log has a file, and its first one begins here."""
    return log.has_file & (log.start_offset == offset)


def has_files(state: Any, broker: int, files: int) -> Any:
    """A broker's log has so many files."""
    log = get_log(state, broker)
    if files == 0:
        return negate(log.has_file)
    end = log.start_offset
    for _ in range(files):
        end = end + state.parameters.mapped_file_size_bytes
    return log.has_file & (compute_last_file_end(log, state.parameters) == end)


def list_link_goals(asking: Asking, event: Event, broker: int) -> Iterator[Goal]:
    """What a broker shows of its links; of several connections of a master none is looked at."""
    if broker == MASTER:
        shown = event.data.get("connections", [])
        if len(shown) == len(asking.plan.slaves) == 1:
            yield from list_connection_goals(asking, shown[0])
        return
    is_open = event.data.get("ha_client_connected")
    if is_open is None:
        return
    yield asking.has_value("ha_client_connected", f"links.{broker}.is_open", is_open)
    if is_open:
        offset = event["ha_client_reported_offset"]
        text = f"ha_client_reported_offset is {offset}"
        yield asking.holds(text, lambda s: may_have_reported(s.links[broker], offset))


def list_connection_goals(asking: Asking, shown: Any) -> Iterator[Goal]:
    """What a master shows of its only connection."""
    paths = {
        "slave_request_offset": "links.0.slave_request_offset",
        "slave_ack_offset": "links.0.slave_ack_offset",
        "next_transfer_from": "links.0.next_transfer_offset",
    }
    for name, path in paths.items():
        if name in shown:
            yield asking.has_value(f"{name} of the connection", path, shown[name])


def may_have_reported(link: Any, offset: int) -> Any:
    """A slave's latest report is this offset, or it has not reported on this connection."""
    return negate(link.has_reported) | (link.reported_offset == offset)


def observe_start(asking: Asking, observation: Observation, node: Node) -> Asked:
    """A broker has started, and shows what it has recovered."""
    event = observation.event
    broker = asking.plan.find_node(event)
    is_up = asking.has_value(f"{event['node']} runs", f"{name_broker(broker)}.is_up", True)
    return ask_for(
        is_up,
        *list_log_goals(asking, event, broker),
        permits=dict.fromkeys(list_starts(asking, broker), 1),
    )


def list_starts(asking: Asking, broker: int) -> list[str]:
    """The ways in which a broker may start."""
    begin = "restart_master" if broker == MASTER else "restart_slave"
    rules = (name for name in asking.plan.structure.rules if name.startswith(begin))
    return [name_instance(name, broker) for name in rules]


def observe_kill(asking: Asking, observation: Observation, node: Node) -> Asked:
    """A broker's process is killed, or loses power if its store then lacks bytes."""
    event = observation.event
    broker = asking.plan.find_node(event)
    names, kept = [name_instance("kill_WHO", broker)], {}
    surgery = asking.plan.surgeries.get(event.seq)
    if surgery is not None:
        rules = ["lose_WHO_power"]
        if broker == MASTER:
            rules += ["lose_WHO_power_in_record", *["lose_WHO_disk"] * is_whole(surgery)]
        names = [name_instance(rule, broker) for rule in rules]
        kept = {"kept_offset": surgery["lost_from_offset"]}
    return ask_for(
        fires(f"{event['node']} ends by {' or '.join(names)}", *names),
        permits=dict.fromkeys(names, 1),
        arguments=dict.fromkeys(names, kept),
        after=lambda after: end_process(asking, after, broker),
    )


def is_whole(surgery: Event) -> bool:
    """Nothing is left of a log."""
    return bool(surgery["lost_from_offset"] == 0)


def end_process(asking: Asking, node: Node, broker: int) -> Node:
    """What is forgotten with a broker's process."""
    notes: Notes = node.notes
    if broker == MASTER:
        for number in notes.slots:
            node = asking.drop_message(node, number)
        notes = evolve(node.notes, begun=frozenset(), process=notes.process + 1)
    notes = notes.spend(name_instance("begin_WHO_stop", broker))
    return node.edit(notes=notes)


def observe_stop_begin(asking: Asking, observation: Observation, node: Node) -> Asked:
    """A broker's store begins to stop in order."""
    name = name_instance("begin_WHO_stop", asking.plan.find_node(observation.event))
    return ask_for(after=note(lambda notes: notes.grant(name)))


def observe_stop(asking: Asking, observation: Observation, node: Node) -> Asked:
    """A broker's store has stopped in order."""
    event = observation.event
    broker = asking.plan.find_node(event)
    names = [name_instance(rule, broker) for rule in ("begin_WHO_stop", "finish_WHO_stop")]
    goals = [asking.has_value(f"{event['node']} runs", f"{name_broker(broker)}.is_up", False)]
    if "max_offset" in event.data:
        end = name_end(asking.plan, broker)
        goals.append(asking.has_value(f"max_offset of {event['node']}", end, event["max_offset"]))
    return ask_for(
        *goals,
        permits=dict.fromkeys(names, 1),
        after=lambda after: end_process(asking, after, broker),
    )


def observe_wipe(asking: Asking, observation: Observation, node: Node) -> Asked:
    """The store of a stopped broker is emptied."""
    broker = asking.plan.find_node(observation.event)
    name = "lose_master_disk" if broker == MASTER else f"wipe_slave[{broker}]"
    return ask_for(fires(f"{name} happens", name), permits={name: 1})
