"""Events about tables: commits, queries, copies, registrations, and looks at the tables.

A broker that is seen by its store only (``node_started``) has none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve

from reference.metadata.broker_tables import BrokerTables, VersionedTable
from reference.metadata.copying import sync_all
from reference.metadata.data_version import DataVersion
from reference.name_server.registry import Answer, Registration, make_answer, register, remove
from reference.progress.offset_table import OffsetTable, name_key
from reference.read.pull import ResponseCode
from reference.read.pull_processor import MASTER_ID
from reference.read.subscription_group import DEFAULT_GROUP
from reference.trace.get_message_events import find_running_node
from reference.trace.plan import MASTER
from reference.trace.pull_events import REFUSED
from reference.trace.queries import check_query
from reference.trace.reading import Event
from reference.trace.state import Blocked, Explanation, check
from reference.trace.table_worlds import (
    NodeTables,
    Surroundings,
    TableSide,
    World,
    change_tables,
    close,
)

BROKER_NAME = "b0"
"""Master and slaves of a group share it; which name it is makes no difference."""

NO_GROUP_CODES = (ResponseCode.NO_PERMISSION, ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST)
"""A pull that is refused in this way has made no group."""


def explain_running(explanation: Explanation, event: Event) -> Explanation:
    """Something that only a running broker does."""
    find_running_node(explanation, event)
    return explanation.count_check()


def explain_request(explanation: Explanation, event: Event) -> Explanation:
    """A commit of progress is always accepted, on slaves as well (R-CO-01)."""
    find_running_node(explanation, event)
    explanation = check(explanation, "response_code", 0, event["response_code"])
    return check(explanation, "response", "SUCCESS", event["response"])


def follow(explanation: Explanation, event: Event) -> Explanation:
    """The worlds after one more event; raises Blocked when it fits none of them."""
    name = event.data.get("node")
    change = CHANGES.get(event.kind)
    is_followed = event.kind == "broker_started" or name in explanation.tables.worlds[0]
    if change is None or not is_followed:
        return explanation
    worlds = close(explanation.tables.worlds, look_around(explanation, event))
    side = evolve(explanation.tables, worlds=worlds)
    return change(evolve(explanation, tables=side), event)


def look_around(explanation: Explanation, event: Event) -> Surroundings:
    """Which hidden steps are possible before an event."""
    return Surroundings(
        now_ms=event.t_ms,
        started_ms=explanation.tables.started_ms,
        master=explanation.plan.master,
        is_master_there=is_master_there(explanation),
        answers=list_registration_answers(explanation),
        delayed=explanation.tables.delayed,
    )


def is_master_there(explanation: Explanation) -> bool:
    """The master answers requests, and its tables are followed."""
    is_followed = explanation.plan.master in explanation.tables.worlds[0]
    return is_followed and explanation.is_up(MASTER) and explanation.master.is_started


def name_address(name: str) -> str:
    """How a recording writes a broker's address."""
    return f"<{name}>"


def name_ha_address(name: str) -> str:
    """How a recording writes where a broker takes connections of slaves."""
    return f"<{name}_ha>"


def list_registration_answers(explanation: Explanation) -> tuple[Answer, ...]:
    """What a slave may be told when it registers; a master that stops may be listed or not."""
    told = make_answer(explanation.tables.registry, make_registration("", 1, DataVersion(0)))
    return (told, Answer()) if explanation.is_stopping(MASTER) else (told,)


def make_registration(name: str, broker_id: int, version: DataVersion) -> Registration:
    """What a broker of the group sends to the name server, without its topics."""
    return Registration(BROKER_NAME, broker_id, name_address(name), name_ha_address(name), version)


def change_worlds(
    explanation: Explanation, event: Event, change: Callable[[BrokerTables], BrokerTables]
) -> Explanation:
    """One change of the event's broker, in every world."""
    name = event["node"]
    worlds = tuple(
        change_tables(world, name, change(world[name].tables))
        for world in explanation.tables.worlds
    )
    return evolve(explanation, tables=evolve(explanation.tables, worlds=worlds))


def follow_start(explanation: Explanation, event: Event) -> Explanation:
    """A broker has started: as shown the first time, with what its files keep later."""
    name, side = event["node"], explanation.tables
    is_master = name == explanation.plan.master
    request = make_registration(name, MASTER_ID if is_master else 1, DataVersion(event.t_ms))
    registry, answer = register(side.registry, request, event.t_ms)
    worlds = []
    for world in side.worlds:
        known = world.get(name)
        tables = known.tables.restart(event.t_ms) if known else read_tables(event)
        worlds.append({**world, name: NodeTables(tables).tell(answer)})
    started_ms = {**side.started_ms, name: event.t_ms}
    side = TableSide(tuple(worlds), registry, started_ms, side.delayed)
    return keep_agreeing(evolve(explanation, tables=side), event)


def read_tables(event: Event) -> BrokerTables:
    """The tables of a broker that was never seen before, as it shows them."""
    data = event.data
    topics = dict.fromkeys(str(topic) for topic in data.get("topics", ()))
    groups = data.get("subscription_groups", {})
    try:
        topics_version = DataVersion(event.t_ms, int(data.get("topic_data_version_counter", 0)))
        counter = int(data.get("subscription_group_data_version_counter", 0))
        return BrokerTables(
            topics=VersionedTable(topics_version, topics),
            groups=VersionedTable(DataVersion(event.t_ms, counter), groups),
            offsets=read_offsets(data.get("consumer_offsets", {})),
            offset_file=read_offset_file(data.get("consumer_offset_file")),
            delay_offsets=data.get("delay_offsets_in_memory", {}),
            delay_file=read_delay_file(data.get("delay_offset_file")),
        )
    except (TypeError, ValueError, KeyError, AttributeError) as problem:
        raise Blocked(f"the tables cannot be read: {problem}") from problem


def read_offsets(shown: Mapping[str, Mapping[str, int]]) -> OffsetTable:
    """Progress as a recording has it."""
    return {
        key: {int(queue): offset for queue, offset in queues.items()}
        for key, queues in shown.items()
    }


def read_offset_file(shown: Mapping[str, Any] | None) -> OffsetTable | None:
    """The file of progress as a recording has it."""
    return None if shown is None else read_offsets(shown["offsetTable"])


def read_delay_file(shown: Mapping[str, Any] | None) -> Mapping[str, int] | None:
    """The file of delay offsets as a recording has it."""
    return None if shown is None else shown["offsetTable"]


def describe(node: NodeTables) -> dict[str, Any]:
    """The fields of an event that shows these tables."""
    tables = node.tables
    return {
        "topics": frozenset(tables.topics.entries),
        "topic_data_version_counter": tables.topics.version.counter,
        "consumer_offsets": tables.offsets,
        "subscription_groups": tables.groups.entries,
        "subscription_group_data_version_counter": tables.groups.version.counter,
        "delay_offsets_in_memory": tables.delay_offsets,
        "delay_offset_file": tables.delay_file,
        "consumer_offset_file": tables.offset_file,
        "slave_synchronize_master_addr": tables.master_address,
        "ha_master_address": node.ha_master or "null",
    }


NOTHING = NodeTables(BrokerTables(VersionedTable(DataVersion(0)), VersionedTable(DataVersion(0))))
"""A broker without anything."""

READERS: Mapping[str, Callable[[Any], Any]] = {
    "topics": lambda shown: frozenset(str(topic) for topic in shown),
    "consumer_offsets": read_offsets,
    "consumer_offset_file": read_offset_file,
    "delay_offset_file": read_delay_file,
}
"""How fields are read that are not compared as they are."""


def read_shown(explanation: Explanation, event: Event) -> dict[str, Any]:
    """What an event shows of a broker's tables.

    A file or an address that is left out is not there, where addresses are shown at all.
    """
    shown = dict(event.data)
    if "ha_master_address" in shown:
        shown.setdefault("slave_synchronize_master_addr", None)
    if is_ha_address_configured(explanation, event["node"]):
        shown.pop("ha_master_address", None)
    fields = [name for name in describe(NOTHING) if name in shown]
    try:
        return {name: READERS.get(name, lambda value: value)(shown[name]) for name in fields}
    except (TypeError, ValueError, KeyError, AttributeError) as problem:
        raise Blocked(f"the tables cannot be read: {problem}") from problem


def is_ha_address_configured(explanation: Explanation, name: str) -> bool:
    """The slave does not learn it, and how a recording writes it is left open (R-NS-04)."""
    config = explanation.plan.recording.config["nodes"].get(name, {})
    return "haMasterAddress" in config.get("store_config", {})


def keep_agreeing(explanation: Explanation, event: Event) -> Explanation:
    """Only the worlds that agree with what an event shows of its broker's tables."""
    shown = read_shown(explanation, event)
    worlds = explanation.tables.worlds
    for name, value in shown.items():
        expected = [describe(world[event["node"]])[name] for world in worlds]
        pairs = zip(worlds, expected, strict=True)
        left = tuple(world for world, each in pairs if each == value)
        if not left:
            raise Blocked(f"{name} is {show(value)}, but {show(expected[0])} by the model")
        worlds = left
    side = evolve(explanation.tables, worlds=worlds)
    return evolve(explanation, tables=side).count_check(len(shown))


def show(value: object) -> str:
    """A value in a message."""
    return repr(sorted(value)) if isinstance(value, frozenset) else repr(value)


def follow_commit(explanation: Explanation, event: Event) -> Explanation:
    """Progress is stored in memory."""
    key = name_key(event["topic"], event["group"])
    return change_worlds(
        explanation, event, lambda tables: tables.commit(key, event["queue"], event["offset"])
    )


def follow_pull(explanation: Explanation, event: Event) -> Explanation:
    """A pull makes an unknown group, and on a master it may carry progress (R-PM-08)."""
    if event["response_code"] not in NO_GROUP_CODES:
        explanation = change_worlds(
            explanation, event, lambda tables: make_group(tables, event["group"], event.t_ms)
        )
    offset = event.data.get("commit_offset")
    is_master = event["node"] == explanation.plan.master
    if offset is None or not is_master or event["next_begin_offset"] == REFUSED:
        return explanation
    key = name_key(event["topic"], event["group"])
    return change_worlds(
        explanation, event, lambda tables: tables.commit(key, event["queue"], offset)
    )


def make_group(tables: BrokerTables, group: str, now_ms: float) -> BrokerTables:
    """The tables with a group (SubscriptionGroupManager#findSubscriptionGroupConfig)."""
    if group in tables.groups.entries:
        return tables
    entry = write_group(DEFAULT_GROUP.broker_id, DEFAULT_GROUP.slow_broker_id)
    return evolve(tables, groups=tables.groups.put(group, entry, now_ms))


def write_group(broker_id: int, slow_broker_id: int) -> dict[str, int]:
    """A group as a recording shows it."""
    return {"broker_id": broker_id, "which_broker_when_consume_slowly": slow_broker_id}


def follow_topic(explanation: Explanation, event: Event) -> Explanation:
    """A topic is made; the broker registers it at once, and learns from the answer (R-NS-03)."""
    explanation = change_worlds(
        explanation,
        event,
        lambda tables: evolve(tables, topics=tables.topics.put(event["topic"], None, event.t_ms)),
    )
    return follow_registration(explanation, event)


def follow_group(explanation: Explanation, event: Event) -> Explanation:
    """A group is made or replaced."""
    entry = write_group(event["broker_id"], event["which_broker_when_consume_slowly"])
    return change_worlds(
        explanation,
        event,
        lambda tables: evolve(tables, groups=tables.groups.put(event["group"], entry, event.t_ms)),
    )


def follow_send(explanation: Explanation, event: Event) -> Explanation:
    """A message that was taken has made its topic if there was none; a slave takes none."""
    if event["node"] != explanation.plan.master or event.data.get("queue_offset") is None:
        return explanation

    def make_topic(tables: BrokerTables) -> BrokerTables:
        if event["topic"] in tables.topics.entries:
            return tables
        return evolve(tables, topics=tables.topics.put(event["topic"], None, event.t_ms))

    return change_worlds(explanation, event, make_topic)


def follow_put(explanation: Explanation, event: Event) -> Explanation:
    """A delayed message will be delivered later."""
    level = event.data.get("delay_level")
    if not level or event.data.get("queue_offset") is None:
        return explanation
    delayed = explanation.tables.delayed
    counted = {**delayed, str(level): delayed.get(str(level), 0) + 1}
    return evolve(explanation, tables=evolve(explanation.tables, delayed=counted))


def follow_copy(explanation: Explanation, event: Event) -> Explanation:
    """A slave was told to copy; it does nothing without a master (R-MS-03)."""
    name, master = event["node"], explanation.plan.master
    is_there = is_master_there(explanation)

    def copy(world: World) -> World:
        source = world[master].tables if is_there else None
        return change_tables(world, name, sync_all(world[name].tables, source))

    worlds = tuple(copy(world) for world in explanation.tables.worlds)
    return evolve(explanation, tables=evolve(explanation.tables, worlds=worlds))


def follow_registration(explanation: Explanation, event: Event) -> Explanation:
    """A broker registers; a slave takes what it is told of its master, even nothing (R-NS-03)."""
    if event["node"] == explanation.plan.master:
        return explanation
    side = explanation.tables
    name = event["node"]
    worlds = tuple(
        {**world, name: world[name].tell(answer)}
        for world in side.worlds
        for answer in list_registration_answers(explanation)
    )
    return evolve(explanation, tables=evolve(side, worlds=worlds))


def follow_persist(explanation: Explanation, event: Event) -> Explanation:
    """Progress is written; a clean stop does it too (R-CO-03)."""
    return change_worlds(explanation, event, BrokerTables.persist_offsets)


def follow_end(explanation: Explanation, event: Event) -> Explanation:
    """A process has ended; the name server sees its channels close (R-NS-05)."""
    side = explanation.tables
    started_ms = {name: ms for name, ms in side.started_ms.items() if name != event["node"]}
    registry = remove(side.registry, name_address(event["node"]))
    return evolve(explanation, tables=evolve(side, registry=registry, started_ms=started_ms))


def follow_clean_stop(explanation: Explanation, event: Event) -> Explanation:
    """A broker that stops writes its progress, and unregisters (R-BR-08)."""
    explanation = change_worlds(explanation, event, BrokerTables.persist_offsets)
    return follow_end(explanation, event)


CHANGES: Mapping[str, Callable[[Explanation, Event], Explanation]] = {
    "broker_started": follow_start,
    "tables": keep_agreeing,
    "update_consumer_offset": follow_commit,
    "query_consumer_offset": check_query,
    "pull_message": follow_pull,
    "update_topic": follow_topic,
    "update_subscription_group": follow_group,
    "send_message": follow_send,
    "put": follow_put,
    "sync_all": follow_copy,
    "register_broker": follow_registration,
    "persist_consumer_offsets": follow_persist,
    "node_stop_clean": follow_clean_stop,
    "node_kill9": follow_end,
    "process_exit": follow_end,
}
"""What each kind of event says of tables."""
