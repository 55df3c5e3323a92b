"""One question about a pull, as a flat object: the answer, and where the client goes next.

Keys are RocketMQ's if it has a name for them. The messages from the requested offset to the end of
the queue are assumed to be of equal size and contiguous in the log.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from attrs import frozen

from reference import ROCKETMQ_VERSION
from reference.configuration.keys import KEYS
from reference.decisions.clients.next_pull import NextPull, find_next_pull
from reference.decisions.clients.pulling import make_reply, pull
from reference.decisions.clients.push_consumer import PushConsumer, make_reader
from reference.decisions.clients.requests import Network
from reference.decisions.reading.client import (
    Client,
    PullTarget,
    choose_target,
    compute_commit_flag,
    order_as_hash_map,
)
from reference.decisions.reading.consume_queue import (
    MessageLocation,
    ReadableQueue,
    compute_entries_per_file,
)
from reference.decisions.reading.get_message import GetMessageResult, get_message
from reference.decisions.reading.pull import PullMessageRequest, PullSituation, Topic
from reference.decisions.reading.pull_processor import PullAnswer, answer_pull, compute_hold_most_ms
from reference.decisions.reading.read import Read
from reference.decisions.reading.settings import (
    BROKER_FIELDS,
    DEFAULT_TOTAL_MEMORY_BYTES,
    DOUBLE_EXACT_BELOW,
    STORE_FIELDS,
    BrokerSettings,
    StoreSettings,
    change_broker,
    change_store,
    read_value,
)
from reference.decisions.reading.subscription_group import (
    DEFAULT_GROUP,
    GroupError,
    SubscriptionGroup,
    build_group,
    parse_group,
)
from reference.releases.releases import FIRST_RELEASE_WITH_MODES, is_since
from reference.releases.timing_differences import OVERFLOW_RESETS_TO_MAX
from reference.releases.versions import Version, VersionError, parse_version
from reference.roles import MASTER_ID, Role

QUEUE_FILE = "mapedFileSizeConsumeQueue"
LARGEST = 2**62
"""Larger than every offset; sums of two still fit into the broker's 64 bits."""
MESSAGES_MAX = 100_000
"""More than any client requests at a time."""
BROKERS_MAX = 12
"""The most addresses that a client's table lists in the modelled order."""

NUMBERS: Mapping[str, tuple[int, int, int | None]] = {
    "offset": (-LARGEST, LARGEST, 0),
    "minOffset": (0, LARGEST, 0),
    "maxOffset": (0, LARGEST, 0),
    "maxMsgs": (0, MESSAGES_MAX, 32),
    "messageBytes": (1, 2**31 - 1, 1024),
    "behindBytes": (0, LARGEST, None),
    "totalMemoryBytes": (0, DOUBLE_EXACT_BELOW - 1, DEFAULT_TOTAL_MEMORY_BYTES),
    "queue": (-(2**31), 2**31 - 1, 0),
    "readQueueNums": (0, 2**31 - 1, 4),
    "commitOffset": (0, LARGEST, None),
    "clientOffset": (0, LARGEST, None),
    "cachedMsgs": (0, MESSAGES_MAX, 0),
    "filteredMsgs": (0, MESSAGES_MAX, 0),
}
"""Keys with numbers: the least, the most, and the default."""

DEFAULTS = {name: default for name, (_, _, default) in NUMBERS.items()}

OTHERS = ("role", "group", "brokers", "suspend", "groupKnown", "topicKnown", "rocketmq")
"""The remaining keys that are not properties."""

WITHOUT_SAY = {"enablePropertyFilter", "mapedFileSizeCommitLog"}
"""They affect other filters and deleted files, which no question has."""

PROPERTIES = frozenset({*STORE_FIELDS, *BROKER_FIELDS, QUEUE_FILE} - WITHOUT_SAY)
"""Properties that have an effect."""

KNOWN = frozenset({*NUMBERS, *OTHERS, *PROPERTIES})

SETTINGS_KEPT = 1024
"""Number of different settings of table rows that are cached."""


class QuestionError(ValueError):
    """A question that cannot be answered; one line that says why."""


@frozen
class Reply:
    """The broker's answer, and the client's next step."""

    answer: PullAnswer
    held_most_ms: int | None
    """How long the pull is held at most if no message comes; None: answered immediately."""
    next_pull: NextPull
    target: PullTarget
    """The broker of the next pull."""

    @property
    def next_progress(self) -> int | None:
        """The progress that the broker of the next pull may store; None: it carries none."""
        return compute_commit_flag(self.next_pull.consumer.memory_offset, self.target)


def ask(question: Mapping[str, Any]) -> Reply:
    """The reply to a question.

    Raises:
        QuestionError: an unknown key, or a value that it cannot have.
    """
    unknown = next((name for name in question if name not in KNOWN), None)
    if unknown is not None:
        near = difflib.get_close_matches(unknown, KNOWN, 1)
        raise QuestionError(f"{unknown} is not a key" + (f"; {near[0]} is one" if near else ""))
    numbers = {**DEFAULTS, **{n: read_number(n, v) for n, v in question.items() if n in NUMBERS}}
    properties = {n: v for n, v in question.items() if n in PROPERTIES}
    situation = make_situation(question, numbers, properties)
    answer = answer_pull(situation)
    brokers = read_brokers(question.get("brokers", [0, 1]))
    client = Client(suggested_id=find_asked(situation.store.role, brokers), brokers=brokers)
    reader = make_consumer(client, situation.pull.offset, numbers)
    next_pull = find_next_pull(pull(reader, Network(pull=make_reply(answer))).consumer)
    held_ms = answer.held_ms
    most_ms = None if held_ms is None else compute_hold_most_ms(held_ms, situation.broker)
    return Reply(answer, most_ms, next_pull, choose_target(next_pull.consumer.client))


def make_consumer(client: Client, offset: int, numbers: Mapping[str, Any]) -> PushConsumer:
    """The consumer that pulls; its cached messages lie right before its offset.

    Without ``clientOffset`` its progress is 0, or the first of the cached messages.
    """
    cached = numbers["cachedMsgs"]
    if cached > max(offset, 0):
        raise QuestionError(f"cachedMsgs is {cached}, but only {max(offset, 0)} lie before offset")
    progress = numbers["clientOffset"]
    if progress is None:
        progress = offset - cached if cached else 0
    return make_reader(client, offset, progress, cached)


def find_asked(role: Role, brokers: tuple[int, ...]) -> int | None:
    """The suggested id with which the client chose the queried broker, given that broker's role.

    For a slave it is the first slave of the route; None: a client without a suggestion.
    """
    slaves = [each for each in order_as_hash_map(brokers) if each != MASTER_ID]
    return next(iter(slaves), None) if role is Role.SLAVE else None


def make_situation(
    question: Mapping[str, Any], numbers: Mapping[str, Any], properties: Mapping[str, Any]
) -> PullSituation:
    """The pull, the broker, and its store's answer."""
    told = tuple((name, str(value)) for name, value in properties.items())
    release = read_release(question.get("rocketmq", ROCKETMQ_VERSION))
    store, broker, per_file = make_settings(
        read_role(question.get("role")), numbers["totalMemoryBytes"], release, told
    )
    read = make_read(store, numbers, per_file)
    pull = PullMessageRequest(
        offset=read.offset,
        queue=numbers["queue"],
        max_messages=read.max_messages,
        commit_offset=numbers["commitOffset"],
        has_suspend_flag=read_flag("suspend", question.get("suspend", False)),
    )
    is_topic_known = read_flag("topicKnown", question.get("topicKnown", True))
    is_group_known = read_flag("groupKnown", question.get("groupKnown", True))
    topic = Topic(read_queues=numbers["readQueueNums"]) if is_topic_known else None
    group = read_group(question.get("group")) if is_group_known else None
    return PullSituation(pull, store, broker, group, topic, None, get_message(read))


def read_release(text: Any) -> Version:
    """The release of the broker; those of 5.x answer pulls by other rules (V-41, V-42)."""
    try:
        version = parse_version(str(text))
    except VersionError as problem:
        raise QuestionError(f"rocketmq is {problem}") from problem
    if is_since(version.release, FIRST_RELEASE_WITH_MODES):
        raise QuestionError(f"rocketmq is {text!r}: pulls are known up to 4.9.8")
    return version


@lru_cache(maxsize=SETTINGS_KEPT)
def make_settings(
    role: Role, total_bytes: int, release: Version, told: tuple[tuple[str, str], ...]
) -> tuple[StoreSettings, BrokerSettings, int]:
    """Settings of store and processor, and the entries of a queue's file.

    They differ little between the rows of a table, so they are cached.
    """
    properties = dict(told)
    try:
        is_reset_to_end = release.has(OVERFLOW_RESETS_TO_MAX)
        usual = StoreSettings(role, total_bytes, is_reset_to_end=is_reset_to_end)
        store = change_store(usual, properties)
        broker = change_broker(BrokerSettings(), properties)
        file_bytes = read_value(QUEUE_FILE, properties.get(QUEUE_FILE, KEYS[QUEUE_FILE].default))
    except ValueError as problem:
        raise QuestionError(str(problem)) from problem
    return store, broker, compute_entries_per_file(max(int(file_bytes or 0), 1))


def make_read(store: StoreSettings, numbers: Mapping[str, Any], per_file: int) -> Read:
    """The call of getMessage, with as many entries as it may read."""
    offset, size = numbers["offset"], numbers["messageBytes"]
    low, high = numbers["minOffset"], numbers["maxOffset"]
    if low > high:
        raise QuestionError(f"minOffset is {low}, more than maxOffset {high}")
    ahead = max(high - max(offset, low), 0)
    least = ahead * size
    behind = least if numbers["behindBytes"] is None else numbers["behindBytes"]
    if behind < least:
        raise QuestionError(f"behindBytes is {behind}, but the messages ahead take {least}")
    looked_at = min(ahead, max(numbers["maxMsgs"], 1) + 1 + numbers["filteredMsgs"])
    entries = [MessageLocation(place, size) for place in range(0, looked_at * size, size)]
    queue = ReadableQueue(low, high, max(offset, low), entries, per_file)
    begin = max(offset, low)
    return Read(
        store,
        queue,
        offset,
        numbers["maxMsgs"],
        log_max_offset=behind,
        filtered_out=frozenset(range(begin, begin + min(numbers["filteredMsgs"], ahead))),
    )


def read_number(name: str, value: object) -> int | None:
    """A whole number in its range, or the default."""
    low, high, default = NUMBERS[name]
    if value is None:
        return default
    if type(value) is not int or not low <= value <= high:
        raise QuestionError(f"{name} is {value!r}, not a whole number from {low} to {high}")
    return value


def read_flag(name: str, value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise QuestionError(f"{name} is {value!r}, not true or false")
    return value


def read_role(name: object) -> Role:
    """The role of the queried broker."""
    if name is None:
        return Role.ASYNC_MASTER
    if not isinstance(name, str) or name not in Role.__members__:
        raise QuestionError(f"role is {name!r}, not one of {', '.join(Role.__members__)}")
    return Role[name]


def read_group(value: object) -> SubscriptionGroup:
    """A group as an object, or as ``name=value`` pairs; missing options are defaults."""
    try:
        if value is None:
            return DEFAULT_GROUP
        if isinstance(value, SubscriptionGroup):
            return value
        if isinstance(value, dict):
            return build_group(value)
        if isinstance(value, str):
            return parse_known_group(value)
    except GroupError as problem:
        raise QuestionError(f"group: {problem}") from problem
    raise QuestionError(f"group is {value!r}, not an object or pairs like brokerId=1")


parse_known_group = lru_cache(maxsize=SETTINGS_KEPT)(parse_group)


def read_brokers(value: object) -> tuple[int, ...]:
    """The ids in the client's route."""
    ids = value if isinstance(value, list) else []
    if not 1 <= len(ids) <= BROKERS_MAX or not all(
        type(each) is int and MASTER_ID <= each <= LARGEST for each in ids
    ):
        raise QuestionError(f"brokers is {value!r}, not a list of 1 to {BROKERS_MAX} broker ids")
    return tuple(ids)


def describe(reply: Reply) -> dict[str, Any]:
    """A reply for other programs."""
    answer = reply.answer
    return {
        **describe_result(answer.result),
        "responseCode": answer.code.value,
        "response": answer.code.name,
        "codeDecidedBy": answer.code_decided_by,
        "codesOverwritten": [[each.value.name, each.by] for each in answer.codes_overwritten],
        "heldMs": answer.held_ms,
        "heldMostMs": reply.held_most_ms,
        "committedOffset": answer.committed_offset,
        "suggestWhichBrokerId": answer.suggested_broker_id,
        "suggestionDecidedBy": answer.suggestion_decided_by,
        "suggestionsOverwritten": [[e.value, e.by] for e in answer.suggestions_overwritten],
        "nextPullFrom": reply.target.broker_id,
        "nextPullDecidedBy": reply.target.decided_by,
        "nextCommitOffset": reply.next_progress,
        "pauseMs": reply.next_pull.least_ms,
        "pauseMostMs": reply.next_pull.most_ms,
        "isQueueGivenUp": reply.next_pull.is_queue_given_up,
    }


def describe_result(result: GetMessageResult | None) -> dict[str, Any]:
    """The store's answer, for other programs; only a null status if it was not queried."""
    if result is None:
        return {"status": None}
    return {
        "status": result.status.name,
        "statusDecidedBy": result.status_decided_by,
        "nextBeginOffset": result.next_begin_offset,
        "messages": result.message_count,
        "messageBytes": result.size_bytes,
        "batchEndedBy": result.ended_by,
        "isSlaveSuggested": result.is_slave_suggested,
    }
