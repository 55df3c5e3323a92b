"""What each kind of event asks of a state of the joined system.

An event that is about another queue, or about what the system's state does not tell, asks for
nothing, and says why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from reference.language.compiled import compute_compiled_machine, compute_places
from reference.language.operators import is_same, negate
from reference.recordings.hidden.goals import agrees, fires, has_value, holds
from reference.recordings.hidden.node import Asked, Goal, Node
from reference.recordings.joined.choice import Choice, is_blank, is_stored, name_queue
from reference.recordings.joined.notes import Notes, Shown, count_puts
from reference.recordings.joined.roles import Period, Roles, change_parts
from reference.recordings.joined.sizes import END_AT_READ, Sizes, is_moved
from reference.recordings.reading import LARGEST_NUMBER, Event
from reference.worlds.reading.state import MASTER, SLAVE
from reference.worlds.replication.state import ANSWERED, NOT_SENT, PUT_OK, STATUS_NAMES
from reference.worlds.system.state import THE_SLAVE, System
from reference.worlds.system.structure import SystemStructure

Observe = Callable[["Observer", Event, Node], Asked]

BROKERS = ("cluster.master", "cluster.slaves.0")
"""Where the state has each broker's log, by its place among the queues."""

LINK = "cluster.links.0"

SEEN = ("reading.routes.is_master_seen", "reading.routes.is_slave_seen")
"""Where the state has whether a consumer knows a broker."""

OTHERS = "append_other_message"
"""The put of a message that is not followed."""

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
    roles: Roles
    sizes: Sizes
    are_puts_seen: bool = True
    """The recording tells of every message that is put."""

    def ask(self, event: Event, node: Node) -> Asked:
        """What an event asks in a state."""
        turn = self.roles.find_turn(event)
        if turn is None:
            return self.ask_in_period(event, node)
        if not is_down(self, node):
            return ask_for([agrees("both brokers are down", lambda _: False)])
        change = change_parts_of(self.structure, turn)
        asked = self.ask_in_period(event, change(node))
        return evolve(asked, before=in_turn(change, asked.before))

    def ask_in_period(self, event: Event, node: Node) -> Asked:
        """What it asks of brokers that have the parts of its period."""
        observe = OBSERVERS.get(event.kind)
        if observe is None:
            return Asked(ignored=NOT_MODELLED.get(event.kind, "the state tells nothing of it"))
        asked = observe(self, event, node)
        if asked.before is None:
            return asked
        return evolve(asked, after=forget_shown(asked.after))

    def find_broker(self, event: Event) -> int:
        """Which broker an event is about."""
        return MASTER if self.roles.is_master(event) else SLAVE

    def is_of_queue(self, event: Event) -> bool:
        """It is about the queue that is looked at."""
        return name_queue(event) == self.choice.queue

    def has_value(self, text: str, path: str, wanted: int) -> Goal:
        """A leaf has this value; ``text`` names it."""
        return has_value(self.structure, text, path, wanted)

    def holds(self, text: str, make: Callable[..., Any], *given: int) -> Goal:
        """A predicate of the state holds, that ``make`` writes for some numbers."""
        return holds(self.structure, text, make, *given)

    def is_of_group(self, event: Event) -> bool:
        """It is about the progress that is looked at."""
        return self.is_of_queue(event) and event["group"] == self.choice.group


def ask_for(goals: Iterable[Goal], **others: Any) -> Asked:
    """These goals at once."""
    found = tuple(goals)
    return Asked((lambda _: found,), **others)


def note(**changes: Any) -> Callable[[Node], Node]:
    """An edit of the notes alone."""
    return lambda node: node.edit(notes=evolve(node.notes, **changes))


def owe(message: bool | None) -> Callable[[Node], Node]:
    """From now on the broker owes a message."""
    return lambda node: node.edit(notes=evolve(node.notes, owed=(*node.notes.owed, message)))


def delay(node: Node) -> Node:
    """A delayed message was put: from now on the broker owes it to its own topic."""
    return note(delayed=node.notes.delayed + 1)(owe(None)(node))


def forget_shown(after: Callable[[Node], Node] | None) -> Callable[[Node], Node]:
    """What an event shows counts for it alone; ``after``: what changes besides."""
    forget = note(shown_put=None, shown_commit=None)
    return lambda node: forget(after(node) if after else node)


def is_down(observer: Observer, node: Node) -> bool:
    """No broker runs: their parts may change."""
    places = compute_places(observer.structure)
    return not any(node.state[places[f"{broker}.is_up"]] for broker in BROKERS)


def change_parts_of(structure: SystemStructure, turn: Period) -> Callable[[Node], Node]:
    """The node once the brokers have changed their parts, by no step of a rule."""
    machine = compute_compiled_machine(structure)

    def change(node: Node) -> Node:
        state: System = machine.decode(node.state)
        logs = state.cluster.master.log, state.cluster.slaves[THE_SLAVE].log
        notes = node.notes.change_parts(*(log.max_offset for log in logs))
        changed = change_parts(state, is_sync=turn.is_sync)
        return node.edit(state=machine.encode(changed), notes=notes)

    return change


def in_turn(
    first: Callable[[Node], Node], then: Callable[[Node], Node] | None
) -> Callable[[Node], Node]:
    """Two edits, one after the other."""
    return first if then is None else lambda node: then(first(node))


OTHER_QUEUE = Asked(ignored="about another queue")
OTHER_GROUP = Asked(ignored="about another group's progress, or another queue's")


def name_leaf(broker: int, name: str) -> str:
    """The path of what readers see of a broker."""
    return f"reading.brokers.{broker}.{name}"


def observe_put(observer: Observer, event: Event, node: Node) -> Asked:
    """A message is appended to the master's log; the followed one is answered."""
    if not is_stored(event, observer.roles):
        if not is_blank(event, observer.roles):
            return Asked(ignored="refused before anything was written")
        end = event["wrote_offset"] + event["wrote_bytes"]
        goal = observer.has_value("the log's end", name_end(observer, MASTER), end)
        return ask_for([goal], permits={"fill_file": 1})
    is_of_queue = observer.is_of_queue(event)
    place = int(event["queue_offset"])
    places = compute_places(observer.structure)
    # A promoted broker may give the same place to another message.
    is_new = node.state[places["cluster.messages.0.phase"]] == NOT_SENT
    is_followed = is_of_queue and place == observer.choice.message and is_new
    name = "append_message[0]" if is_followed else OTHERS
    end = node.state[places[name_end(observer, MASTER)]]
    arguments = {"size_bytes": observer.sizes.find_size(event, end)}
    if is_followed:
        arguments["waits_for_store"] = int(event.data.get("wait_store_ok", True))
    shown = Shown(name, is_of_queue, arguments["size_bytes"], event.data.get("wrote_offset"))
    # What the broker owes may come before it, which is known where the place is.
    is_late = shown.start_offset is not None and shown.start_offset > end
    owed = {OTHERS: 1 + len(node.notes.owed)} if is_late and node.notes.owed else {}
    goals = [takes_shown(shown)]
    if event.kind == "put":
        wrote = event["wrote_offset"] + event["wrote_bytes"]
        goals.append(observer.has_value("the log's end", name_end(observer, MASTER), wrote))
    if is_of_queue:
        goals.append(agrees(f"queue_offset is {place}", lambda after: is_place(after, place)))
    if is_followed:
        goals += list_answer_goals(observer, event)
    return ask_for(
        goals,
        permits={name: 1, "fill_file": 1, **owed},
        arguments={} if owed and not is_followed else {name: arguments},
        before=note(shown_put=shown),
        after=delay if event.data.get("delay_level") else None,
    )


def takes_shown(shown: Shown) -> Goal:
    """The append that an event shows has happened."""
    goal = agrees(f"{shown.instance} takes {shown.size_bytes} B", lambda n: not n.notes.shown_put)
    return evolve(goal, instances=(shown.instance,))


def is_place(node: Node, place: int) -> bool:
    """The message that was put last has this place in its queue, by those that were put before."""
    puts = node.notes.puts
    low, high = count_puts(puts, puts[-1].end_offset) if puts else (0, 0)
    return low <= place + 1 <= high


def list_answer_goals(observer: Observer, event: Event) -> Iterator[Goal]:
    """How the put of the followed message is answered."""
    told = event["put_status"] if event.kind == "put" else event["response"]
    status = PUT_OK if told == "SUCCESS" else STATUS_NAMES.index(told)
    yield observer.has_value("the put's phase", "cluster.messages.0.phase", ANSWERED)
    yield observer.has_value(f"its answer ({told})", "cluster.messages.0.status", status)


def observe_snapshot(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker shows its log, and perhaps its queues and tables."""
    broker = observer.find_broker(event)
    goals = [*list_log_goals(event, broker, observer)]
    goals += list_link_goals(observer, event, broker)
    ends = event.data.get("queues", {}).get(observer.choice.queue)
    if ends:
        goals += list_queue_goals(observer, broker, *ends)
    return ask_for([*goals, *list_table_goals(observer, event, node)])


def observe_start(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker has started, and shows what it has recovered."""
    broker = observer.find_broker(event)
    (shown,) = observe_snapshot(observer, event, node).stages
    is_up = observer.has_value(f"{event['node']} runs", f"{BROKERS[broker]}.is_up", True)
    return ask_for([is_up, *shown(node)], permits=list_starts(observer, broker))


def list_starts(observer: Observer, broker: int) -> dict[str, int]:
    """The ways in which a broker may start, each permitted once."""
    kind, index = ("restart_master", "") if broker == MASTER else ("restart_slave", "[0]")
    return {f"{n}{index}": 1 for n in observer.structure.rules if n.startswith(kind)}


def list_log_goals(event: Event, broker: int, observer: Observer) -> Iterator[Goal]:
    """What a broker shows of its log."""
    log, who = f"{BROKERS[broker]}.log", event["node"]
    paths = {
        "max_offset": name_end(observer, broker),
        "flushed_offset": f"{log}.flushed_offset",
        "dispatched_offset": f"{log}.dispatched_offset",
    }
    if broker == MASTER:
        paths["push2_slave_max_offset"] = f"{BROKERS[MASTER]}.push2_slave_max_offset"
        paths["connection_count"] = f"{BROKERS[MASTER]}.connection_count"
    for name, path in paths.items():
        if name in event.data:
            goal = observer.has_value(f"{name} of {who}", path, event[name])
            # It may have got there before it changed its part.
            is_later = name == "max_offset" and observer.roles.find(event).seq >= 0
            before = name_end(observer, SLAVE if broker == MASTER else MASTER)
            way = (observer.has_value(goal.text, before, event[name]),) if is_later else ()
            yield evolve(goal, on_the_way=way)
    if event.data.get("min_offset", -1) >= 0:
        yield observer.has_value(f"min_offset of {who}", f"{log}.start_offset", event["min_offset"])
    files = event.data.get("mapped_files")
    if files is not None:
        yield observer.holds(f"mapped_files of {who} is {files}", has_files, broker, files)


def name_end(observer: Observer, broker: int) -> str:
    """The path of the end of a broker's log."""
    return f"{BROKERS[broker]}.log.ends.{observer.structure.log.lives - 1}"


def has_files(state: Any, broker: int, files: int) -> Any:
    """A broker's log has so many files."""
    log = state.cluster.master.log if broker == MASTER else state.cluster.slaves[0].log
    if files == 0:
        return negate(log.has_file)
    last = log.start_offset
    for _ in range(files - 1):
        last = last + state.parameters.mapped_file_size_bytes
    return log.has_file & (log.last_file_offset == last)


def list_link_goals(observer: Observer, event: Event, broker: int) -> Iterator[Goal]:
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
                yield observer.has_value(f"{name} of the connection", path, shown[0][name])
    if broker == SLAVE and event.data.get("ha_client_connected"):
        yield observer.has_value("ha_client_connected", f"{LINK}.is_open", True)
        reported = event["ha_client_reported_offset"]
        yield observer.has_value("ha_client_reported_offset", f"{LINK}.reported_offset", reported)


def list_queue_goals(observer: Observer, broker: int, low: int, high: int) -> Iterator[Goal]:
    """Where a broker's queue begins and ends."""
    yield observer.has_value("the queue's min_offset", name_leaf(broker, "queue_min"), low)
    end = observer.has_value("the queue's max_offset", name_leaf(broker, "queue_max"), high)
    is_lost = (lambda n: count_all(n.notes, broker) < high) if observer.are_puts_seen else None
    yield evolve(end, is_lost=is_lost)


def count_all(notes: Notes, broker: int) -> int:
    """How many messages a queue can have, by those that were put and those that are owed."""
    puts = notes.puts if broker == MASTER else notes.slave_puts
    return count_puts(puts, LARGEST_NUMBER)[1] + sum(o is not False for o in notes.owed)


def list_table_goals(observer: Observer, event: Event, node: Node) -> Iterator[Goal]:
    """What a broker shows of progress, in memory and on disk, and of whom it copies from."""
    broker = observer.find_broker(event)
    key, number = observer.choice.key
    if observer.choice.group:
        found: list[Goal] = []
        for name, leaf in (("consumer_offsets", "progress"), ("file", "progress_on_disk")):
            table = read_file(event) if name == "file" else event.data.get(name)
            if table is not None:
                shown = table.get(key, {}).get(number, -1)
                path = name_leaf(broker, leaf)
                found.append(observer.has_value(f"{leaf} of {event['node']}", path, shown))
        ways = tuple(list_way(observer, event, node, found))
        yield from (evolve(goal, on_the_way=ways) for goal in found)
    if broker == SLAVE and event.kind != "node_started" and "ha_master_address" in event.data:
        is_known = "slave_synchronize_master_addr" in event.data
        text = "the slave knows its master"
        yield observer.has_value(text, "reading.routes.is_master_known", is_known)


def list_way(
    observer: Observer, event: Event, node: Node, progress: Iterable[Goal]
) -> Iterator[Goal]:
    """What leads to progress where nobody saw a put: messages, evenly, and all of them read."""
    places, path = compute_places(observer.structure), name_end(observer, MASTER)
    begin, have = (int(node.state[places[p]]) for p in (path, name_leaf(MASTER, "queue_max")))
    wanted = {goal.wanted: goal for goal in progress if goal.wanted > have}
    seen = SEEN[observer.find_broker(event)]
    end, more = observer.sizes.find_next_end(event), max(wanted, default=have) - have
    if observer.are_puts_seen or not more or end is None or end - begin < more:
        return
    for count in range(1, more + 1):
        shared = begin + (end - begin) * count // more
        if have + count - 1 == observer.choice.message:
            leaf = "cluster.messages.0.end_offset"
            yield observer.has_value("the followed message's end", leaf, shared)
        yield observer.has_value("the log's end", path, shared)
        if have + count in wanted:
            for broker in range(observer.find_broker(event) + 1):
                queue = name_leaf(broker, "queue_max")
                yield observer.has_value("the queue's max_offset", queue, have + count)
            yield observer.has_value("a consumer's route to the broker", seen, True)
            if count < more:
                path_of_memory = name_leaf(observer.find_broker(event), "progress")
                yield observer.has_value("the progress stored", path_of_memory, have + count)
                yield wanted[have + count]


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
    goals = tuple(list_table_goals(observer, event, node))
    return ask_for(goals) if goals else Asked(ignored="no progress in this queue is looked at")


def observe_read(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker answers a read: its queue's ends, and whether the followed message is found.

    Who reads is a tool that reads anywhere, so nothing is asked of the system's consumer but what
    it commits.
    """
    is_of_queue = observer.choice.queue == "OFFSET_MOVED_EVENT-0"
    after = owe(is_of_queue) if is_moved(event, observer.roles) else None
    if not observer.is_of_queue(event) or event.data.get("min_offset", -1) < 0:
        return evolve(OTHER_QUEUE, after=after)
    broker = observer.find_broker(event)
    goals = [*list_queue_goals(observer, broker, event["min_offset"], event["max_offset"])]
    if END_AT_READ in event.data:
        path = name_end(observer, broker)
        goals.append(observer.has_value("the log's end", path, event[END_AT_READ]))
    if "FOUND" == event.data.get("get_status", event.data.get("status")):
        goals += list_found_goals(observer, event, broker)
    if event.data.get("commit_flag") and broker == MASTER and observer.is_of_group(event):
        return ask_for_commit(observer, broker, event["commit_offset"], goals, after)
    return ask_for(goals, after=after)


def ask_for_commit(
    observer: Observer,
    broker: int,
    offset: int,
    goals: Iterable[Goal] = (),
    after: Callable[[Node], Node] | None = None,
) -> Asked:
    """A broker stores the progress of a consumer, beside other goals."""
    path = name_leaf(broker, "progress")
    return ask_for(
        [*goals, observer.has_value("the progress stored", path, offset)],
        permits={"deliver_stale_commit": 1} if broker == MASTER else {},
        before=note(shown_commit=(path, offset)),
        after=after,
    )


def list_found_goals(observer: Observer, event: Event, broker: int) -> Iterator[Goal]:
    """A broker has found messages: its log has some of them, and the followed one if it is there.

    A batch may leave out what has been deleted before its first message.
    """
    begin, end = event["offset"], event["next_begin_offset"]
    who = event["node"]
    text = f"{who} has a message from {begin} to {end}"
    yield observer.holds(text, has_some, broker, begin, end)
    if begin <= observer.choice.message < end:
        leaf = "is_on_master" if broker == MASTER else "is_on_slave"
        yield observer.has_value(f"{who} has the followed message", f"reading.message.{leaf}", True)


def has_some(state: Any, broker: int, begin: int, end: int) -> Any:
    """A broker's queue has a message from ``begin`` on and below ``end``."""
    queue = state.reading.brokers[broker]
    return (queue.first_kept < end) & (begin < queue.queue_max)


def observe_commit(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker takes a commit."""
    if not observer.is_of_group(event):
        return OTHER_GROUP
    return ask_for_commit(observer, observer.find_broker(event), event["offset"])


def observe_query(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker tells progress: what it has stored, else 0 or nothing (R-CO-05)."""
    if not observer.is_of_group(event):
        return OTHER_GROUP
    broker, shown = observer.find_broker(event), event["offset"]
    leaf = name_leaf(broker, "progress")
    if shown is None:
        return ask_for([observer.has_value("the progress stored", leaf, -1)])
    if shown > 0:
        return ask_for([observer.has_value("the progress told", leaf, shown)])
    text = "the progress told is 0, or none is stored"
    return ask_for([observer.holds(text, has_no_progress, broker)])


def has_no_progress(state: Any, broker: int) -> Any:
    """A broker has stored none, or 0."""
    return state.reading.brokers[broker].progress <= 0


def observe_copy(observer: Observer, event: Event, node: Node) -> Asked:
    """A slave copies its master's tables, if it knows that, and that runs."""
    if not observer.choice.group:
        return OTHER_GROUP
    return ask_for([observer.holds("progress is the master's", is_copied)])


def is_copied(state: Any) -> Any:
    """Both brokers have the same progress in memory, if the master was asked and has any."""
    master, slave = state.reading.brokers
    is_asked = slave.is_up & state.reading.routes.is_master_known & master.is_up
    is_same_number = (master.progress <= slave.progress) & (slave.progress <= master.progress)
    return negate(is_asked & (master.progress >= 0)) | is_same_number


def observe_register(observer: Observer, event: Event, node: Node) -> Asked:
    """A slave registers, and is told where its master is."""
    if observer.find_broker(event) == MASTER:
        return Asked(ignored="a master learns nothing by it")
    return ask_for([observer.holds("the slave knows what is listed", is_told)])


def is_told(state: Any) -> Any:
    """The slave knows its master if and only if the name server lists it."""
    routes = state.reading.routes
    return is_same(routes.is_master_known, routes.is_master_listed)


def observe_persist(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker writes progress to its disk."""
    if not observer.choice.group:
        return OTHER_GROUP
    return ask_for([observer.holds("progress is on disk", is_written, observer.find_broker(event))])


def is_written(state: Any, broker: int) -> Any:
    """A broker has the same progress in memory and on disk."""
    queue = state.reading.brokers[broker]
    return (queue.progress <= queue.progress_on_disk) & (queue.progress_on_disk <= queue.progress)


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
            told = observer.has_value(f"{event['node']} logs {found.group(0)!r}", path, value)
            # They connect before their starts are over, which is when a start is told.
            starts = {**list_starts(observer, MASTER), **list_starts(observer, SLAVE)}
            return ask_for([told], permits=starts if pattern is CONNECTED else {})
    if broker == SLAVE and text.startswith(COPIED):
        return observe_copy(observer, event, node)
    return Asked(ignored="a line of a broker's log that tells nothing of the state")


def observe_kill(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker's process is killed."""
    name = "kill_master" if observer.find_broker(event) == MASTER else "kill_slave[0]"
    return ask_for([fires(f"{event['node']} is killed", name)], permits={name: 1})


def observe_end(observer: Observer, event: Event, node: Node) -> Asked:
    """A broker's process has ended in order, if it was not killed before."""
    broker = observer.find_broker(event)
    who, index = ("master", "") if broker == MASTER else ("slave", "[0]")
    permits = {f"begin_{who}_stop{index}": 1, f"finish_{who}_stop{index}": 1}
    goals = [observer.has_value(f"{event['node']} runs", f"{BROKERS[broker]}.is_up", False)]
    if "max_offset" in event.data:
        goals += list_log_goals(event, broker, observer)
    return ask_for(goals, permits=permits)


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
