"""What brokers' own logs tell of their tables, line by line, and what it does to the worlds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from attrs import evolve

from brokers.recordings.ahead.told import Telling, ToldLine
from brokers.recordings.reading import Event
from brokers.recordings.tables.looks import describe_group
from brokers.recordings.tables.symbols import name_stamp
from brokers.recordings.tables.topics import TopicChange, TopicSide
from brokers.recordings.tables.worlds import TablesEnvironment, advance, change_tables
from brokers.recordings.view import Blocked, View
from reference.decisions.metadata.broker_tables import BrokerTables
from reference.decisions.reading.subscription_group import DEFAULT_GROUP

Look: TypeAlias = Callable[[View, float], TablesEnvironment]
"""Which hidden steps are possible at a moment."""


def follow_logs(view: View, event: Event, look: Look) -> View:
    """The worlds after what the brokers' logs tell of the time before an event."""
    for line in view.plan.logs.list_between(view.tables.told_seq, event.seq):
        if line.node and line.node not in view.tables.worlds[0]:
            continue
        view = evolve(view, tables=evolve(view.tables, told_seq=line.seq - 1))
        side = advance(view.tables, look(view, line.t_ms))
        view = evolve(view, tables=side)
        if side.is_given_up or not side.worlds:
            return view
        if line.what in LINES:
            view = LINES[line.what](view, line)
    told_seq = max(view.tables.told_seq, event.seq - 1)
    return evolve(view, tables=evolve(view.tables, told_seq=told_seq))


def follow_topic_line(view: View, line: ToldLine) -> View:
    """A broker's log tells of a change of its topics: it is under way from here on.

    For an administrator the table is changed before the line is written, else behind it.
    """
    is_alone = line.what is Telling.TOPIC_MADE_ALONE
    change = TopicChange(
        line.name,
        name_stamp(line.t_ms),
        is_alone=is_alone,
        is_deletion=line.what is Telling.TOPIC_DELETED,
        is_made=not is_alone,
    )
    return change_topics(view, line.node, lambda topics: topics.begin(change))


def follow_asked_topic(view: View, line: ToldLine) -> View:
    """An administrator's request begins when the one before it is over."""
    return change_topics(view, line.node, lambda topics: topics.end(is_alone=False))


def follow_copy_line(view: View, line: ToldLine) -> View:
    """A slave's log tells that a step of a copy is over."""
    side = view.tables
    form, started_ms = side.form, side.started_ms.get(line.node, line.t_ms)
    number = round((line.t_ms - started_ms - form.first_ms) / form.period_ms)
    worlds = tuple(
        {**world, line.node: evolve(world[line.node], copies=max(0, number) + 1)}
        for world in side.worlds
        if world[line.node].copied_seq >= line.seq
    )
    if not worlds:
        raise Blocked(f"{line.node} has copied {line.name}, but knew no master to copy from")
    return evolve(view, tables=evolve(side, worlds=worlds))


def follow_group_line(view: View, line: ToldLine) -> View:
    """A client has named a group that there was not."""
    return change_worlds(view, line.node, lambda tables: make_group(tables, line.name, line.t_ms))


def follow_remark(view: View, _: ToldLine) -> View:
    """The recorder has done something to the files of ``config/``."""
    return evolve(view, tables=evolve(view.tables, are_files_open=True))


LINES: Mapping[Telling, Callable[[View, ToldLine], View]] = {
    Telling.TOPIC_ASKED: follow_asked_topic,
    Telling.TOPIC_MADE: follow_topic_line,
    Telling.TOPIC_MADE_ALONE: follow_topic_line,
    Telling.TOPIC_DELETED: follow_topic_line,
    Telling.COPIED: follow_copy_line,
    Telling.GROUP_MADE: follow_group_line,
    Telling.FILES_TOUCHED: follow_remark,
}
"""What a line of a broker's log says of its tables."""


def change_worlds(view: View, name: str, change: Callable[[BrokerTables], BrokerTables]) -> View:
    """One change of a broker's groups or progress, in every world."""
    worlds = tuple(
        change_tables(world, name, change(world[name].tables)) for world in view.tables.worlds
    )
    return evolve(view, tables=evolve(view.tables, worlds=worlds))


def change_topics(view: View, name: str, change: Callable[[TopicSide], TopicSide]) -> View:
    """One change of a broker's topics, in every world."""
    worlds = tuple(
        {**world, name: world[name].change_topics(change(world[name].topics))}
        for world in view.tables.worlds
    )
    return evolve(view, tables=evolve(view.tables, worlds=worlds))


def make_group(tables: BrokerTables, group: str, now_ms: float) -> BrokerTables:
    """The tables with a group (SubscriptionGroupManager#findSubscriptionGroupConfig)."""
    if group in tables.groups.entries:
        return tables
    entry = describe_group(DEFAULT_GROUP)
    return evolve(tables, groups=tables.groups.put(group, entry, now_ms))
