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

from brokers.recordings.kinds import END_KINDS, START_KINDS
from brokers.recordings.reading import Event


class Telling(Enum):
    """What a line of a broker's log tells."""

    TOPIC_ASKED = "an administrator asks for a change of topics"
    TOPIC_MADE = "a topic has been put into the table for an administrator"
    TOPIC_MADE_ALONE = "the broker puts a topic into its table by itself, under a lock"
    TOPIC_DELETED = "a topic has been taken out of the table"
    COPIED = "a slave has taken a table over from its master by itself"
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
ConsumerGroupInfo#updateChannel; ProducerManager#registerProducer. Every client has a producer of
its own for messages that it sends back (CLIENT_INNER_PRODUCER)."""

FILE_OF_CONFIG = re.compile(r"\bconfig/|store/config\b|\b(?:topics|subscriptionGroup)\.json\b")
"""A remark that names one of these files tells that the recorder has done something to it."""

COPIES: Mapping[str, str] = {
    "Update slave topic config from master": "topics",
    "Update slave consumer offset from master": "progress",
    "Update slave delay offset from master": "delay",
    "Update slave Subscription Group from master": "groups",
}
"""By line: the step of a copy that is over (SlaveSynchronize). A table whose version was equal has
no line."""

OWN_COPY_THREAD = "BrokerControllerScheduledThread"
"""By itself a slave copies on this thread (BrokerController#initialize)."""

TOPIC_LINES = frozenset({Telling.TOPIC_MADE, Telling.TOPIC_MADE_ALONE, Telling.TOPIC_DELETED})

SUBJECTS: Mapping[Telling, frozenset[Telling]] = {
    Telling.TOPIC_ASKED: TOPIC_LINES | {Telling.TOPIC_ASKED},
    Telling.COPIED: frozenset({Telling.COPIED}),
}
"""What lines are about that tell everything: a broker with one of them in a recording has all."""

REPEATS_MAX = 6
"""So often a recorder writes equal lines of one process; of later ones it may leave some out."""


@frozen
class ToldLine:
    """One line."""

    seq: int
    t_ms: float
    node: str
    """The broker whose log it is; empty for a remark of the recorder."""
    what: Telling
    name: str
    """The topic or group, or the step of a copy."""
    is_asked_for: bool = False
    """The recorder has told the slave to copy."""


@frozen
class EventRange:
    """A part of a recording, from one ``seq`` to before another."""

    begin: int
    end: float


@frozen
class Logs:
    """What the logs of all brokers tell."""

    lines: tuple[ToldLine, ...] = ()
    """In their order."""
    whole: Mapping[tuple[str, Telling], tuple[EventRange, ...]] = field(factory=dict)
    """By broker and subject: where its log tells everything."""
    begun_ms: Mapping[int, float] = field(factory=dict)
    """By the ``seq`` of a broker's start: the first line of its new process."""
    consumers: Mapping[str, int] = field(factory=dict)
    """By group of consumers whose requests are not recorded: the ``seq`` of the first of them."""
    producers_ms: tuple[float, ...] = ()
    """When producers have connected whose messages are not recorded."""
    seqs: tuple[int, ...] = field(init=False)

    @seqs.default
    def _list_seqs(self) -> tuple[int, ...]:
        return tuple(line.seq for line in self.lines)

    def is_told(self, node: str, subject: Telling, seq: int) -> bool:
        """A broker's log tells everything of a subject at this place of the recording."""
        return any(s.begin <= seq < s.end for s in self.whole.get((node, subject), ()))

    def list_between(self, after_seq: int, before_seq: float) -> Sequence[ToldLine]:
        """The lines between two events."""
        begin, end = bisect_left(self.seqs, after_seq + 1), bisect_left(self.seqs, before_seq)
        return self.lines[begin:end]

    def has_request(self, node: str, topic: str, seq: int) -> bool:
        """A broker was asked for a topic before an event: it has made it, or goes on to make it.

        Where another topic is made for the latest request, it was asked for that one. Where two
        requests overlap, either may be the one.
        """
        own = [x for x in self.lines if x.node == node and x.what in SUBJECTS[Telling.TOPIC_ASKED]]
        asked = [place for place, x in enumerate(own) if x.what is Telling.TOPIC_ASKED]
        latest = next((place for place in reversed(asked) if own[place].seq < seq), None)
        if latest is None:
            return False
        if latest - 1 in asked or latest + 1 in asked:
            return True
        following = next((place for place in asked if place > latest), len(own))
        made = [x.name for x in own[latest:following] if x.what is Telling.TOPIC_MADE]
        return not made or topic in made

    def list_topics(self, before_seq: int) -> frozenset[str]:
        """Every topic that was made, as far as logs tell."""
        made = {Telling.TOPIC_MADE, Telling.TOPIC_MADE_ALONE}
        return frozenset(x.name for x in self.lines if x.what in made and x.seq < before_seq)


def read_logs(events: Iterable[Event], nodes: Iterable[str]) -> Logs:
    """What the logs of these brokers tell in a recording, if it is one of whole brokers."""
    events, names = list(events), frozenset(nodes)
    if not any(event.kind == "broker_started" for event in events):
        return Logs()
    read = [(event, read_line(event)) for event in events]
    lines = [line for _, line in read if line and line.node in {*names, ""}]
    whole = {
        (name, subject): tuple(_find_whole(read, name, SUBJECTS[subject]))
        for name in names
        for subject in SUBJECTS
    }
    requests = {"pull_message", "update_consumer_offset"}
    recorded = {e.data.get("group") for e in events if e.kind in requests}
    are_puts_shown = any(event.kind in ("put", "send_message") for event in events)
    producers = (line.t_ms for line in lines if line.what is Telling.PRODUCER)
    consumers = {line.name: line.seq for line in lines[::-1] if line.what is Telling.CONSUMER}
    return Logs(
        lines=tuple(line for line in lines if _is_counted(line, whole)),
        whole=whole,
        begun_ms=dict(_list_begins(events)),
        consumers={name: seq for name, seq in consumers.items() if name not in recorded},
        producers_ms=() if are_puts_shown else tuple(producers),
    )


def _is_counted(
    line: ToldLine, whole: Mapping[tuple[str, Telling], tuple[EventRange, ...]]
) -> bool:
    """A line counts if it is about something of which no line is left out."""
    subject = next((each for each, lines in SUBJECTS.items() if line.what in lines), None)
    spans = whole.get((line.node, subject), ()) if subject else ()
    is_inside = any(s.begin <= line.seq < s.end for s in spans)
    return subject is None or (is_inside and not line.is_asked_for)


def _find_whole(
    read: Sequence[tuple[Event, ToldLine | None]], name: str, subject: frozenset[Telling]
) -> Iterator[EventRange]:
    """Where a broker's log has all lines about a subject: in each process up to many equal ones."""
    own = [(event, line) for event, line in read if event.data.get("node") == name]
    if not any(line and line.what in subject and not line.is_asked_for for _, line in own):
        return
    begin, is_open = 0, True
    for event, line in own:
        if line and line.what in subject and is_open and _is_last(event, line):
            yield EventRange(begin, event.seq + 1)
            is_open = False
        if event.kind in END_KINDS and not is_open:
            begin, is_open = event.seq, True
    if is_open:
        yield EventRange(begin, float("inf"))


def _is_last(event: Event, line: ToldLine) -> bool:
    """Others like it may follow, and be left out; requests need not be told."""
    repeat = event.data.get("repeat", 0)
    is_often = isinstance(repeat, int) and repeat >= REPEATS_MAX
    return is_often and line.what is not Telling.TOPIC_ASKED


def read_line(event: Event) -> ToldLine | None:
    """What an event tells; None: nothing about tables, or it is no line of a log."""
    if event.kind == "note":
        is_touched = FILE_OF_CONFIG.search(str(event.data.get("text", "")))
        return (
            ToldLine(event.seq, event.t_ms, "", Telling.FILES_TOUCHED, "") if is_touched else None
        )
    if event.kind != "log":
        return None
    text, node = str(event.data.get("msg", "")), str(event.data.get("node", ""))
    for what, pattern in LINES.items():
        found = pattern.match(text)
        if found:
            return ToldLine(event.seq, event.t_ms, node, what, found["name"])
    step = COPIES.get(text.partition(",")[0])
    if step is None:
        return None
    is_own = OWN_COPY_THREAD in str(event.data.get("thread", ""))
    return ToldLine(event.seq, event.t_ms, node, Telling.COPIED, step, is_asked_for=not is_own)


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
