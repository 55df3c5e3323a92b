"""The set ``reading``: the answer of a broker to a pull.

A question is a row of ``rmqspec pull --table``, with what a broker knows of the subscription
besides. The messages ahead are of one size and lie one behind the other.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve

from properties.vectors import schema
from properties.vectors.question import Ask, Data, ExpectedAnswer, VectorSet
from reference.configuration.keys import KEYS
from reference.decisions.reading import question as pulls
from reference.decisions.reading.consume_queue import compute_entries_per_file
from reference.decisions.reading.get_message import get_message
from reference.decisions.reading.pull import ConsumerRegistration, PullSituation, Topic
from reference.decisions.reading.pull_processor import PullAnswer, answer_pull
from reference.decisions.reading.read import Read
from reference.roles import Role

SEED = 4401
DRAWN = 1500

HEARTBEAT: Mapping[str, str] = {
    "broadcasting": "is_broadcasting",
    "topicSubscribed": "has_topic",
    "versionLatest": "is_latest",
    "filterCompiled": "has_filter_data",
    "filterLatest": "is_filter_data_latest",
}
"""What heartbeats have told, by its name in a question."""

PULL_KEYS: Mapping[str, str] = {
    "firstPass": "is_first_pass",
    "suspendTimeoutMillis": "suspend_timeout_ms",
    "subscriptionSent": "has_subscription",
    "subscriptionValid": "is_subscription_valid",
    "sql92": "is_property_filter",
    "consumerGroup": "group_name",
}
"""What a pull has besides a row of a table, by its name in a question."""
LOG_FILE = "mapedFileSizeCommitLog"
OTHERS = ("topicPerm", "enablePropertyFilter", "heartbeat", "goneBytes", LOG_FILE, *PULL_KEYS)
"""Keys that a row of a table has not."""


def make_situation(release: str, ask: Data) -> PullSituation:
    """The pull, the broker, and its store's answer. Raises QuestionError."""
    row = {name: value for name, value in ask.items() if name not in OTHERS}
    row["rocketmq"] = release
    numbers = dict(pulls.DEFAULTS)
    numbers |= {n: pulls.read_number(n, v) for n, v in row.items() if n in pulls.NUMBERS}
    properties = {n: v for n, v in row.items() if n in pulls.PROPERTIES}
    made = pulls.make_situation(row, numbers, properties)
    if "goneBytes" in ask:
        made = evolve(made, result=get_message(read_behind_gone(made, row, numbers, ask)))
    topic = made.topic and Topic(ask.get("topicPerm", 6), made.topic.read_queues)
    told = ask.get("heartbeat")
    heard = (
        None if told is None else ConsumerRegistration(**{HEARTBEAT[n]: v for n, v in told.items()})
    )
    pull = evolve(made.pull, **{PULL_KEYS[n]: v for n, v in ask.items() if n in PULL_KEYS})
    is_filter_on = bool(ask.get("enablePropertyFilter", False))
    broker = evolve(made.broker, is_property_filter_enabled=is_filter_on)
    return evolve(made, topic=topic, registration=heard, pull=pull, broker=broker)


def read_behind_gone(made: PullSituation, row: Data, numbers: Mapping[str, Any], ask: Data) -> Read:
    """The read where so many bytes from the first message asked for on are gone from the log."""
    usual: Any = KEYS[pulls.QUEUE_FILE].default
    per_file = compute_entries_per_file(row.get(pulls.QUEUE_FILE, usual))
    store = evolve(made.store, commit_log_file_bytes=ask[LOG_FILE])
    read = pulls.make_read(store, numbers, per_file)
    return evolve(read, log_min_offset=ask["goneBytes"])


def write_answer(answer: PullAnswer) -> Data:
    """What a client is told, and what the broker does besides."""
    result = answer.result
    told = {
        "code": int(answer.code),
        "heldMs": answer.held_ms,
        "committedOffset": answer.committed_offset,
        "offsetMovedEvent": answer.is_moved_event_written,
        "suggestWhichBrokerId": answer.suggested_broker_id,
    }
    if result is None:
        return {**told, "read": None}
    read = {
        "status": result.status.name,
        "nextBeginOffset": result.next_begin_offset,
        "minOffset": result.min_offset,
        "maxOffset": result.max_offset,
        "messages": result.message_count,
        "messageBytes": result.size_bytes,
    }
    return {**told, "read": read}


def answer(release: str, ask: Data) -> ExpectedAnswer:
    """The broker's answer."""
    found = answer_pull(make_situation(release, ask))
    if found.result is None:
        return ExpectedAnswer(
            write_answer(found), found.code_decided_by, "reading.md#the-path-of-a-pull"
        )
    rule = f"{found.result.status_decided_by}, {found.code_decided_by}"
    return ExpectedAnswer(write_answer(found), rule, "reading.md#what-the-broker-answers")


QUEUES = ((0, 0), (0, 1), (0, 100), (40, 100), (100, 100), (305_000, 305_900))
SIZES = (1, 255, 256, 1024, 8192, 32_768, 65_535, 65_536, 65_537, 262_144, 300_000)
BATCHES = (-1, 0, 1, 2, 7, 8, 9, 31, 32, 33, 64, 800)
MEMORIES = (0, 1, 2500, 65_537, 1_000_003, 24 * 1024**3)


def draw_store(draw: random.Random) -> Data:
    """Where the reader, the queue and the log's end are; boundaries are likely."""
    low, high = draw.choice(QUEUES)
    near = (low - 1, low, low + 1, high - 1, high, high + 1, (low + high) // 2, 0, -1, high + 50)
    offset, size = draw.choice(near), draw.choice(SIZES)
    memory, ratio = draw.choice(MEMORIES), draw.choice((0, 30, 40, 40, 100))
    least = max(high - max(offset, low), 0) * size
    share = int(memory * (ratio / 100.0))
    edges = [share + step for step in (-1, 0, 1, size, 8 * size) if share + step >= least]
    return {
        "offset": offset,
        "minOffset": low,
        "maxOffset": high,
        "messageBytes": size,
        "maxMsgs": max(0, draw.choice(BATCHES)),
        "totalMemoryBytes": memory,
        "accessMessageInMemoryMaxRatio": ratio,
        "behindBytes": draw.choice([least, *edges]),
    }


LIMITS: Mapping[str, tuple[Any, ...]] = {
    "maxTransferCountOnMessageInMemory": (1, 8, 40),
    "maxTransferBytesOnMessageInMemory": (0, 2048, 65_536),
    "maxTransferCountOnMessageInDisk": (1, 3, 40),
    "maxTransferBytesOnMessageInDisk": (0, 1024, 1_000_000),
}
"""What ends a batch."""
RARE: Mapping[str, tuple[Any, ...]] = {
    "mapedFileSizeConsumeQueue": (19, 20, 200, 2000),
    "filteredMsgs": (1, 7, 100),
    "brokerPermission": (2, 4, 0),
    "topicPerm": (4, 2, 0),
    "queue": (3, 4, -1),
    "readQueueNums": (0, 1),
    "topicKnown": (False,),
    "groupKnown": (False,),
    "autoCreateSubscriptionGroup": (False,),
    "consumerGroup": ("TOOLS_CONSUMER", "CID_ONSAPI_OWNER"),
    "firstPass": (False,),
    "longPollingEnable": (False,),
    "shortPollingTimeMills": (1, 5000),
    "suspendTimeoutMillis": (0, 20_000),
    "subscriptionValid": (False,),
    "sql92": (True,),
    "enablePropertyFilter": (True,),
}
"""Settings of which a question has few, and others than the usual values."""
OFTEN: Mapping[str, tuple[Any, ...]] = {
    "slaveReadEnable": (True,),
    "offsetCheckInSlave": (True,),
    "suspend": (True,),
    "commitOffset": (0, 1, 99_999),
    "subscriptionSent": (False,),
}
"""Settings of which a question has many."""


def draw_ask(draw: random.Random) -> Data:
    """One question."""
    ask: Data = {"role": draw.choice(list(Role.__members__)), **draw_store(draw)}
    ask |= {name: draw.choice(OFTEN[name]) for name in OFTEN if draw.random() < 0.4}
    ask |= {name: draw.choice(RARE[name]) for name in RARE if draw.random() < 0.04}
    ask |= {name: draw.choice(LIMITS[name]) for name in LIMITS if draw.random() < 0.15}
    if draw.random() < 0.15:
        size = ask["messageBytes"]
        file_bytes = draw.choice((size, 2 * size, 8 * size, 1024))
        ask[LOG_FILE] = file_bytes
        ask["goneBytes"] = file_bytes * draw.choice((0, 1, 2, 3, 20))
    if draw.random() < 0.5:
        ask["group"] = draw_group(draw)
    if not ask.get("subscriptionSent", True) and draw.random() < 0.9:
        ask["heartbeat"] = {name: draw.random() < 0.7 for name in HEARTBEAT}
        ask["heartbeat"]["broadcasting"] = draw.random() < 0.3
        ask["sql92"] = draw.random() < 0.5
        ask["enablePropertyFilter"] = draw.random() < 0.5
    return ask


def draw_group(draw: random.Random) -> Data:
    """Options of a group; most leave it consuming."""
    options: Data = {"brokerId": draw.choice((0, 1, 2))}
    options["whichBrokerWhenConsumeSlowly"] = draw.choice((0, 1, 3))
    for name in ("consumeEnable", "consumeBroadcastEnable"):
        if draw.random() < 0.15:
            options[name] = False
    return options


def list_asks(_release: str) -> Iterator[Ask]:
    """Drawn questions; the same for every release."""
    draw = random.Random(SEED)
    for _ in range(DRAWN):
        ask = draw_ask(draw)
        yield Ask(f"{ask['role']} {ask['offset']} of {ask['minOffset']}..{ask['maxOffset']}", ask)


OPTIONS = ("brokerId", "whichBrokerWhenConsumeSlowly")
FLAGS = ("consumeEnable", "consumeBroadcastEnable")
GROUP = schema.make_object(
    {}, optional={**dict.fromkeys(OPTIONS, schema.COUNT), **dict.fromkeys(FLAGS, schema.FLAG)}
)


def make_ask_schema() -> Data:
    """The schema of a question."""
    plain = {"role": schema.make_choice(*Role.__members__)}
    numbers = ("offset", "minOffset", "maxOffset", "maxMsgs", "messageBytes", "behindBytes")
    memory = ("totalMemoryBytes", "accessMessageInMemoryMaxRatio")
    plain |= dict.fromkeys((*numbers, *memory), schema.INTEGER)
    kinds: Mapping[type, Data] = {bool: schema.FLAG, int: schema.INTEGER, str: schema.TEXT}
    optional = {
        name: kinds[type(values[0])] for name, values in {**OFTEN, **LIMITS, **RARE}.items()
    }
    gone = "From the first message asked for on: bytes of the log whose files are deleted."
    optional |= {LOG_FILE: schema.COUNT, "goneBytes": schema.describe(schema.COUNT, gone)}
    optional["group"] = schema.describe(GROUP, "The group, as in subscriptionGroup.json.")
    told = schema.make_object(dict.fromkeys(HEARTBEAT, schema.FLAG))
    optional["heartbeat"] = schema.describe(told, "What heartbeats have told; absent: nothing.")
    return schema.make_object(plain, optional=optional)


def make_answer_schema() -> Data:
    """The schema of an answer."""
    numbers = ("nextBeginOffset", "minOffset", "maxOffset", "messages", "messageBytes")
    read = schema.make_object({"status": schema.TEXT, **dict.fromkeys(numbers, schema.INTEGER)})
    return schema.make_object(
        {
            "code": schema.COUNT,
            "heldMs": schema.OPTIONAL_INTEGER,
            "committedOffset": schema.OPTIONAL_INTEGER,
            "offsetMovedEvent": schema.FLAG,
            "suggestWhichBrokerId": schema.OPTIONAL_INTEGER,
            "read": schema.make_nullable(read),
        }
    )


READING = VectorSet(
    "reading",
    "A pull and what a broker knows: its answer, with what its store has read.",
    list_asks,
    answer,
    make_ask_schema(),
    make_answer_schema(),
    {"4.4.0": "4.4.0", "4.9.8": "4.9.8"},
    SEED,
    "5.x answers pulls by rules that the model leaves out (V-41, V-42).",
)
