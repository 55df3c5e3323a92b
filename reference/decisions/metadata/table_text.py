"""The four tables of a broker as texts: how they are written and read.

These texts are in the files of ``config/`` and, on one line, in the answers to a slave's copy. The
tables and texts of topics and groups include a broker's built-in entries.
Source: #encode and #decode of TopicConfigManager, SubscriptionGroupManager, ConsumerOffsetManager
and ScheduleMessageService, and TopicConfig of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, fields, frozen

from reference.decisions.hash_order import order_as_listed
from reference.decisions.metadata import json_text
from reference.decisions.metadata.broker_tables import DataVersion, DelayOffsets
from reference.decisions.metadata.json_text import TextError
from reference.decisions.progress.offset_table import OffsetTable
from reference.decisions.reading.subscription_group import OPTIONS, SubscriptionGroup

TOPICS, GROUPS, OFFSETS, DELAY = "topics", "groups", "offsets", "delay"
"""Names of the tables in this package."""
FIELDS: Mapping[str, str] = {
    TOPICS: "topicConfigTable",
    GROUPS: "subscriptionGroupTable",
    OFFSETS: "offsetTable",
    DELAY: "offsetTable",
}
"""The field of a text that contains the table."""
VERSION = "dataVersion"
NAME_BUCKETS, KEY_BUCKETS, NUMBER_BUCKETS = 2048, 1024, 64
"""Initial numbers of buckets of tables by name, of progress and by number."""


def _option(name: str, default: Any) -> Any:
    return field(default=default, metadata={"option": name})


@frozen
class TopicConfig:
    """``TopicConfig`` with its defaults."""

    is_order: bool = _option("order", False)
    permission: int = _option("perm", 6)
    read_queues: int = _option("readQueueNums", 16)
    filter_type: str = _option("topicFilterType", "SINGLE_TAG")
    name: str | None = _option("topicName", None)
    sys_flag: int = _option("topicSysFlag", 0)
    write_queues: int = _option("writeQueueNums", 16)


TOPIC_OPTIONS: Mapping[str, str] = {
    each.metadata["option"]: each.name for each in fields(TopicConfig)
}
"""Field by name in the text."""


@frozen
class BuiltIn:
    """The settings that decide about built-in topics (``BrokerConfig``)."""

    default_queues: int = 8
    """``defaultTopicQueueNums``."""
    is_topic_made_by_sends: bool = True
    """``autoCreateTopicEnable``: there is a topic after which others are made."""
    is_cluster_open: bool = True
    """``clusterTopicEnable``: messages may be sent to the topic with the cluster's name."""
    is_broker_open: bool = True
    """``brokerTopicEnable``: the same for the broker's name."""
    trace_topic: str | None = None
    """``msgTraceTopicName``, with ``traceTopicEnable``."""


USUAL_BUILT_IN = BuiltIn()


def list_built_in_topics(
    cluster: str, broker: str, told: BuiltIn = USUAL_BUILT_IN
) -> dict[str, TopicConfig]:
    """The topics that a broker creates at its start (``TopicConfigManager``)."""
    queues, inherited, whole = told.default_queues, 1, 7
    pattern = TopicConfig(name="TBW102", read_queues=queues, write_queues=queues, permission=whole)
    made = (
        TopicConfig(name="SELF_TEST_TOPIC", read_queues=1, write_queues=1),
        *([pattern] if told.is_topic_made_by_sends else []),
        TopicConfig(name="BenchmarkTest", read_queues=1024, write_queues=1024),
        TopicConfig(name=cluster, permission=whole if told.is_cluster_open else inherited),
        TopicConfig(
            name=broker,
            read_queues=1,
            write_queues=1,
            permission=whole if told.is_broker_open else inherited,
        ),
        TopicConfig(name="OFFSET_MOVED_EVENT", read_queues=1, write_queues=1),
    )
    traced = told.trace_topic
    trace = [TopicConfig(name=traced, read_queues=1, write_queues=1)] if traced else []
    return {str(topic.name): topic for topic in (*made, *trace)}


BUILT_IN_GROUPS: Mapping[str, SubscriptionGroup] = dict.fromkeys(
    (
        "TOOLS_CONSUMER",
        "FILTERSRV_CONSUMER",
        "SELF_TEST_C_GROUP",
        "CID_ONS-HTTP-PROXY",
        "CID_ONSAPI_PULL",
        "CID_ONSAPI_PERMISSION",
        "CID_ONSAPI_OWNER",
    ),
    SubscriptionGroup(),
)
"""The groups that a broker creates at its start (``SubscriptionGroupManager#init``)."""


def list_ordered(table: Mapping[Any, Any], buckets: int) -> dict[Any, Any]:
    """A table in the order in which ConcurrentHashMap lists it."""
    return {key: table[key] for key in order_as_listed(table, buckets)}


def write_version(version: DataVersion) -> dict[str, int]:
    """``DataVersion`` as an object."""
    return {"counter": version.counter, "timestamp": int(version.timestamp_ms)}


def write_topics(
    version: DataVersion, topics: Mapping[str, TopicConfig], *, is_pretty: bool
) -> str:
    """``TopicConfigManager#encode``."""
    table = {
        name: {option: getattr(topic, key) for option, key in TOPIC_OPTIONS.items()}
        for name, topic in list_ordered(topics, NAME_BUCKETS).items()
    }
    whole = {VERSION: write_version(version), FIELDS[TOPICS]: table}
    return json_text.write(whole, is_pretty=is_pretty)


def write_groups(
    version: DataVersion, groups: Mapping[str, SubscriptionGroup], *, is_pretty: bool
) -> str:
    """``SubscriptionGroupManager#encode``."""
    table = {}
    for name, group in list_ordered(groups, NAME_BUCKETS).items():
        options = {option: getattr(group, key) for option, key in OPTIONS.items()}
        table[name] = dict(sorted({**options, "groupName": name}.items()))
    whole = {VERSION: write_version(version), FIELDS[GROUPS]: table}
    return json_text.write(whole, is_pretty=is_pretty)


def write_offsets(offsets: OffsetTable | None, *, is_pretty: bool) -> str:
    """``ConsumerOffsetManager#encode``; without a table an empty object."""
    if offsets is None:
        return json_text.write({}, is_pretty=is_pretty)
    table = {
        key: list_ordered(queues, NUMBER_BUCKETS)
        for key, queues in list_ordered(offsets, KEY_BUCKETS).items()
    }
    return json_text.write({FIELDS[OFFSETS]: table}, is_pretty=is_pretty)


def write_delay(offsets: DelayOffsets, *, is_pretty: bool) -> str:
    """``ScheduleMessageService#encode``."""
    numbers = {int(level): offset for level, offset in offsets.items()}
    table = list_ordered(numbers, NUMBER_BUCKETS)
    return json_text.write({FIELDS[DELAY]: table}, is_pretty=is_pretty)


@frozen
class ReadTable:
    """The table read from a text."""

    entries: Mapping[Any, Any] | None
    """None: the text says that there is no table (``null``)."""
    version: DataVersion


def is_version_read(name: str, *, is_version_kept: bool) -> bool:
    """The reader takes over the version in the text; that of a file of groups may begin anew."""
    return name == TOPICS or (name == GROUPS and is_version_kept)


def read_table(
    name: str, text: str, now_ms: float, *, is_version_kept: bool = False
) -> ReadTable | None:
    """The table of this kind in a text; one that it does not name is empty.

    ``is_version_kept``: the version of groups is read, as in an answer, and in a file from 5.3.1
    on. None: the text has no object, but is no error either. A version that is not read begins now.
    Raises TextError where reading throws.
    """
    whole = json_text.read_object(text)
    if whole is None:
        return None
    version = DataVersion(now_ms)
    if VERSION in whole and is_version_read(name, is_version_kept=is_version_kept):
        version = read_version(whole[VERSION])
    table = whole.get(FIELDS[name], {})
    if table is None:
        return ReadTable(None, version)
    if not isinstance(table, Mapping):
        raise TextError("not a table")
    reads = {TOPICS: read_topic, GROUPS: read_group, OFFSETS: read_queues, DELAY: read_number}
    keyed = {read_key(name, key): reads[name](entry) for key, entry in table.items()}
    return ReadTable(keyed, version)


def read_version(told: Any) -> DataVersion:
    """``DataVersion``; a missing field begins anew, and a missing version throws later (no row)."""
    if not isinstance(told, Mapping):
        raise TextError("not a version")
    return DataVersion(read_number(told.get("timestamp", 0)), read_number(told.get("counter", 0)))


def read_key(name: str, key: str | int) -> str:
    """Names need quotes; numbers may have them."""
    if name == DELAY:
        return str(read_number(key))
    if not isinstance(key, str):
        raise TextError("a name without quotes")
    return key


def read_number(told: Any) -> int:
    """A number, with or without quotes."""
    if isinstance(told, bool) or not isinstance(told, int | str):
        raise TextError("not a number")
    try:
        return int(told)
    except ValueError as error:
        raise TextError("not a number") from error


def read_queues(told: Any) -> dict[int, int]:
    """Progress by queue: ``null`` cannot be an entry of the table."""
    if not isinstance(told, Mapping):
        raise TextError("not a table of queues")
    return {read_number(queue): read_number(offset) for queue, offset in told.items()}


def read_topic(told: Any) -> TopicConfig:
    """A topic; missing fields are as in a new one."""
    if not isinstance(told, Mapping):
        raise TextError("not a topic")
    return TopicConfig(**{TOPIC_OPTIONS[key]: told[key] for key in told if key in TOPIC_OPTIONS})


def read_group(told: Any) -> SubscriptionGroup:
    """A group; missing fields are as in a new one."""
    if not isinstance(told, Mapping):
        raise TextError("not a group")
    return SubscriptionGroup(**{OPTIONS[key]: told[key] for key in told if key in OPTIONS})
