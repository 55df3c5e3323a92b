"""Looks at the tables of recorded brokers: at their start, and later."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve

from brokers.recordings.kinds import END_KINDS
from brokers.recordings.reading import Event
from brokers.recordings.tables.clients import drop_free, take_free_progress
from brokers.recordings.tables.delays import (
    count_shown,
    is_memory_fixed,
    keep_agreeing_delays,
)
from brokers.recordings.tables.symbols import is_named, name_stamp
from brokers.recordings.tables.topics import BUILT_IN, TopicSide, find_own_topics
from brokers.recordings.tables.worlds import (
    NodeTables,
    World,
    freeze,
    list_told,
    name_address,
    name_ha_address,
)
from brokers.recordings.view import Blocked, View
from reference.decisions.metadata.broker_tables import BrokerTables, DataVersion, VersionedTable
from reference.decisions.metadata.copying import choose_form
from reference.decisions.metadata.table_text import BUILT_IN_GROUPS
from reference.decisions.name_server.registry import RegisterBrokerRequest, register
from reference.decisions.progress.offset_table import OffsetTable
from reference.decisions.reading.subscription_group import DEFAULT_GROUP, SubscriptionGroup
from reference.releases.known_differences import GROUPS_KEEP_THEIR_VERSION
from reference.roles import MASTER_ID

BROKER_NAME = "b0"
"""Master and slaves of a group share it; which name it is makes no difference."""


def make_registration(name: str, broker_id: int, version: DataVersion) -> RegisterBrokerRequest:
    """What a broker of the group sends to the name server, without its topics."""
    return RegisterBrokerRequest(
        BROKER_NAME, broker_id, name_address(name), name_ha_address(name), version
    )


def follow_start(view: View, event: Event) -> View:
    """A broker has started: as shown the first time, with what its files keep later."""
    name = event["node"]
    is_first = name not in view.tables.worlds[0]
    if not is_first:
        view = keep_agreeing_file(view, event)
    side = view.tables
    is_master = name == view.plan.master
    request = make_registration(name, MASTER_ID if is_master else 1, DataVersion(event.t_ms))
    registry, answer = register(side.registry, request, event.t_ms)
    shown = read_first_tables(view, event) if is_first else read_tables(event)
    first = make_first(shown, is_delay_known=is_memory_fixed(view, name))
    worlds = tuple(
        {**world, name: node.tell(told)}
        for world in side.worlds
        for node in ([first] if is_first else list_restarted(view, world, event))
        for told in list_told(side, name, node, (answer,))
    )
    side = evolve(
        side,
        worlds=worlds,
        registry=registry,
        killed=side.killed - {name},
        own_masters=frozenset() if is_master else side.own_masters,
        started_ms={**side.started_ms, name: event.t_ms},
        begun_ms={**side.begun_ms, name: view.plan.logs.begun_ms.get(event.seq, event.t_ms)},
        symbols=side.symbols.add_start(name_stamp(event.t_ms)),
        form=choose_form(view.plan.version.release),
    )
    if is_first:
        files = {**side.files, name: {freeze(shown.offset_file): shown.offset_file}}
        delayed = count_shown(side.delayed, shown.delay_offsets)
        side = evolve(side, files=files, delayed=delayed)
    return keep_agreeing(evolve(view, tables=side), event)


def make_first(tables: BrokerTables, *, is_delay_known: bool) -> NodeTables:
    """A broker that is seen for the first time; a file of topics there is after a change only."""
    is_new = tables.topics.version.counter == 0
    file = None if is_new else tables.topics
    built_in = tables.topics.entries if is_new else {}
    topics = TopicSide(tables.topics, file=file, built_in=built_in)
    return NodeTables(tables, topics, is_delay_known=is_delay_known)


def list_restarted(view: View, world: World, event: Event) -> Iterator[NodeTables]:
    """What a new process may have read from the files.

    What was written last may be gone if the machine has lost power, or the recorder has changed
    the files, which he remarks.
    """
    name, side = event["node"], view.tables
    node, may_lack = world[name], side.are_files_open or has_lost_power(view, event)
    is_kept = view.plan.version.has(GROUPS_KEEP_THEIR_VERSION)
    for content in side.files[name].values():
        left = evolve(node.tables, offset_file=content)
        tables = left.restart(event.t_ms, is_groups_version_kept=is_kept)
        for topics in node.topics.restart(name_stamp(event.t_ms), may_lack=may_lack):
            yield NodeTables(tables, topics).change_topics(topics)


def has_lost_power(view: View, start: Event) -> bool:
    """The end before a start was a power loss, as its surgery tells."""
    ends = [
        event.seq
        for event in view.plan.recording.events
        if event.kind in END_KINDS and event["node"] == start["node"] and event.seq < start.seq
    ]
    return bool(ends) and ends[-1] in view.plan.surgeries


def read_tables(event: Event) -> BrokerTables:
    """The tables of a broker that was never seen before, as it shows them."""
    data = event.data
    try:
        topics = dict.fromkeys(str(topic) for topic in data.get("topics", ()))
        groups = dict(data.get("subscription_groups", {}))
        counter = int(data.get("topic_data_version_counter", 0))
        topics_version = DataVersion(name_stamp(event.t_ms), counter)
        counter = int(data.get("subscription_group_data_version_counter", 0))
        return BrokerTables(
            topics=VersionedTable(topics_version, topics),
            groups=VersionedTable(DataVersion(event.t_ms, counter), groups),
            offsets=read_offsets(data.get("consumer_offsets", {})),
            offset_file=read_offset_file(data),
            delay_offsets=read_numbers(data.get("delay_offsets_in_memory", {})),
            delay_file=read_delay_file(data.get("delay_offset_file")),
        )
    except (TypeError, ValueError, KeyError, AttributeError) as problem:
        raise Blocked(f"the tables cannot be read: {problem}") from problem


def read_first_tables(view: View, event: Event) -> BrokerTables:
    """The tables of a broker that was never seen before; what it does not show is as built in."""
    shown = read_tables(event)
    if "topics" not in event.data:
        names = BUILT_IN | find_own_topics(view.plan)
        shown = evolve(shown, topics=evolve(shown.topics, entries=dict.fromkeys(sorted(names))))
    if "subscription_groups" not in event.data:
        group = describe_group(DEFAULT_GROUP)
        groups = {name: dict(group) for name in BUILT_IN_GROUPS}
        shown = evolve(shown, groups=evolve(shown.groups, entries=groups))
    return shown


def read_numbers(shown: Mapping[str, Any]) -> Mapping[str, int]:
    """A table of numbers as a recording has it."""
    for name, number in shown.items():
        if type(number) is not int:
            raise TypeError(f"{name} is {number!r}")
    return shown


def read_offsets(shown: Mapping[str, Mapping[str, int]]) -> OffsetTable:
    """Progress as a recording has it."""
    return {
        key: {int(queue): offset for queue, offset in read_numbers(queues).items()}
        for key, queues in shown.items()
    }


def read_offset_file(data: Mapping[str, Any]) -> OffsetTable | None:
    """The file of progress as an event has it: parsed, or as it is written; None: neither."""
    if "consumer_offset_file" in data:
        return read_offsets(data["consumer_offset_file"]["offsetTable"])
    raw = data.get("consumer_offset_file_raw")
    return None if raw is None else read_offsets(parse_offset_file(raw))


def parse_offset_file(raw: str) -> Mapping[str, Any]:
    """The table of a file of progress, in which fastjson writes bare numbers for keys."""
    quoted = re.sub(r"([{,]\s*)(\d+)\s*:", r'\1"\2":', raw)
    table: Mapping[str, Any] = json.loads(quoted).get("offsetTable", {})
    return table


def read_delay_file(shown: Mapping[str, Any] | None) -> Mapping[str, int] | None:
    """The file of delay offsets as a recording has it."""
    return None if shown is None else read_numbers(shown["offsetTable"])


def describe_group(group: SubscriptionGroup) -> dict[str, int]:
    """A group as a recording shows it."""
    return {
        "broker_id": group.broker_id,
        "which_broker_when_consume_slowly": group.slow_broker_id,
    }


def describe(node: NodeTables) -> dict[str, Any]:
    """The fields of an event that shows these tables."""
    tables = node.tables
    return {
        "topics": frozenset(tables.topics.entries),
        "topic_data_version_counter": tables.topics.version.counter,
        "consumer_offsets": tables.offsets,
        "subscription_groups": tables.groups.entries,
        "subscription_group_data_version_counter": tables.groups.version.counter,
        "slave_synchronize_master_addr": tables.master_address,
        "ha_master_address": node.ha_master or "null",
    }


SHOWN_FIELDS = (
    "topics",
    "topic_data_version_counter",
    "consumer_offsets",
    "subscription_groups",
    "subscription_group_data_version_counter",
    "slave_synchronize_master_addr",
    "ha_master_address",
)
"""The fields of ``describe``, in the order in which they are looked at."""

READERS: Mapping[str, Callable[[Any], Any]] = {
    "topics": lambda shown: frozenset(str(topic) for topic in shown),
    "consumer_offsets": read_offsets,
}
"""How fields are read that are not compared as they are."""


def read_shown(view: View, event: Event) -> dict[str, Any]:
    """What an event shows of a broker's tables.

    A master's address that is left out is not there, where other addresses are shown.
    """
    shown = dict(event.data)
    if "ha_master_address" in shown:
        shown.setdefault("slave_synchronize_master_addr", None)
    if is_ha_address_configured(view, event["node"]):
        shown.pop("ha_master_address", None)
    fields = [name for name in SHOWN_FIELDS if name in shown]
    try:
        return {name: READERS.get(name, lambda value: value)(shown[name]) for name in fields}
    except (TypeError, ValueError, KeyError, AttributeError) as problem:
        raise Blocked(f"the tables cannot be read: {problem}") from problem


def is_ha_address_configured(view: View, name: str) -> bool:
    """The slave does not learn it, and how a recording writes it is left open (R-NS-04)."""
    config = view.plan.recording.config["nodes"].get(name, {})
    return "haMasterAddress" in config.get("store_config", {})


ADDRESSES = ("slave_synchronize_master_addr", "ha_master_address")


def keep_agreeing(view: View, event: Event) -> View:
    """Only the worlds that agree with what an event shows of its broker's tables."""
    view = take_free_progress(view, event)
    shown = read_shown(view, event)
    worlds, symbols = view.tables.worlds, view.tables.symbols
    for name, value in shown.items():
        expected = [describe(world[event["node"]])[name] for world in worlds]
        if name in ADDRESSES:
            symbols = symbols.learn_address(value, expected)
        found = symbols.find_symbol(value)
        pairs = zip(worlds, expected, strict=True)
        left = tuple(world for world, each in pairs if each == found)
        if not left:
            raise Blocked(f"{name} is {show(value)}, but {show(expected[0])} by the model")
        worlds = left
    side = evolve(view.tables, worlds=worlds, symbols=symbols)
    view = keep_agreeing_version(evolve(view, tables=side), event)
    return keep_agreeing_delays(keep_agreeing_file(view, event), event, read_tables(event))


def keep_agreeing_version(view: View, event: Event) -> View:
    """What a look shows of the version of the topics, whose stamp is a time of the day."""
    shown = event.data.get("topic_data_version")
    if not isinstance(shown, Mapping):
        return view
    name, symbols = event["node"], view.tables.symbols
    stamp_ms, counter = (shown.get(key) for key in ("timestamp", "counter"))
    if type(stamp_ms) is not int or type(counter) is not int:
        raise Blocked("topic_data_version is no version")
    left = []
    for world in view.tables.worlds:
        version = world[name].tables.topics.version
        may_be_named = is_named(version.timestamp_ms) and symbols.may_be_stamp(
            version.timestamp_ms, stamp_ms, event.t_ms
        )
        if version.counter == counter and (version.timestamp_ms == stamp_ms or may_be_named):
            left.append(world)
    if not left:
        version = view.tables.worlds[0][name].tables.topics.version
        known = "a time of its change" if is_named(version.timestamp_ms) else version.timestamp_ms
        raise Blocked(
            f"topic_data_version is {dict(shown)!r}, but {version.counter} and {known} by the model"
        )
    return take_stamp(view, event, left, stamp_ms)


def take_stamp(view: View, event: Event, worlds: Sequence[World], stamp_ms: int) -> View:
    """A stamp that is shown for the first time is known wherever it is."""
    symbols, name, renamed = view.tables.symbols, event["node"], []
    for world in worlds:
        known = world[name].tables.topics.version.timestamp_ms
        if not is_named(known):
            renamed.append(world)
            continue
        symbols = symbols.learn_stamp(known, stamp_ms, event.t_ms)
        renamed.append({each: rename_stamp(node, known, stamp_ms) for each, node in world.items()})
    return evolve(view, tables=evolve(view.tables, worlds=tuple(renamed), symbols=symbols))


def rename_stamp(node: NodeTables, known: float, stamp_ms: int) -> NodeTables:
    """A broker with another number for one stamp."""
    return node.change_topics(node.topics.rename_stamp(known, stamp_ms))


FILE_FIELDS = frozenset({"consumer_offset_file", "consumer_offset_file_raw"})
"""Fields that show the file of progress."""


def keep_agreeing_file(view: View, event: Event) -> View:
    """What a look shows of the file of progress."""
    if not FILE_FIELDS & event.data.keys():
        return view
    name, side = event["node"], view.tables
    shown = read_tables(event).offset_file
    contents, key = side.files[name], freeze(shown)
    fixed = {freeze(drop_free(view, each)) for each in contents.values()}
    if freeze(drop_free(view, shown)) not in fixed:
        expected = next(iter(contents.values()))
        raise Blocked(f"consumer_offset_file is {shown!r}, but {expected!r} by the model")
    files = {**side.files, name: {key: shown}}
    return evolve(view, tables=evolve(side, files=files))


def show(value: object) -> str:
    """A value in a message."""
    return repr(sorted(value)) if isinstance(value, frozenset) else repr(value)
