"""Events about tables: commits, queries, copies, registrations, and looks at the tables.

A broker that is seen by its store only (``node_started``) has none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import evolve

from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.ahead.told import Telling, ToldLine
from brokers.recordings.reading import Event
from brokers.recordings.tables.delays import count_delayed
from brokers.recordings.tables.lines import (
    change_topics,
    change_worlds,
    follow_logs,
    make_group,
)
from brokers.recordings.tables.looks import (
    describe_group,
    follow_start,
    keep_agreeing,
    make_registration,
)
from brokers.recordings.tables.pulls import REFUSED, make_situation
from brokers.recordings.tables.queries import check_query
from brokers.recordings.tables.reads import find_running_node, read_store_settings
from brokers.recordings.tables.symbols import name_stamp
from brokers.recordings.tables.topics import HELD_UP_MS, TopicChange, TopicSide
from brokers.recordings.tables.worlds import (
    TablesEnvironment,
    World,
    add_contents,
    advance,
    freeze,
    list_told,
    name_address,
)
from brokers.recordings.view import Blocked, View, check
from reference.decisions.metadata.broker_tables import DataVersion
from reference.decisions.metadata.copying import is_master_known, sync_all
from reference.decisions.name_server.registry import RegisterBrokerResult, make_answer
from reference.decisions.name_server.removal import remove_address
from reference.decisions.progress.offset_table import OffsetTable, name_key
from reference.decisions.reading.pull import SUSPEND_TIMEOUT_MS, ResponseCode
from reference.decisions.reading.pull_processor import CHECK_INTERVAL_MS, compute_commit
from reference.decisions.reading.settings import BrokerSettings
from reference.decisions.reading.subscription_group import SubscriptionGroup
from reference.releases.releases import is_since

ANSWERED_LAST = "4.7.1"
"""From this release on an administrator is answered when the topic has been made."""

NO_GROUP_CODES = (ResponseCode.NO_PERMISSION, ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST)
"""A pull that is refused in this way has made no group."""


def check_running(view: View, event: Event) -> View:
    """Something that only a running broker does."""
    find_running_node(view, event)
    return view


def check_request(view: View, event: Event) -> View:
    """A commit of progress is always accepted, on slaves as well (R-CO-01)."""
    find_running_node(view, event)
    view = check(view, "response_code", 0, event["response_code"])
    return check(view, "response", "SUCCESS", event["response"])


def follow(view: View, event: Event) -> View:
    """The worlds after one more event; raises Blocked when it fits none of them."""
    name = event.data.get("node")
    change = CHANGES.get(event.kind)
    is_followed = event.kind == "broker_started" or name in view.tables.worlds[0]
    if change is None or not is_followed or view.tables.is_given_up:
        return view
    view = follow_logs(view, event, look_around)
    side = view.tables
    if side.worlds and not side.is_given_up:
        side = advance(side, look_around(view, event.t_ms))
    if not side.worlds:
        raise Blocked("a slave that knows its master has left out a copy that it owes")
    followed = evolve(view, tables=side)
    return followed if side.is_given_up else change(followed, event)


def look_around(view: View, now_ms: float) -> TablesEnvironment:
    """Which hidden steps are possible at a moment."""
    slaves = list_telling(view, Telling.COPIED)
    copies = {name: list_copies_soon(view, name, now_ms) for name in slaves}
    return TablesEnvironment(
        now_ms=now_ms,
        master=view.plan.master,
        is_master_there=is_master_there(view),
        answers=list_registration_answers(view),
        is_master_stopping=view.is_stopping(MASTER),
        telling=list_telling(view, Telling.TOPIC_ASKED),
        told_copies=copies,
        held_commits=list_held_commits(view, now_ms) if any(copies.values()) else (),
    )


def list_telling(view: View, subject: Telling) -> frozenset[str]:
    """The brokers whose logs tell all of a subject at this place of the recording."""
    seq, nodes = view.tables.told_seq + 1, view.tables.worlds[0]
    return frozenset(name for name in nodes if view.plan.logs.is_told(name, subject, seq))


def list_held_commits(view: View, now_ms: float) -> Sequence[tuple[str, int, int]]:
    """Progress of pulls that the master may hold now.

    It is stored before they are answered (R-PM-08; x2_consumer_offsets_and_sync seq 118 and 121).
    """
    held = (
        event
        for event in view.plan.recording.events
        if event.kind == "pull_message"
        and event.seq > view.tables.told_seq
        and event["node"] == view.plan.master
        and event["suspend_flag"]
        and event.t_ms - count_held_ms(event) <= now_ms
    )
    offsets = ((event, find_commit(view, event)) for event in held)
    return [
        (name_key(event["topic"], event["group"]), event["queue"], offset)
        for event, offset in offsets
        if offset is not None
    ]


def count_held_ms(event: Event) -> float:
    """So long a pull is held at most."""
    asked_ms = event.data.get("suspend_timeout_ms", SUSPEND_TIMEOUT_MS)
    return float(asked_ms + CHECK_INTERVAL_MS)


def list_copies_soon(view: View, name: str, now_ms: float) -> Sequence[ToldLine]:
    """The next lines of a slave's log about copies that may have been made already."""
    latest_ms = now_ms + view.tables.form.request_timeout_ms
    lines = view.plan.logs.list_between(view.tables.told_seq, float("inf"))
    return [
        line
        for line in lines
        if line.what is Telling.COPIED and line.node == name and line.t_ms <= latest_ms
    ]


def is_master_there(view: View) -> bool:
    """The master answers requests, and its tables are followed."""
    is_followed = view.plan.master in view.tables.worlds[0]
    return is_followed and view.is_up(MASTER) and view.master.is_started


def list_registration_answers(view: View) -> tuple[RegisterBrokerResult, ...]:
    """What a slave may be told when it registers; a master that stops may be listed or not."""
    told = make_answer(view.tables.registry, make_registration("", 1, DataVersion(0)))
    return (told, RegisterBrokerResult()) if view.is_stopping(MASTER) else (told,)


def follow_commit(view: View, event: Event) -> View:
    """Progress is stored in memory."""
    key = name_key(event["topic"], event["group"])
    return change_worlds(
        view, event["node"], lambda tables: tables.commit(key, event["queue"], event["offset"])
    )


def follow_pull(view: View, event: Event) -> View:
    """A pull makes an unknown group, and on a master it may carry progress (R-PM-08)."""
    if event["response_code"] not in NO_GROUP_CODES:
        view = change_worlds(
            view, event["node"], lambda tables: make_group(tables, event["group"], event.t_ms)
        )
    offset = find_commit(view, event)
    if offset is None:
        return view
    key = name_key(event["topic"], event["group"])
    queue = event["queue"]
    return change_worlds(view, event["node"], lambda tables: tables.commit(key, queue, offset))


def find_commit(view: View, event: Event) -> int | None:
    """The progress that a pull has stored when it came, unless it was refused."""
    if event["next_begin_offset"] == REFUSED:
        return None
    store = read_store_settings(view, view.plan.find_node(event))
    situation = make_situation(event, store, BrokerSettings())
    return compute_commit(evolve(situation, pull=evolve(situation.pull, is_first_pass=True)))


def follow_topic(view: View, event: Event) -> View:
    """A topic is answered, and made afterwards (AdminBrokerProcessor#updateAndCreateTopic).

    The log of the broker tells when, where it is recorded. The broker registers the topic at once,
    and learns from the answer (R-NS-03).
    """
    name, topic = event["node"], event["topic"]
    if name not in list_telling(view, Telling.TOPIC_ASKED):
        view = change_topics(view, name, lambda topics: begin_answered(view, topics, event))
    elif not view.plan.logs.has_request(name, topic, event.seq):
        raise Blocked(f"{name} has answered a request for {topic} of which its log does not tell")
    return follow_registration(view, event)


def begin_answered(view: View, topics: TopicSide, event: Event) -> TopicSide:
    """The topics of a broker that has answered a request: the change is soon over."""
    change = TopicChange(
        event["topic"],
        name_stamp(event.t_ms),
        is_alone=False,
        latest_ms=event.t_ms + HELD_UP_MS,
    )
    begun = topics.begin(change)
    is_over = is_since(view.plan.version.release, ANSWERED_LAST)
    return begun.end(is_alone=False) if is_over else begun


def follow_group(view: View, event: Event) -> View:
    """A group is made or replaced."""
    slow = event["which_broker_when_consume_slowly"]
    entry = describe_group(SubscriptionGroup(broker_id=event["broker_id"], slow_broker_id=slow))
    return change_worlds(
        view,
        event["node"],
        lambda tables: evolve(tables, groups=tables.groups.put(event["group"], entry, event.t_ms)),
    )


def follow_send(view: View, event: Event) -> View:
    """A message that was taken has made its topic if there was none; a slave takes none."""
    name, topic = event["node"], event["topic"]
    if name != view.plan.master or event.data.get("queue_offset") is None:
        return view
    view = count_delayed(view, event)
    if name in list_telling(view, Telling.TOPIC_ASKED):
        return view
    change = TopicChange(topic, name_stamp(event.t_ms), is_alone=True)

    def make_topic(topics: TopicSide) -> TopicSide:
        is_there = topic in topics.table.entries
        return topics if is_there else topics.begin(change).end(is_alone=True)

    return change_topics(view, name, make_topic)


def follow_copy(view: View, event: Event) -> View:
    """A slave was told to copy; it does nothing without a master (R-MS-03)."""
    name, master, side = event["node"], view.plan.master, view.tables
    if not is_master_there(view):
        return view
    worlds: list[World] = []
    contents: dict[Any, OffsetTable | None] = {}
    for world in side.worlds:
        tables = sync_all(world[name].tables, world[master].tables)
        worlds.append({**world, name: world[name].take_copy(tables)})
        is_copied = is_master_known(tables)
        contents |= {freeze(tables.offsets): tables.offsets} if is_copied else side.files[name]
    files = {**side.files, name: contents}
    side = evolve(side, worlds=tuple(worlds), files=files)
    return evolve(view, tables=side)


def follow_registration(view: View, event: Event) -> View:
    """A broker registers; a slave takes what it is told of its master, even nothing (R-NS-03)."""
    if event["node"] == view.plan.master:
        return view
    side = view.tables
    name, answers = event["node"], list_registration_answers(view)
    worlds = tuple(
        {**world, name: world[name].tell(answer)}
        for world in side.worlds
        for answer in list_told(side, name, world[name], answers)
    )
    told_ms = {each: ms for each, ms in side.told_ms.items() if each != name}
    if is_master_there(view) and all(answer.master_address for answer in answers):
        told_ms[name] = side.told_ms.get(name, event.t_ms)
    return evolve(view, tables=evolve(side, worlds=worlds, told_ms=told_ms))


def follow_persist(view: View, event: Event) -> View:
    """Progress is written (R-CO-03)."""
    side, name = view.tables, event["node"]
    files = {**side.files, name: add_contents({}, side.worlds, name)}
    return evolve(view, tables=evolve(side, files=files))


def follow_end(view: View, event: Event) -> View:
    """A process has ended; the name server sees its channels close (R-NS-05)."""
    side = view.tables
    started_ms = {name: ms for name, ms in side.started_ms.items() if name != event["node"]}
    registry = remove_address(side.registry, name_address(event["node"]))
    is_master = event["node"] == view.plan.master
    told_ms = {n: ms for n, ms in side.told_ms.items() if n != event["node"] and not is_master}
    killed = side.killed | {event["node"]} if event.kind == "node_kill9" else side.killed
    ended = evolve(side, registry=registry, started_ms=started_ms, told_ms=told_ms, killed=killed)
    return evolve(view, tables=ended)


def follow_clean_stop(view: View, event: Event) -> View:
    """A broker that stops writes its progress, and unregisters (R-BR-08)."""
    return follow_end(follow_persist(view, event), event)


CHANGES: Mapping[str, Callable[[View, Event], View]] = {
    "broker_started": follow_start,
    "process_started": follow_start,
    "tables": keep_agreeing,
    "update_consumer_offset": follow_commit,
    "query_consumer_offset": check_query,
    "pull_message": follow_pull,
    "update_topic": follow_topic,
    "update_subscription_group": follow_group,
    "send_message": follow_send,
    "put": count_delayed,
    "sync_all": follow_copy,
    "register_broker": follow_registration,
    "persist_consumer_offsets": follow_persist,
    "node_stop_clean": follow_clean_stop,
    "node_kill9": follow_end,
    "process_exit": follow_end,
}
"""What each kind of event says of tables."""
