"""What a broker's starts, ends, log and connection ask of a state of the joined system."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from attrs import evolve

from brokers.recordings.hidden.goals import fires
from brokers.recordings.hidden.node import Asked, Goal, Node
from brokers.recordings.joined.asking import BROKERS, LINK, Asking, ask_for, name_end
from brokers.recordings.joined.progress import list_table_goals, observe_copy
from brokers.recordings.joined.queues import list_queue_goals
from brokers.recordings.reading import Event
from reference.language.operators import negate
from reference.worlds.reading.state import MASTER, SLAVE


def observe_snapshot(asking: Asking, event: Event, node: Node) -> Asked:
    """A broker shows its log, and perhaps its queues and tables."""
    broker = asking.find_broker(event)
    goals = [*list_log_goals(event, broker, asking)]
    goals += list_link_goals(asking, event, broker)
    ends = event.data.get("queues", {}).get(asking.choice.queue)
    if ends:
        goals += list_queue_goals(asking, broker, *ends)
    return ask_for([*goals, *list_table_goals(asking, event, node)])


def observe_start(asking: Asking, event: Event, node: Node) -> Asked:
    """A broker has started, and shows what it has recovered."""
    broker = asking.find_broker(event)
    (shown,) = observe_snapshot(asking, event, node).stages
    is_up = asking.has_value(f"{event['node']} runs", f"{BROKERS[broker]}.is_up", True)
    return ask_for([is_up, *shown(node)], permits=list_starts(asking, broker))


def list_starts(asking: Asking, broker: int) -> dict[str, int]:
    """The ways in which a broker may start, each permitted once."""
    kind, index = ("restart_master", "") if broker == MASTER else ("restart_slave", "[0]")
    return {f"{n}{index}": 1 for n in asking.structure.rules if n.startswith(kind)}


def list_log_goals(event: Event, broker: int, asking: Asking) -> Iterator[Goal]:
    """What a broker shows of its log."""
    log, who = f"{BROKERS[broker]}.log", event["node"]
    paths = {
        "max_offset": name_end(asking, broker),
        "flushed_offset": f"{log}.flushed_offset",
        "dispatched_offset": f"{log}.dispatched_offset",
    }
    if broker == MASTER:
        paths["push2_slave_max_offset"] = f"{BROKERS[MASTER]}.push2_slave_max_offset"
        paths["connection_count"] = f"{BROKERS[MASTER]}.connection_count"
    for name, path in paths.items():
        if name in event.data:
            goal = asking.has_value(f"{name} of {who}", path, event[name])
            # It may have got there before it changed its part.
            is_later = name == "max_offset" and asking.roles.find(event).seq >= 0
            before = name_end(asking, SLAVE if broker == MASTER else MASTER)
            way = (asking.has_value(goal.text, before, event[name]),) if is_later else ()
            yield evolve(goal, on_the_way=way)
    if event.data.get("min_offset", -1) >= 0:
        yield asking.has_value(f"min_offset of {who}", f"{log}.start_offset", event["min_offset"])
    files = event.data.get("mapped_files")
    if files is not None:
        yield asking.holds(f"mapped_files of {who} is {files}", has_files, broker, files)


def has_files(state: Any, broker: int, files: int) -> Any:
    """A broker's log has so many files."""
    log = state.cluster.master.log if broker == MASTER else state.cluster.slaves[0].log
    if files == 0:
        return negate(log.has_file)
    last = log.start_offset
    for _ in range(files - 1):
        last = last + state.parameters.mapped_file_size_bytes
    return log.has_file & (log.last_file_offset == last)


def list_link_goals(asking: Asking, event: Event, broker: int) -> Iterator[Goal]:
    """What a broker shows of the connection."""
    shown = event.data.get("connections", [])
    if broker == MASTER and len(shown) == 1:
        paths = {
            "slave_request_offset": f"{LINK}.slave_request_offset",
            "slave_ack_offset": f"{LINK}.slave_ack_offset",
            "next_transfer_from": f"{LINK}.next_transfer_offset",
        }
        for name, path in paths.items():
            if name in shown[0]:
                yield asking.has_value(f"{name} of the connection", path, shown[0][name])
    if broker == SLAVE and event.data.get("ha_client_connected"):
        yield asking.has_value("ha_client_connected", f"{LINK}.is_open", True)
        reported = event["ha_client_reported_offset"]
        yield asking.has_value("ha_client_reported_offset", f"{LINK}.reported_offset", reported)


CONNECTED = re.compile(r"HAService receive new connection")


SAID = (
    (MASTER, CONNECTED, f"{LINK}.is_open"),
    (MASTER, re.compile(r"slave\[.*\] request offset (-?\d+)"), f"{LINK}.slave_request_offset"),
    (MASTER, re.compile(r"master transfer data from (-?\d+) "), f"{LINK}.transfer_start_offset"),
)
"""Lines that a broker logs of a connection, with the leaf that they tell
(HAService.AcceptSocketService#run, HAConnection.ReadSocketService#processReadEvent,
HAConnection.WriteSocketService#run)."""


COPIED = "Update slave consumer offset from master"
"""What a slave logs when it has copied progress (SlaveSynchronize#syncConsumerOffset)."""


def observe_log(asking: Asking, event: Event, node: Node) -> Asked:
    """A broker logs a line: a few tell what it has done."""
    text, broker = event.data.get("msg", ""), asking.find_broker(event)
    for who, pattern, path in SAID:
        found = pattern.match(text)
        if found and who == broker:
            value = int(found.group(1)) if pattern.groups else True
            told = asking.has_value(f"{event['node']} logs {found.group(0)!r}", path, value)
            # They connect before their starts are over, which is when a start is told.
            starts = {**list_starts(asking, MASTER), **list_starts(asking, SLAVE)}
            return ask_for([told], permits=starts if pattern is CONNECTED else {})
    if broker == SLAVE and text.startswith(COPIED):
        return observe_copy(asking, event, node)
    return Asked(ignored="a line of a broker's log that tells nothing of the state")


def observe_kill(asking: Asking, event: Event, node: Node) -> Asked:
    """A broker's process is killed."""
    name = "kill_master" if asking.find_broker(event) == MASTER else "kill_slave[0]"
    return ask_for([fires(f"{event['node']} is killed", name)], permits={name: 1})


def observe_end(asking: Asking, event: Event, node: Node) -> Asked:
    """A broker's process has ended in order, if it was not killed before."""
    broker = asking.find_broker(event)
    who, index = ("master", "") if broker == MASTER else ("slave", "[0]")
    permits = {f"begin_{who}_stop{index}": 1, f"finish_{who}_stop{index}": 1}
    goals = [asking.has_value(f"{event['node']} runs", f"{BROKERS[broker]}.is_up", False)]
    if "max_offset" in event.data:
        goals += list_log_goals(event, broker, asking)
    return ask_for(goals, permits=permits)
