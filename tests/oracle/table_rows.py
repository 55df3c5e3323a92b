"""A row about the tables of two brokers: its calls, one after the other, on their functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import evolve

from reference.decisions.metadata import json_text, stored_broker, table_text
from reference.decisions.metadata.broker_tables import DataVersion, VersionedTable
from reference.decisions.metadata.copying import FORM_4_4_0, REQUEST_CODES
from reference.decisions.metadata.services import compute_ports
from reference.decisions.metadata.stored_broker import TABLE_NAMES, BrokerMetadata
from reference.decisions.metadata.table_text import GROUPS, TOPICS
from reference.decisions.progress.config_file import BrokenFile, Content
from reference.decisions.progress.offset_table import commit as commit_offset
from reference.decisions.progress.offset_table import name_key
from reference.decisions.reading.subscription_group import SubscriptionGroup
from tests.oracle.found import Found, Row
from tests.oracle.store_rows import RowError

BEGIN_MS = 10**12
CLUSTER, BROKER = "DefaultCluster", "broker-a"
ADDRESSES = {"10.0.0.1": "m", "10.0.0.2": "s"}
REQUEST_TIMEOUT_MS = FORM_4_4_0.request_timeout_ms
SHOWN_CHARACTERS = 60
LETTERS = {TOPICS: "T", GROUPS: "G"}


class Pair:
    """One row: both brokers, the clock, and the names of time stamps."""

    def __init__(self, row: Row) -> None:
        is_made = row["input"].get("autoCreateSubscriptionGroup", True)
        self.now_ms = BEGIN_MS
        self.brokers: dict[str, BrokerMetadata] = {}
        for name in ("m", "s"):
            self.tick()
            made = stored_broker.make_broker(CLUSTER, BROKER, self.now_ms)
            self.brokers[name] = evolve(made, is_group_made_by_consumers=is_made)
        self.set_master(row["input"]["master_address"])
        self.stamps: dict[str, dict[float, str]] = {TOPICS: {}, GROUPS: {}}

    def tick(self) -> None:
        """Time passes between two calls."""
        self.now_ms += 2

    def set_master(self, address: str | None) -> None:
        """The slave is told its master."""
        slave = self.brokers["s"]
        self.brokers["s"] = evolve(slave, tables=evolve(slave.tables, master_address=address))

    def write_version(self, name: str, version: list[Any]) -> list[Any]:
        """A version; time stamps of the clock by a letter and a number."""
        stamp, counter = version
        if stamp < BEGIN_MS:
            return [stamp, counter]
        stamps = self.stamps[name]
        return [stamps.setdefault(stamp, f"{LETTERS[name]}{len(stamps) + 1}"), counter]


def write_topic(topic: table_text.TopicConfig) -> dict[str, Any]:
    """A topic."""
    return {
        "read": topic.read_queues,
        "write": topic.write_queues,
        "perm": topic.permission,
        "order": topic.is_order,
    }


def write_group(group: SubscriptionGroup) -> dict[str, Any]:
    """A group."""
    return {
        "consumeEnable": group.is_consume_enabled,
        "consumeFromMinEnable": group.is_consume_from_min_enabled,
        "consumeBroadcastEnable": group.is_broadcast_enabled,
        "retryQueueNums": group.retry_queues,
        "retryMaxTimes": group.retries_max,
        "brokerId": group.broker_id,
        "whichBrokerWhenConsumeSlowly": group.slow_broker_id,
    }


WRITERS: Mapping[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    TOPICS: (table_text.read_topic, write_topic),
    GROUPS: (table_text.read_group, write_group),
}


def list_built_in(broker: BrokerMetadata, name: str) -> Mapping[str, Any]:
    """What rows only count."""
    return broker.built_in_topics if name == TOPICS else table_text.BUILT_IN_GROUPS


def name_numbers(value: Any) -> Any:
    """A table with all its keys as names."""
    if not isinstance(value, Mapping):
        return value
    return {str(key): name_numbers(each) for key, each in value.items()}


def show_text(text: str) -> str:
    """A text that is no table, with its time stamp left out."""
    shown = text
    if len(text) > SHOWN_CHARACTERS:
        shown = f"{text[:SHOWN_CHARACTERS]}...({len(text)})"
    return re.sub(r'"timestamp":\d*', '"timestamp":<ms>', f"text: {shown}")


@lru_cache(maxsize=1000)
def read_text(text: str) -> Any:
    """A text of a file, which most calls leave as it is; nobody changes what is read."""
    return json_text.read(text)


def write_content(pair: Pair, broker: BrokerMetadata, name: str, content: Content) -> Any:
    """A file, as rows write it."""
    if isinstance(content, BrokenFile):
        return content.value
    try:
        found = read_text(content)
    except json_text.TextError:
        return show_text(content)
    if not isinstance(found, Mapping):
        return show_text(content)
    table = found.get(table_text.FIELDS[name])
    if name not in WRITERS:
        return {"table": name_numbers(table)}
    version = found.get(table_text.VERSION)
    if table is None or version is None:
        return show_text(content)
    read, write = WRITERS[name]
    built_in = list_built_in(broker, name)
    return {
        "table": {key: write(read(each)) for key, each in table.items() if key not in built_in},
        "version": pair.write_version(name, [version["timestamp"], version["counter"]]),
        "system_entries": sum(key in built_in for key in table),
    }


def write_table(pair: Pair, broker: BrokerMetadata, name: str) -> dict[str, Any]:
    """Topics or groups in memory."""
    table = stored_broker.get_table(broker, name)
    built_in, (_, write) = list_built_in(broker, name), WRITERS[name]
    own = {key: write(each) for key, each in table.entries.items() if key not in built_in}
    version = [table.version.timestamp_ms, table.version.counter]
    return {
        name: own,
        f"{name}_version": pair.write_version(name, version),
        f"system_{name}": sum(key in built_in for key in table.entries),
    }


def write_broker(pair: Pair, letter: str) -> dict[str, Any]:
    """Everything that rows tell of a broker."""
    broker = pair.brokers[letter]
    tables = broker.tables
    told = {
        **write_table(pair, broker, TOPICS),
        **write_table(pair, broker, GROUPS),
        "offsets": None if broker.is_offset_table_null else name_numbers(tables.offsets),
        "delay": name_numbers(tables.delay_offsets),
        "master_address": tables.master_address,
    }
    for name in TABLE_NAMES:
        files = broker.files[name]
        contents = {"file": files.main, "bak": files.backup, "tmp": files.temporary}
        for kind, content in contents.items():
            told[f"{kind}.{name}"] = write_content(pair, broker, name, content)
    return {f"{letter}.{key}": value for key, value in told.items()}


def write_state(pair: Pair) -> dict[str, Any]:
    """Everything that rows tell of both."""
    return {**write_broker(pair, "m"), **write_broker(pair, "s")}


def topic(pair: Pair, letter: str, name: str, data: list[int]) -> Any:
    """``topic``."""
    read, write, permission = data
    made = table_text.TopicConfig(
        name=name, read_queues=read, write_queues=write, permission=permission
    )
    broker = pair.brokers[letter]
    pair.brokers[letter] = stored_broker.put_entry(broker, TOPICS, name, made, pair.now_ms)


def delete_topic(pair: Pair, letter: str, name: str) -> Any:
    """``delete_topic``."""
    broker = pair.brokers[letter]
    pair.brokers[letter] = stored_broker.delete_entry(broker, TOPICS, name, pair.now_ms)


def group(pair: Pair, letter: str, name: str, options: Row) -> Any:
    """``group``."""
    made = table_text.read_group(options)
    broker = pair.brokers[letter]
    pair.brokers[letter] = stored_broker.put_entry(broker, GROUPS, name, made, pair.now_ms)


def delete_group(pair: Pair, letter: str, name: str) -> Any:
    """``delete_group``."""
    broker = pair.brokers[letter]
    pair.brokers[letter] = stored_broker.delete_entry(broker, GROUPS, name, pair.now_ms)


def disable_group(pair: Pair, letter: str, name: str) -> Any:
    """``disable_group``."""
    broker = pair.brokers[letter]
    pair.brokers[letter] = stored_broker.disable_group(broker, name, pair.now_ms)


def find_group(pair: Pair, letter: str, name: str) -> Any:
    """``find_group``."""
    broker = pair.brokers[letter]
    pair.brokers[letter], found = stored_broker.find_group(broker, name, pair.now_ms)
    return None if found is None else write_group(found)


def commit(pair: Pair, letter: str, name: str, group: str, *place: int) -> Any:
    """``commit``: a queue and an offset."""
    broker = pair.brokers[letter]
    queue, offset = place
    offsets = commit_offset(broker.tables.offsets, name_key(name, group), queue, offset)
    pair.brokers[letter] = evolve(broker, tables=evolve(broker.tables, offsets=offsets))


def query(pair: Pair, letter: str, name: str, group: str, queue: int) -> Any:
    """``query``: -1 where nothing is stored."""
    offsets = pair.brokers[letter].tables.offsets
    return offsets.get(name_key(name, group), {}).get(queue, -1)


def delay(pair: Pair, letter: str, level: int, offset: int) -> Any:
    """``delay``."""
    broker = pair.brokers[letter]
    offsets = {**broker.tables.delay_offsets, str(level): offset}
    pair.brokers[letter] = evolve(broker, tables=evolve(broker.tables, delay_offsets=offsets))


def version(pair: Pair, letter: str, name: str, stamp: int, counter: int) -> Any:
    """``version``."""
    broker = pair.brokers[letter]
    entries = stored_broker.get_table(broker, name).entries
    table = VersionedTable(DataVersion(stamp, counter), entries)
    pair.brokers[letter] = stored_broker.change(broker, name, table)


def persist(pair: Pair, letter: str, name: str) -> Any:
    """``persist``."""
    for each in TABLE_NAMES if name == "all" else (name,):
        pair.brokers[letter] = stored_broker.persist(pair.brokers[letter], each)


def restart(pair: Pair, letter: str) -> Any:
    """``restart``."""
    broker = pair.brokers[letter]
    pair.brokers[letter], results = stored_broker.restart(broker, pair.now_ms)
    return results


def damage(pair: Pair, letter: str, name: str, kind: str, how: str) -> Any:
    """``damage``: the length of a text that is cut, and what is kept of it."""
    broker = pair.brokers[letter]
    files = broker.files[name]
    old, result = files.backup if kind == "bak" else files.main, None
    kept: Content
    if how in ("missing", "empty"):
        kept = BrokenFile(how)
    elif how.startswith("text:"):
        kept = how.removeprefix("text:") or BrokenFile.EMPTY
    else:
        if old is BrokenFile.MISSING:
            return "no_file"
        text = old if isinstance(old, str) else ""
        way, count = how.split(":")
        length = min(len(text), int(count)) if way == "cut" else max(0, len(text) - int(count))
        kept, result = text[:length] or BrokenFile.EMPTY, {"length": len(text), "kept": length}
    damaged = evolve(files, backup=kept) if kind == "bak" else evolve(files, main=kept)
    pair.brokers[letter] = evolve(broker, files={**broker.files, name: damaged})
    return result


def set_master(pair: Pair, address: str) -> Any:
    """``set_master``."""
    pair.set_master(address)


def sync(pair: Pair, scripted: Row | None = None) -> Any:
    """``sync``: whom the slave has asked what."""
    slave, asked = pair.brokers["s"], []
    address = str(slave.tables.master_address)
    host, _, port = address.partition(":")
    script = scripted or {}

    def ask(step: str) -> str | None:
        code = REQUEST_CODES[step]
        vip = compute_ports(int(port)).vip
        asked.append([code, f"{host}:{vip}" if step == "topics" else address, REQUEST_TIMEOUT_MS])
        answer = script.get(str(code), script.get("all"))
        if answer is not None:
            is_body = answer.startswith("body:")
            return answer.removeprefix("body:") if is_body else None
        letter = ADDRESSES.get(host)
        return None if letter is None else stored_broker.answer_copy(pair.brokers[letter], step)

    pair.brokers["s"] = stored_broker.copy_all(slave, ask, pair.now_ms)
    return {"asked": asked}


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        topic,
        delete_topic,
        group,
        delete_group,
        disable_group,
        find_group,
        commit,
        query,
        delay,
        version,
        persist,
        restart,
        damage,
        set_master,
        sync,
    )
}


def list_initial(state: Mapping[str, Any]) -> dict[str, Any]:
    """What rows tell of the begin."""
    return {k: v for k, v in state.items() if k.endswith("version") or "system" in k}


def list_differences(row: Row, folder: Path) -> Iterator[Found]:
    """Every answer that differs. Raises RowError for an unknown operation."""
    pair = Pair(row)
    state = write_state(pair)
    if list_initial(state) != row["output"]["initial"]:
        yield None, "initial", row["output"]["initial"], list_initial(state)
    steps = zip(row["input"]["ops"], row["output"]["steps"], strict=True)
    for number, (op, expected) in enumerate(steps):
        function = OPERATIONS.get(op[0])
        if function is None:
            raise RowError(f"there is no operation {op[0]!r}")
        pair.tick()
        result = function(pair, *op[1:])
        if result != expected["result"]:
            yield number, "result", expected["result"], result
        before, state = state, write_state(pair)
        changed = {key: value for key, value in state.items() if value != before[key]}
        for key in sorted(changed.keys() | expected["changed"].keys()):
            if key not in changed or changed[key] != expected["changed"].get(key, before[key]):
                yield number, key, expected["changed"].get(key, "unchanged"), state[key]
