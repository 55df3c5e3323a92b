"""The set ``registration``: a name server's answers, and what a broker makes of them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from properties.vectors import schema
from properties.vectors.question import Ask, Data, ExpectedAnswer, VectorSet
from properties.vectors.sets.name_server import (
    OPERATIONS,
    NameServer,
    call,
    write_queue_data,
)
from reference.decisions.metadata.broker_tables import DataVersion, VersionedTable
from reference.decisions.name_server import broker_side
from reference.decisions.name_server.broker_side import (
    NoAnswer,
    TopicOrder,
    VersionQuery,
)
from reference.decisions.name_server.registry import QueueData, RegisterBrokerResult, VersionAnswer
from reference.decisions.name_server.removal import EXPIRY_MS
from reference.decisions.reading.question import QuestionError

SEED = 4404
SCRIPTS = 150
CALLS = 8
SECTION = "metadata.md#registrations"


def answer_name_server(ask: Data) -> ExpectedAnswer:
    """The result of each step."""
    server = NameServer()
    told = {"steps": [call(server, step) for step in ask["steps"]]}
    return ExpectedAnswer(told, "register, unregister, close_channel, expire", SECTION)


def read_answer(told: Data) -> RegisterBrokerResult:
    """A name server's answer to a registration."""
    return RegisterBrokerResult(told["masterAddr"], told["haServerAddr"])


def answer_learn(ask: Data) -> ExpectedAnswer:
    """A broker's knowledge of its master after some registrations."""
    known = broker_side.configure(ask["haMasterAddress"])
    steps = []
    for answers in ask["registrations"]:
        known = broker_side.learn(known, list(map(read_answer, answers)))
        steps.append({"masterAddr": known.master, "haMasterAddr": known.ha_master})
    return ExpectedAnswer({"steps": steps}, "learn", SECTION)


NO_ANSWERS: Mapping[str, NoAnswer] = {
    "failed": NoAnswer.FAILED,
    "refused": NoAnswer.REFUSED,
    "late": NoAnswer.LATE,
}


def read_query(own: DataVersion, told: Any) -> VersionQuery:
    """A name server's answer about versions: a word, or whether it is changed and its version."""
    if isinstance(told, str):
        return VersionQuery(own, NO_ANSWERS[told])
    version = told["version"] and DataVersion(*told["version"])
    return VersionQuery(own, VersionAnswer(told["changed"], version))


def answer_need(ask: Data) -> ExpectedAnswer:
    """Whether a periodic registration is sent."""
    own = DataVersion(*ask["version"])
    queries = [read_query(own, each) for each in ask["answers"]]
    is_sent = broker_side.is_registration_sent(queries, is_forced=ask["isForced"])
    return ExpectedAnswer({"isSent": is_sent}, "is_registration_sent", SECTION)


def answer_permission(ask: Data) -> ExpectedAnswer:
    """The topics that a broker registers."""
    topics = {name: QueueData(*data) for name, data in ask["topics"].items()}
    sent = broker_side.rewrite_permissions(topics, ask["brokerPermission"])
    told = {"topics": {name: write_queue_data(data) for name, data in sent.items()}}
    return ExpectedAnswer(told, "rewrite_permissions", SECTION)


def answer_order(ask: Data) -> ExpectedAnswer:
    """A broker's topics after an answer that names those in order."""
    entries = {name: TopicOrder(is_order) for name, is_order in ask["topics"].items()}
    table = VersionedTable(DataVersion(*ask["version"]), entries)
    after = broker_side.take_order(table, ask["ordered"], ask["nowMs"])
    version = [after.version.timestamp_ms, after.version.counter]
    flags = {name: each.is_order for name, each in after.entries.items()}
    return ExpectedAnswer({"topics": flags, "version": version}, "take_order", SECTION)


def answer_period(ask: Data) -> ExpectedAnswer:
    """The time between two registrations."""
    period = broker_side.compute_period_ms(ask["registerNameServerPeriod"])
    return ExpectedAnswer({"periodMs": period}, "compute_period_ms", SECTION)


KINDS: Mapping[str, Callable[[Data], ExpectedAnswer]] = {
    "nameServer": answer_name_server,
    "learn": answer_learn,
    "need": answer_need,
    "permission": answer_permission,
    "order": answer_order,
    "period": answer_period,
}


def answer(_release: str, ask: Data) -> ExpectedAnswer:
    """The answer to a question of any kind."""
    if ask["kind"] not in KINDS:
        raise QuestionError(f"there is no kind {ask['kind']!r}")
    return KINDS[ask["kind"]](ask)


def draw_broker(draw: random.Random) -> Data:
    """Which broker: two names, three ids, and an address that may be another's."""
    name, broker_id = draw.choice("ab"), draw.choice((0, 0, 1, 2))
    host = broker_id if draw.random() < 0.8 else 0
    address = f"10.0.{name == 'b':d}.{host}:10911"
    return {"name": name, "id": broker_id, "addr": address}


def draw_topics(draw: random.Random) -> Data | None:
    """What a registration says of its topics."""
    if draw.random() < 0.1:
        return None
    return {
        topic: [draw.choice((4, 8)), draw.choice((4, 8)), draw.choice((6, 4, 2)), 0]
        for topic in ("t1", "t2")
        if draw.random() < 0.7
    }


def draw_call(draw: random.Random) -> list[Any]:
    """One change of a name server's tables."""
    broker = draw_broker(draw)
    address = broker["addr"]
    name = draw.choices(
        [
            "register",
            "unregister",
            "close_channel",
            "advance",
            "query_version",
            "wipe",
            "delete_topic",
        ],
        [8, 2, 2, 3, 2, 1, 1],
    )[0]
    version = [draw.choice((1000, 2000)), draw.choice((0, 1))]
    cluster = draw.choice(("c1", "c1", "c2"))
    calls: dict[str, list[Any]] = {
        "register": [
            {
                "cluster": cluster,
                **broker,
                "ha": address.replace("10911", "10912"),
                "channel": f"ch-{address}",
                "version": version,
                "topics": draw_topics(draw),
            }
        ],
        "unregister": [cluster, address, broker["name"], broker["id"]],
        "close_channel": [f"ch-{address}", draw.choice((address, "10.9.9.9:5"))],
        "advance": [draw.choice((1, EXPIRY_MS - 1, EXPIRY_MS, EXPIRY_MS + 1))],
        "query_version": [address, version],
        "wipe": [broker["name"]],
        "delete_topic": [draw.choice(("t1", "t2"))],
    }
    return [name, *calls[name]]


def list_scripts() -> Iterator[Ask]:
    """Calls, and after each what a client and an administrator are told."""
    draw = random.Random(SEED)
    for _ in range(SCRIPTS):
        steps: list[list[Any]] = []
        for _ in range(CALLS):
            drawn = draw_call(draw)
            steps.append(drawn)
            steps += [["scan"]] if drawn[0] == "advance" else []
            steps += [["route", "t1"], ["route", "t2"], ["cluster_info"]]
        yield Ask("a name server", {"kind": "nameServer", "steps": steps})


def list_learning() -> Iterator[Ask]:
    """Addresses that are configured or not, and answers with and without a master."""
    none = {"masterAddr": None, "haServerAddr": None}
    first = {"masterAddr": "10.0.0.1:10911", "haServerAddr": "10.0.0.1:10912"}
    other = {"masterAddr": "10.0.0.3:10911", "haServerAddr": "10.0.0.3:10912"}
    configured = (None, "", "1:222", "1:2223", "10.0.0.9:10912")
    answers: tuple[list[Data], ...] = ([], [none], [first], [other], [none, first], [first, other])
    for address, one, two in itertools.product(configured, answers, answers):
        ask = {"kind": "learn", "haMasterAddress": address, "registrations": [one, two]}
        yield Ask(f"learn with {address!r}", ask)


def list_needs() -> Iterator[Ask]:
    """One name server or two."""
    own = [1000, 1]
    single: tuple[Any, ...] = (
        *NO_ANSWERS,
        {"changed": True, "version": None},
        {"changed": True, "version": own},
        {"changed": False, "version": None},
        {"changed": False, "version": own},
        {"changed": False, "version": [1000, 2]},
        {"changed": False, "version": [1001, 1]},
    )
    lists = [[], *([each] for each in single), *map(list, itertools.product(single, single))]
    for is_forced in (False, True):
        for answers in lists if not is_forced else lists[:8]:
            ask = {"kind": "need", "version": own, "answers": answers, "isForced": is_forced}
            yield Ask(f"need with {len(answers)} name servers", ask)


def list_others() -> Iterator[Ask]:
    """Permissions, topics in order, periods."""
    topics = {"t1": [4, 8, 6, 1], "t2": [1, 1, 2, 0]}
    for permission in range(8):
        ask = {"kind": "permission", "brokerPermission": permission, "topics": topics}
        yield Ask(f"permission {permission}", ask)
    ordered: tuple[list[str] | None, ...] = (None, [], ["t1"], ["t2"], ["t1", "t2"], ["t3"])
    flags = itertools.product((False, True), (False, True))
    for (one, two), names in itertools.product(flags, ordered):
        ask = {
            "kind": "order",
            "version": [1000, 3],
            "topics": {"t1": one, "t2": two},
            "ordered": names,
            "nowMs": 5000,
        }
        yield Ask("topics in order", ask)
    for period in (0, 9_999, 10_000, 10_001, 30_000, 59_999, 60_000, 60_001, 10**9):
        yield Ask(f"period {period}", {"kind": "period", "registerNameServerPeriod": period})


def list_asks(_release: str) -> Iterator[Ask]:
    """Scripts are drawn; all else is enumerated."""
    yield from list_scripts()
    yield from list_learning()
    yield from list_needs()
    yield from list_others()


VERSION = schema.describe(schema.make_list(schema.INTEGER), "Time stamp (ms), counter.")
TOLD = schema.make_object(
    {"masterAddr": schema.OPTIONAL_TEXT, "haServerAddr": schema.OPTIONAL_TEXT}
)
TOPICS = schema.describe(
    schema.make_table(schema.make_list(schema.INTEGER)), "Read and write queues, perm, sys flag."
)
STEP = schema.describe(
    {"type": "array", "prefixItems": [schema.make_choice(*OPERATIONS)]},
    "A call and its arguments.",
)
ASKS: Mapping[str, Data] = {
    "nameServer": schema.make_object({"steps": schema.make_list(STEP)}),
    "learn": schema.make_object(
        {
            "haMasterAddress": schema.OPTIONAL_TEXT,
            "registrations": schema.describe(
                schema.make_list(schema.make_list(TOLD)), "For each the answers, in their order."
            ),
        }
    ),
    "need": schema.make_object(
        {"version": VERSION, "answers": {"type": "array"}, "isForced": schema.FLAG}
    ),
    "permission": schema.make_object({"brokerPermission": schema.COUNT, "topics": TOPICS}),
    "order": schema.make_object(
        {
            "version": VERSION,
            "topics": schema.make_table(schema.FLAG),
            "ordered": schema.make_nullable(schema.make_list(schema.TEXT)),
            "nowMs": schema.INTEGER,
        }
    ),
    "period": schema.make_object({"registerNameServerPeriod": schema.INTEGER}),
}
LEARNT = schema.make_object(
    {"masterAddr": schema.OPTIONAL_TEXT, "haMasterAddr": schema.OPTIONAL_TEXT}
)
QUEUES = schema.make_object(dict.fromkeys(("read", "write", "perm", "flag"), schema.INTEGER))
ANSWERS: tuple[Data, ...] = (
    schema.describe(schema.make_object({"steps": {"type": "array"}}), "What each call returns."),
    schema.make_object({"steps": schema.make_list(LEARNT)}),
    schema.make_object({"isSent": schema.FLAG}),
    schema.make_object({"topics": schema.make_table(QUEUES)}),
    schema.make_object({"topics": schema.make_table(schema.FLAG), "version": VERSION}),
    schema.make_object({"periodMs": schema.COUNT}),
)

REGISTRATION = VectorSet(
    "registration",
    "Calls to a name server and its answers; what a broker sends, and what it learns.",
    list_asks,
    answer,
    schema.make_kinds(ASKS),
    {"anyOf": list(ANSWERS)},
    {"4.4.0": "4.4.0"},
    SEED,
    "The name server was read at 4.4.0 alone.",
)
