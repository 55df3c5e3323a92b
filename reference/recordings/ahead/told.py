"""What brokers' own logs tell of their tables, and of clients whose requests nobody records.

A broker makes topics and groups by itself as well, and real clients are not recorded. Its log tells
of both, line by line in the order of the process; a recorder may have these lines or not.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

from attrs import field, frozen

from reference.recordings.kinds import END_KINDS, START_KINDS
from reference.recordings.reading import Event


class Telling(Enum):
    """What a line of a broker's log tells."""

    TOPIC_ASKED = "an administrator asks for a change of topics"
    TOPIC_MADE = "a topic has been put into the table for an administrator"
    TOPIC_MADE_ALONE = "the broker puts a topic into its table by itself, under a lock"
    TOPIC_DELETED = "a topic has been taken out of the table"
    GROUP_MADE = "a client has made a group by naming it"
    CONSUMER = "a consumer has connected"
    PRODUCER = "a producer has connected"
    FILES_TOUCHED = "the recorder has done something to the files of config/"


_TOPIC = r"TopicConfig \[topicName=(?P<name>[^,]*),"

LINES: Mapping[Telling, re.Pattern[str]] = {
    Telling.TOPIC_ASKED: re.compile(r"(?:updateAndCreateTopic|deleteTopic) called by (?P<name>)"),
    Telling.TOPIC_MADE: re.compile(
        rf"(?:create new topic \[|update topic config, old:\[.*new:\[){_TOPIC}"
    ),
    Telling.TOPIC_MADE_ALONE: re.compile(
        rf"(?:create new topic |Create new topic by default topic:\[.*config:\[){_TOPIC}"
    ),
    Telling.TOPIC_DELETED: re.compile(rf"delete topic config OK, topic: {_TOPIC}"),
    Telling.GROUP_MADE: re.compile(
        r"auto create a subscription group, SubscriptionGroupConfig \[groupName=(?P<name>[^,]*),"
    ),
    Telling.CONSUMER: re.compile(r"new consumer connected, group: (?P<name>\S+) "),
    Telling.PRODUCER: re.compile(
        r"new producer connected, group: (?!CLIENT_INNER_PRODUCER )(?P<name>\S+) "
    ),
}
"""How the lines begin in 4.4.0: TopicConfigManager#updateTopicConfig, #deleteTopicConfig,
#createTopicInSendMessageMethod, #createTopicInSendMessageBackMethod;
AdminBrokerProcessor#updateAndCreateTopic; SubscriptionGroupManager#findSubscriptionGroupConfig;
ConsumerGroupInfo#updateChannel; ProducerManager#registerProducer. Every client has a producer of its
own for messages that it sends back (CLIENT_INNER_PRODUCER)."""

FILE_OF_CONFIG = re.compile(r"\bconfig/|store/config\b|\b(?:topics|subscriptionGroup)\.json\b")
"""A remark that names one of these files tells that the recorder has done something to it."""

TABLE_LINES = frozenset(
    {
        Telling.TOPIC_ASKED,
        Telling.TOPIC_MADE,
        Telling.TOPIC_MADE_ALONE,
        Telling.TOPIC_DELETED,
    }
)
"""A broker with one of these lines in a recording has all of them there."""

BROKER_NAME = re.compile(r"The broker\[(?P<name>[^,\]]*), ")
"""A broker names itself at the end of its start (BrokerStartup#start)."""


@frozen
class Told:
    """One line."""

    seq: int
    t_ms: float
    node: str
    """The broker whose log it is; empty for a remark of the recorder."""
    what: Telling
    name: str
    """The topic or group."""


@frozen
class Logs:
    """What the logs of all brokers tell."""

    lines: tuple[Told, ...] = ()
    """In their order."""
    telling: frozenset[str] = frozenset()
    """The brokers whose logs tell every change of their topics."""
    begun_ms: Mapping[int, float] = field(factory=dict)
    """By the ``seq`` of a broker's start: the first line of its new process."""
    consumers: frozenset[str] = frozenset()
    """Groups of consumers whose requests are not recorded."""
    producers_ms: tuple[float, ...] = ()
    """When producers have connected whose messages are not recorded."""

    def list_between(self, after_seq: int, before_seq: int) -> Sequence[Told]:
        """The lines between two events."""
        seqs = [line.seq for line in self.lines]
        return self.lines[bisect_left(seqs, after_seq + 1) : bisect_left(seqs, before_seq)]

    def list_topics(self, before_seq: int) -> frozenset[str]:
        """Every topic that was made, as far as logs tell."""
        made = {Telling.TOPIC_MADE, Telling.TOPIC_MADE_ALONE}
        return frozenset(x.name for x in self.lines if x.what in made and x.seq < before_seq)


def read_logs(events: Iterable[Event], nodes: Iterable[str]) -> Logs:
    """What the logs of these brokers tell in a recording."""
    events, names = list(events), frozenset(nodes)
    lines = [line for line in map(read_line, events) if line and line.node in {*names, ""}]
    requests = {"pull_message", "update_consumer_offset"}
    recorded = {e.data.get("group") for e in events if e.kind in requests}
    are_puts_shown = any(event.kind in ("put", "send_message") for event in events)
    producers = (line.t_ms for line in lines if line.what is Telling.PRODUCER)
    consumers = {line.name for line in lines if line.what is Telling.CONSUMER}
    return Logs(
        lines=tuple(lines),
        telling=frozenset(line.node for line in lines if line.what in TABLE_LINES),
        begun_ms=dict(_list_begins(events)),
        consumers=frozenset(consumers - recorded),
        producers_ms=() if are_puts_shown else tuple(producers),
    )


def read_line(event: Event) -> Told | None:
    """What an event tells; None: nothing about tables, or it is no line of a log."""
    if event.kind == "note":
        is_touched = FILE_OF_CONFIG.search(str(event.data.get("text", "")))
        return Told(event.seq, event.t_ms, "", Telling.FILES_TOUCHED, "") if is_touched else None
    if event.kind != "log":
        return None
    text = str(event.data.get("msg", ""))
    for what, pattern in LINES.items():
        found = pattern.match(text)
        if found:
            node = str(event.data.get("node", ""))
            return Told(event.seq, event.t_ms, node, what, found["name"])
    return None


def _list_begins(events: Iterable[Event]) -> Iterator[tuple[int, float]]:
    """By start: when its process has written its first line."""
    first_ms: dict[Any, float] = {}
    for event in events:
        node = event.data.get("node")
        if event.kind in END_KINDS:
            first_ms.pop(node, None)
        if event.kind == "log":
            first_ms.setdefault(node, event.t_ms)
        if event.kind in START_KINDS and node in first_ms:
            yield event.seq, first_ms[node]
