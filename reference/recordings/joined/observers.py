"""What each kind of event asks of a state of the joined system.

An event that is about another queue, or about what the system's state does not tell, asks for
nothing, and says why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from reference.language.machine import Action
from reference.language.operators import is_same, negate
from reference.recordings.joined.arguments import count_puts
from reference.recordings.joined.choice import Choice, is_stored, name_queue
from reference.recordings.joined.goals import (
    Asked,
    Goal,
    Node,
    agrees,
    has_value,
    holds,
    is_taken,
)
from reference.recordings.joined.sizes import Sizes, is_moved
from reference.recordings.reading import LARGEST_NUMBER, Event
from reference.worlds.reading.state import MASTER, SLAVE
from reference.worlds.replication.state import ANSWERED, PUT_OK, STATUS_NAMES
from reference.worlds.system.structure import SystemStructure

Observe = Callable[["Observer", Event, Node], Asked]

BROKERS = ("cluster.master", "cluster.slaves.0")
"""Where the state has each broker's log, by its place among the queues."""

LINK = "cluster.links.0"

NOT_MODELLED = {
    "namesrv_started": "the name server is always there",
    "note": "a remark of the recorder",
    "update_topic": "tables of topics are another world",
    "update_subscription_group": "tables of groups are another world",
    "set_config": "the structure is constant",
    "set_broker_config": "the structure is constant",
    "log_crc": "the system knows no bytes",
    "log_scan": "the system knows one message of the log",
    "divergence_check": "the system knows no bytes",
    "update_ha_master_address": "connections are hidden here",
    "ha_master_address": "connections are hidden here",
}
"""Kinds of which the state tells nothing, with the reason."""


@frozen(eq=False)
class Observer:
    """What is looked at, for whoever says what an event asks."""

    structure: SystemStructure
    choice: Choice
    sizes: Sizes

    def ask(self, event: Event, node: Node) -> Asked:
        """What an event asks in a state."""
        observe = OBSERVERS.get(event.kind)
        if observe is None:
            return Asked(ignored=NOT_MODELLED.get(event.kind, "the state tells nothing of it"))
        return observe(self, event, node)

    def find_broker(self, event: Event) -> int:
        """Which broker an event is about."""
        return MASTER if event["node"] == self.choice.master else SLAVE

    def is_of_queue(self, event: Event) -> bool:
        """It is about the queue that is looked at."""
        return name_queue(event) == self.choice.queue

    def is_of_group(self, event: Event) -> bool:
        """It is about the progress that is looked at."""
        return self.is_of_queue(event) and event["group"] == self.choice.group


OTHER_QUEUE = Asked(ignored="about another queue")
OTHER_GROUP = Asked(ignored="about another group's progress, or another queue's")


def name_leaf(broker: int, name: str) -> str:
    """The path of what readers see of a broker."""
    return f"reading.brokers.{broker}.{name}"


def observe_put(observer: Observer, event: Event, node: Node) -> Asked:
    """A message is appended to the master's log; the followed one is answered."""
    if not is_stored(event, observer.choice.master):
        return Asked(ignored="refused before anything was written")
    is_of_queue = observer.is_of_queue(event)
    place = int(event["queue_offset"])
    is_followed = is_of_queue and place == observer.choice.message
    name = "append_message[0]" if is_followed else "append_other_message"
    end = node.state.cluster.master.log.max_offset
    arguments = {"size_bytes": observer.sizes.find_size(event, end)}
    if is_followed:
        arguments["waits_for_store"] = int(event.data.get("wait_store_ok", True))
    goals = [is_taken(f"{name} takes {arguments['size_bytes']} B", Action(name, arguments))]
    if event.kind == "put":
        wrote = event["wrote_offset"] + event["wrote_bytes"]
        goals.append(has_value("the log's end", f"{BROKERS[MASTER]}.log.ends.2", wrote))
    if is_of_queue:
        goals.append(agrees(f"queue_offset is {place}", lambda after: is_place(after, place)))
    if is_followed:
        goals += list_answer_goals(event)
    permits = {name: 1, "fill_file": 1}
    owes = (None,) if event.data.get("delay_level") else ()
    return Asked(tuple(goals), permits, put=is_of_queue, owes=owes)


def is_place(node: Node, place: int) -> bool:
    """The message that was put last has this place in its queue, by those that were put before."""
    low, high = count_puts(node.puts, node.puts[-1].end_offset) if node.puts else (0, 0)
    return low <= place + 1 <= high


def list_answer_goals(event: Event) -> Iterator[Goal]:
    """How the put of the followed message is answered."""
    told = event["put_status"] if event.kind == "put" else event["response"]
    status = PUT_OK if told == "SUCCESS" else STATUS_NAMES.index(told)
    yield has_value("the put's phase", "cluster.messages.0.phase", ANSWERED)
    yield has_value(f"its answer ({told})", "cluster.messages.0.status", status)


def observe_snapshot(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker shows its log, and perhaps its queues and tables."""
    broker = observer.find_broker(event)
    goals = [*list_log_goals(event, broker, observer)]
    goals += list_link_goals(event, broker)
    ends = event.data.get("queues", {}).get(observer.choice.queue)
    if ends:
        goals += list_queue_goals(broker, *ends)
    return Asked((*goals, *list_table_goals(observer, event, broker)))


def observe_start(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker has started, and shows what it has recovered."""
    broker = observer.find_broker(event)
    role = event.data.get("role")
    if role and (broker == SLAVE) != (role == "SLAVE"):
        return Asked((agrees(f"{event['node']} starts as {role}", lambda _: False),))
    shown = observe_snapshot(observer, event, node)
    is_up = has_value(f"{event['node']} runs", f"{BROKERS[broker]}.is_up", True)
    return Asked((is_up, *shown.goals), list_starts(observer, broker))


def list_starts(observer: Observer, broker: int) -> dict[str, int]:
    """The ways in which a broker may start, each permitted once."""
    kind, index = ("restart_master", "") if broker == MASTER else ("restart_slave", "[0]")
    return {f"{n}{index}": 1 for n in observer.structure.rules if n.startswith(kind)}


def list_log_goals(event: Event, broker: int, observer: Observer) -> Iterator[Goal]:
    """What a broker shows of its log."""
    log, who = f"{BROKERS[broker]}.log", event["node"]
    paths = {
        "max_offset": f"{log}.ends.{observer.structure.log.lives - 1}",
        "flushed_offset": f"{log}.flushed_offset",
        "dispatched_offset": f"{log}.dispatched_offset",
    }
    if broker == MASTER:
        paths["push2_slave_max_offset"] = f"{BROKERS[MASTER]}.push2_slave_max_offset"
        paths["connection_count"] = f"{BROKERS[MASTER]}.connection_count"
    for name, path in paths.items():
        if name in event.data:
            yield has_value(f"{name} of {who}", path, event[name])
    if event.data.get("min_offset", -1) >= 0:
        yield has_value(f"min_offset of {who}", f"{log}.start_offset", event["min_offset"])
    files = event.data.get("mapped_files")
    if files is not None:
        yield holds(
            f"mapped_files of {who} is {files}",
            observer.structure,
            lambda s: has_files(get_log(s, broker), s.parameters.mapped_file_size_bytes, files),
        )


def get_log(state: Any, broker: int) -> Any:
    """The log of one of the brokers."""
    return state.cluster.master.log if broker == MASTER else state.cluster.slaves[0].log


def has_files(log: Any, size: Any, files: int) -> Any:
    """A log has so many files."""
    if files == 0:
        return negate(log.has_file)
    last = log.start_offset
    for _ in range(files - 1):
        last = last + size
    return log.has_file & (log.last_file_offset == last)


def list_link_goals(event: Event, broker: int) -> Iterator[Goal]:
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
                yield has_value(f"{name} of the connection", path, shown[0][name])
    if broker == SLAVE and event.data.get("ha_client_connected"):
        yield has_value("ha_client_connected", f"{LINK}.is_open", True)
        reported = event["ha_client_reported_offset"]
        yield has_value("ha_client_reported_offset", f"{LINK}.reported_offset", reported)


def list_queue_goals(broker: int, low: int, high: int) -> Iterator[Goal]:
    """Where a broker's queue begins and ends."""
    yield has_value("the queue's min_offset", name_leaf(broker, "queue_min"), low)
    end = has_value("the queue's max_offset", name_leaf(broker, "queue_max"), high)
    yield evolve(end, limit=count_all)


def count_all(node: Node) -> int:
    """How many messages the queue can have, by those that were put and those that are owed."""
    if not node.are_puts_seen:
        return LARGEST_NUMBER
    return count_puts(node.puts, LARGEST_NUMBER)[1] + sum(o is not False for o in node.owed)


def list_table_goals(observer: Observer, event: Event, broker: int) -> Iterator[Goal]:
    """What a broker shows of progress, in memory and on disk, and of whom it copies from."""
    key, number = observer.choice.key
    if observer.choice.group:
        for name, leaf in (("consumer_offsets", "progress"), ("file", "progress_on_disk")):
            table = read_file(event) if name == "file" else event.data.get(name)
            if table is not None:
                shown = table.get(key, {}).get(number, -1)
                yield has_value(f"{leaf} of {event['node']}", name_leaf(broker, leaf), shown)
    if broker == SLAVE and event.kind != "node_started" and "ha_master_address" in event.data:
        is_known = "slave_synchronize_master_addr" in event.data
        text = "the slave knows its master"
        yield has_value(text, "reading.routes.is_master_known", is_known)


def read_file(event: Event) -> Mapping[str, Any] | None:
    """The table of progress in a broker's file; None where it is not shown."""
    if "consumer_offset_file" in event.data:
        table: Mapping[str, Any] = event["consumer_offset_file"].get("offsetTable", {})
        return table
    raw = event.data.get("consumer_offset_file_raw")
    if raw is None:
        return None
    # A table by fastjson has bare numbers for keys.
    quoted = re.sub(r"([{,]\s*)(\d+)\s*:", r'\1"\2":', raw)
    parsed: Mapping[str, Any] = json.loads(quoted).get("offsetTable", {})
    return parsed


def observe_tables(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker shows its tables."""
    goals = tuple(list_table_goals(observer, event, observer.find_broker(event)))
    return Asked(goals) if goals else Asked(ignored="no progress in this queue is looked at")


def observe_read(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker answers a read: its queue's ends, and whether the followed message is found.

    Who reads is a tool that reads anywhere, so nothing is asked of the system's consumer but what
    it commits.
    """
    is_of_queue = observer.choice.queue == "OFFSET_MOVED_EVENT-0"
    owes = (is_of_queue,) if is_moved(event, observer.choice) else ()
    if not observer.is_of_queue(event) or event.data.get("min_offset", -1) < 0:
        return Asked(owes=owes, ignored=OTHER_QUEUE.ignored)
    broker = observer.find_broker(event)
    goals = [*list_queue_goals(broker, event["min_offset"], event["max_offset"])]
    if "FOUND" == event.data.get("get_status", event.data.get("status")):
        goals += list_found_goals(observer, event, broker)
    commit = None
    if event.data.get("commit_flag") and broker == MASTER and observer.is_of_group(event):
        path = name_leaf(broker, "progress")
        commit = has_value("the progress stored", path, event["commit_offset"])
        goals.append(commit)
    permits = {"deliver_stale_commit": 1} if commit else {}
    return Asked(tuple(goals), permits, commit=commit, owes=owes)


def list_found_goals(observer: Observer, event: Event, broker: int) -> Iterator[Goal]:
    """A broker has found messages: its log has some of them, and the followed one if it is there.

    A batch may leave out what has been deleted before its first message.
    """
    begin, end = event["offset"], event["next_begin_offset"]
    who = event["node"]
    yield holds(
        f"{who} has a message from {begin} to {end}",
        observer.structure,
        lambda s: (
            (s.reading.brokers[broker].first_kept < end)
            & (begin < s.reading.brokers[broker].queue_max)
        ),
    )
    if begin <= observer.choice.message < end:
        leaf = "is_on_master" if broker == MASTER else "is_on_slave"
        yield has_value(f"{who} has the followed message", f"reading.message.{leaf}", True)


def observe_commit(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker takes a commit."""
    if not observer.is_of_group(event):
        return OTHER_GROUP
    broker = observer.find_broker(event)
    goal = has_value("the progress stored", name_leaf(broker, "progress"), event["offset"])
    permits = {"deliver_stale_commit": 1} if broker == MASTER else {}
    return Asked((goal,), permits, commit=goal)


def observe_query(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker tells progress: what it has stored, else 0 or nothing (R-CO-05)."""
    if not observer.is_of_group(event):
        return OTHER_GROUP
    broker, shown = observer.find_broker(event), event["offset"]
    leaf = name_leaf(broker, "progress")
    if shown is None:
        return Asked((has_value("the progress stored", leaf, -1),))
    if shown > 0:
        return Asked((has_value("the progress told", leaf, shown),))
    text = "the progress told is 0, or none is stored"
    goal = holds(text, observer.structure, lambda s: s.reading.brokers[broker].progress <= 0)
    return Asked((goal,))


def observe_copy(observer: Observer, event: Event, node: Node) -> Asked:
    """A slave copies its master's tables, if it knows that, and that runs."""

    def is_copied(state: Any) -> Any:
        master, slave = state.reading.brokers
        is_asked = slave.is_up & state.reading.routes.is_master_known & master.is_up
        return negate(is_asked & (master.progress >= 0)) | is_same_number(master, slave)

    if not observer.choice.group:
        return OTHER_GROUP
    return Asked((holds("progress is the master's", observer.structure, is_copied),))


def is_same_number(master: Any, slave: Any) -> Any:
    """Both brokers have the same progress in memory."""
    return (master.progress <= slave.progress) & (slave.progress <= master.progress)


def observe_register(observer: Observer, event: Event, node: Node) -> Asked:
    """A slave registers, and is told where its master is."""
    if observer.find_broker(event) == MASTER:
        return Asked(ignored="a master learns nothing by it")

    def is_told(state: Any) -> Any:
        routes = state.reading.routes
        return is_same(routes.is_master_known, routes.is_master_listed)

    return Asked((holds("the slave knows what is listed", observer.structure, is_told),))


def observe_persist(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker writes progress to its disk."""
    broker = observer.find_broker(event)

    def is_written(state: Any) -> Any:
        queue = state.reading.brokers[broker]
        return (queue.progress <= queue.progress_on_disk) & (
            queue.progress_on_disk <= queue.progress
        )

    if not observer.choice.group:
        return OTHER_GROUP
    return Asked((holds("progress is on disk", observer.structure, is_written),))


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


def observe_log(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker logs a line: a few tell what it has done."""
    text, broker = event.data.get("msg", ""), observer.find_broker(event)
    for who, pattern, path in SAID:
        found = pattern.match(text)
        if found and who == broker:
            value = int(found.group(1)) if pattern.groups else True
            told = has_value(f"{event['node']} logs {found.group(0)!r}", path, value)
            # A slave connects before its start is over, which is when it is told.
            permits = list_starts(observer, SLAVE) if pattern is CONNECTED else {}
            return Asked((told,), permits)
    if broker == SLAVE and text.startswith(COPIED):
        return observe_copy(observer, event, node)
    return Asked(ignored="a line of a broker's log that tells nothing of the state")


def observe_kill(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker's process is killed."""
    name = "kill_master" if observer.find_broker(event) == MASTER else "kill_slave[0]"
    return Asked((is_taken(f"{event['node']} is killed", Action(name)),), {name: 1})


def observe_end(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker's process has ended in order, if it was not killed before."""
    broker = observer.find_broker(event)
    who, index = ("master", "") if broker == MASTER else ("slave", "[0]")
    permits = {f"begin_{who}_stop{index}": 1, f"finish_{who}_stop{index}": 1}
    goals = [has_value(f"{event['node']} runs", f"{BROKERS[broker]}.is_up", False)]
    if "max_offset" in event.data:
        goals += list_log_goals(event, broker, observer)
    return Asked(tuple(goals), permits)


OBSERVERS: Mapping[str, Observe] = {
    "put": observe_put,
    "send_message": observe_put,
    "snapshot": observe_snapshot,
    "broker_started": observe_start,
    "node_started": observe_start,
    "tables": observe_tables,
    "pull_message": observe_read,
    "get_message": observe_read,
    "update_consumer_offset": observe_commit,
    "query_consumer_offset": observe_query,
    "sync_all": observe_copy,
    "register_broker": observe_register,
    "persist_consumer_offsets": observe_persist,
    "log": observe_log,
    "node_kill9": observe_kill,
    "node_stop_clean": observe_end,
    "process_exit": observe_end,
}
"""By kind of event."""
