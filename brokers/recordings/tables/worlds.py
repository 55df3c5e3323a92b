"""What the tables of recorded brokers may be: every history that fits the events so far.

Brokers also register, copy and persist by themselves, and no event tells when. So a recording has
several possible histories, the *worlds*; each event keeps those that agree with it. A world holds
what is in memory; what the files of progress may hold is kept beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

from brokers.recordings.ahead.told import ToldLine
from brokers.recordings.tables.symbols import Symbols, name_stamp
from brokers.recordings.tables.topics import HALF_TOPIC, HALF_TOPIC_MS, TopicChange, TopicSide
from reference.decisions.metadata.broker_tables import BrokerTables, DelayOffsets
from reference.decisions.metadata.copying import (
    FORM_4_4_0,
    STEPS,
    CopyForm,
    is_master_known,
)
from reference.decisions.name_server.broker_side import FIRST_MS as FIRST_REGISTRATION_MS
from reference.decisions.name_server.broker_side import Addresses, learn
from reference.decisions.name_server.registry import RegisterBrokerResult, Registry
from reference.decisions.progress.offset_table import OffsetTable

START_LONGEST_MS = 3_000.0
"""So long before its start is seen, a broker may have begun to count the time of its timers."""

START_END_MS = 1_000.0
"""The same for timers that begin with the end of the start."""

COPY_LATEST_MS = 20_000.0
"""So late a copy may begin, if the thread that it shares is busy."""

FIRST_PERSIST_MS = 10_000.0
"""From the start to the first time that progress is written (R-CO-03)."""

NOTICE_MS = 1_000.0
"""So long after it was told of its master a slave counts as knowing it."""

WORLDS_MAX = 300

CONTENTS_MAX = 1_000
"""With more worlds, or more that a file may hold, a recording leaves too much open: its tables are
followed no further."""


@frozen
class NodeTables:
    """One broker in one world."""

    tables: BrokerTables
    """Of its delay offsets the least that they may be, since no event tells of deliveries."""
    topics: TopicSide
    """Where its topics stand: the table in memory is also in ``tables``."""
    ha_master: str | None = None
    """Where a slave copies the log from, as far as it has learnt it."""
    copies: int = 0
    """How many of its own copies have begun, or are left out."""
    steps_left: tuple[str, ...] = ()
    """Steps of the copy under way."""
    copied_seq: int = -1
    """The latest line of its log about a step of a copy that it has made."""
    is_delay_known: bool = False
    """The delay offsets of its memory are those of ``tables`` exactly, not at least."""

    def change_topics(self, topics: TopicSide) -> NodeTables:
        """With other topics."""
        return evolve(self, topics=topics, tables=evolve(self.tables, topics=topics.table))

    def take_copy(self, tables: BrokerTables) -> NodeTables:
        """After a step of a copy: topics that it has replaced are in their file too."""
        is_copied = tables.topics is not self.tables.topics
        topics = self.topics.replace(tables.topics) if is_copied else self.topics
        return evolve(self, tables=tables, topics=topics)

    def tell(self, answer: RegisterBrokerResult) -> NodeTables:
        """After a registration with this answer (R-NS-03)."""
        known = learn(Addresses(self.tables.master_address, self.ha_master), (answer,))
        tables = evolve(self.tables, master_address=known.master)
        return evolve(self, tables=tables, ha_master=known.ha_master)


World: TypeAlias = Mapping[str, NodeTables]
"""By the broker's name."""

Contents: TypeAlias = Mapping[Any, OffsetTable | None]
"""What a file may hold, by a key of the content; None: there is no file."""


@frozen
class TableSide:
    """What is known of the tables of all brokers."""

    worlds: tuple[World, ...] = ({},)
    files: Mapping[str, Contents] = field(factory=dict)
    """By broker: what its file of progress may hold."""
    delayed: DelayOffsets = field(factory=dict)
    """By level: how many delayed messages the master has taken."""
    registry: Registry = field(factory=Registry)
    started_ms: Mapping[str, float] = field(factory=dict)
    """When each broker that runs was seen to start."""
    begun_ms: Mapping[str, float] = field(factory=dict)
    """When its process has begun at the latest."""
    symbols: Symbols = field(factory=Symbols)
    """How the recording writes addresses, and the time of the day."""
    told_seq: int = -1
    """Up to where the brokers' logs are followed."""
    are_files_open: bool = False
    """The recorder has done something to the files of ``config/``."""
    told_ms: Mapping[str, float] = field(factory=dict)
    """By slave: since when it was seen to know its master, which has run ever since."""
    killed: frozenset[str] = frozenset()
    """The brokers that were killed, and have not started since."""
    own_masters: frozenset[str] = frozenset()
    """Slaves that may be told that they are their own master: a name server that has not noticed
    the end of their life as one goes on naming their address (``self_slave_power`` seq 41)."""
    form: CopyForm = FORM_4_4_0
    """When a slave of the recorded release copies."""
    is_given_up: bool = False
    """Too much is open; nothing is followed any more."""

    def is_due(
        self, name: str, delay_ms: float, now_ms: float, early_ms: float = START_LONGEST_MS
    ) -> bool:
        """A timer of a broker that runs may have fired; it may be so early."""
        return name in self.started_ms and now_ms >= self.begun_ms[name] - early_ms + delay_ms


@frozen
class TablesEnvironment:
    """What decides which hidden steps are possible at an event."""

    now_ms: float
    master: str
    is_master_there: bool
    """It answers requests."""
    answers: tuple[RegisterBrokerResult, ...]
    """What a slave may be told of its master."""
    is_master_stopping: bool = False
    """Its clean stop has begun."""
    telling: frozenset[str] = frozenset()
    """The brokers whose logs tell every change of their topics."""
    told_copies: Mapping[str, Sequence[ToldLine]] = field(factory=dict)
    """By slave whose log tells of all its copies: the lines of steps that it may have made."""
    held_commits: Sequence[tuple[str, int, int]] = ()
    """Progress that pulls may have brought to the master which it answers later: a key, a queue and
    an offset each."""


def advance(side: TableSide, surroundings: TablesEnvironment) -> TableSide:
    """With every world that hidden steps may have made, and every file that they may have left."""
    now_ms = surroundings.now_ms
    worlds = leave_out_overdue(close(side, surroundings), side, now_ms)
    files = dict(side.files)
    for name in worlds[0] if worlds else ():
        if side.is_due(name, FIRST_PERSIST_MS, now_ms):
            files[name] = add_contents(files.get(name, {}), worlds, name)
    most = max(map(len, files.values()), default=0)
    if len(worlds) > WORLDS_MAX or most > CONTENTS_MAX:
        return TableSide(is_given_up=True)
    return evolve(side, worlds=worlds, files=files)


def close(side: TableSide, surroundings: TablesEnvironment) -> tuple[World, ...]:
    """The worlds, and every one that hidden steps may have made of them."""
    found: dict[Any, World] = {}
    now_ms = surroundings.now_ms
    waiting = [skip_late_copies(end_late(w, side, now_ms), side, now_ms) for w in side.worlds]
    while waiting and len(found) <= WORLDS_MAX:
        world = waiting.pop()
        key = make_key(world)
        if key not in found:
            found[key] = world
            waiting += list_hidden_steps(world, side, surroundings)
    return tuple(found.values())


def make_key(world: World) -> Any:
    """Equal for equal worlds."""
    return tuple(
        (
            name,
            node.topics.key,
            node.tables.groups.version,
            freeze(node.tables.offsets),
            freeze_delays(node.tables.delay_offsets),
            freeze_delays(node.tables.delay_file),
            node.tables.master_address,
            node.ha_master,
            node.copies,
            node.steps_left,
            node.copied_seq,
        )
        for name, node in world.items()
    )


def freeze(offsets: OffsetTable | None) -> Any:
    """A key of a table of progress."""
    if offsets is None:
        return None
    return frozenset((key, frozenset(queues.items())) for key, queues in offsets.items())


def freeze_delays(offsets: DelayOffsets | None) -> Any:
    """A key of delay offsets."""
    return None if offsets is None else frozenset(offsets.items())


def add_contents(contents: Contents, worlds: Iterable[World], name: str) -> Contents:
    """What a file may hold once it may have been written."""
    tables = {id(world[name].tables.offsets): world[name].tables.offsets for world in worlds}
    return {**contents, **{freeze(offsets): offsets for offsets in tables.values()}}


def end_late(world: World, side: TableSide, now_ms: float) -> World:
    """With the changes of topics over that should be, of brokers that run."""
    changed = dict(world)
    for name, node in world.items():
        if node.topics.changes and name in side.started_ms:
            changed[name] = node.change_topics(node.topics.end_late(now_ms))
    return changed


def skip_late_copies(world: World, side: TableSide, now_ms: float) -> World:
    """A copy that should have begun long ago has failed as a whole, if it may fail."""
    changed = dict(world)
    for name, node in world.items():
        if is_copy_late(side, name, node.copies, now_ms) and not is_owed(side, name, node.copies):
            changed[name] = evolve(node, copies=node.copies + 1, steps_left=())
    return changed


def is_copy_late(side: TableSide, name: str, number: int, now_ms: float) -> bool:
    """A copy should have begun long ago."""
    started_ms = side.started_ms.get(name)
    latest_ms = side.form.compute_copy_ms(number) + COPY_LATEST_MS
    return started_ms is not None and now_ms >= started_ms + latest_ms


def is_owed(side: TableSide, name: str, number: int) -> bool:
    """A slave cannot leave a copy out: it knew a master before, which has run ever since."""
    told_ms = side.told_ms.get(name)
    due_ms = side.begun_ms[name] - START_LONGEST_MS + side.form.compute_copy_ms(number)
    return told_ms is not None and told_ms + NOTICE_MS <= due_ms


def leave_out_overdue(
    worlds: tuple[World, ...], side: TableSide, now_ms: float
) -> tuple[World, ...]:
    """The worlds without those in which a slave still owes a copy that should long be over."""

    def is_overdue(name: str, number: int) -> bool:
        is_late = name in side.told_ms and is_copy_late(side, name, number, now_ms)
        return is_late and is_owed(side, name, number)

    return tuple(
        world
        for world in worlds
        if not any(is_overdue(name, n) for name, node in world.items() for n in list_open(node))
    )


def list_open(node: NodeTables) -> tuple[int, ...]:
    """The copies that are not over: the one under way, and the next."""
    return (node.copies - 1, node.copies) if node.steps_left else (node.copies,)


def list_told(
    side: TableSide, name: str, node: NodeTables, answers: Iterable[RegisterBrokerResult]
) -> tuple[RegisterBrokerResult, ...]:
    """What a slave may be told, perhaps of itself; then it is, until a master registers.

    Its own registrations at that address keep the entry alive (RouteInfoManager#registerBroker).
    """
    own = RegisterBrokerResult(name_address(name), name_ha_address(name))
    if name not in side.own_masters:
        return tuple(answers)
    is_told = node.tables.master_address == own.master_address
    return (own,) if is_told else (*answers, own)


def name_address(name: str) -> str:
    """How a recording writes a broker's address."""
    return f"<{name}>"


def name_ha_address(name: str) -> str:
    """How a recording writes where a broker takes connections of slaves."""
    return f"<{name}_ha>"


def list_hidden_steps(
    world: World, side: TableSide, surroundings: TablesEnvironment
) -> Iterator[World]:
    """What one hidden step makes of a world: topics change, a slave registers or copies."""
    for name, node in world.items():
        if name in side.started_ms:
            for topics in node.topics.list_steps(may_fail=side.are_files_open):
                yield {**world, name: node.change_topics(topics)}
        if name == surroundings.master:
            yield from list_master_steps(world, side, surroundings)
            continue
        if side.is_due(name, FIRST_REGISTRATION_MS, surroundings.now_ms, START_END_MS):
            for answer in list_told(side, name, node, surroundings.answers):
                yield {**world, name: node.tell(answer)}
        if name in surroundings.told_copies:
            yield from make_told_step(world, name, surroundings)
        else:
            yield from list_copy_steps(world, name, side, surroundings)


def list_master_steps(
    world: World, side: TableSide, surroundings: TablesEnvironment
) -> Iterator[World]:
    """What the master does: it makes a topic by itself, and stores what held pulls have brought."""
    name = surroundings.master
    yield from make_half_topic(world, side, surroundings)
    for key, queue, offset in surroundings.held_commits:
        yield change_tables(world, name, world[name].tables.commit(key, queue, offset))


def list_copy_steps(
    world: World, name: str, side: TableSide, surroundings: TablesEnvironment
) -> Iterator[World]:
    """A slave begins a copy, makes the next step of one, or gives it up."""
    node, now_ms = world[name], surroundings.now_ms
    if not node.steps_left:
        if side.is_due(name, side.form.compute_copy_ms(node.copies), now_ms):
            steps = tuple(STEPS)
            yield {**world, name: evolve(node, copies=node.copies + 1, steps_left=steps)}
        return
    if surroundings.is_master_there and is_master_known(node.tables):
        step, *rest = node.steps_left
        made = make_step(world, name, surroundings.master, step)
        yield {**world, name: evolve(made, steps_left=tuple(rest))}
    number = node.copies - 1
    if is_copy_late(side, name, number, now_ms) and not is_owed(side, name, number):
        yield {**world, name: evolve(node, steps_left=())}


def make_told_step(world: World, name: str, surroundings: TablesEnvironment) -> Iterator[World]:
    """The next step of which a slave's log tells is made some time before its line."""
    node, master = world[name], find_source(world, name, surroundings.master)
    lines = surroundings.told_copies[name]
    line = next((each for each in lines if each.seq > node.copied_seq), None)
    if line is None or master not in world or not is_master_known(node.tables):
        return
    made = evolve(make_step(world, name, master, line.name), copied_seq=line.seq)
    yield {**world, name: made}


def find_source(world: World, name: str, master: str) -> str:
    """Whom a slave copies: its master, or itself where it takes itself for that."""
    return name if world[name].tables.master_address == name_address(name) else master


def make_half_topic(
    world: World, side: TableSide, surroundings: TablesEnvironment
) -> Iterator[World]:
    """The master makes a topic by itself some time after its start, where no log tells when."""
    name, now_ms = surroundings.master, surroundings.now_ms
    node = world[name]
    is_due = surroundings.is_master_stopping or side.is_due(name, HALF_TOPIC_MS, now_ms)
    is_there = HALF_TOPIC in node.tables.topics.entries
    if name in surroundings.telling or is_there or not is_due or name not in side.started_ms:
        return
    stamp_ms = name_stamp(side.begun_ms[name])
    change = TopicChange(HALF_TOPIC, stamp_ms, is_alone=True)
    yield {**world, name: node.change_topics(node.topics.begin(change).end(is_alone=True))}


def make_step(world: World, name: str, master: str, step: str) -> NodeTables:
    """A slave after a step of its copy."""
    node = world[name]
    instants = (node.tables, *STEPS[step](node.tables, world[master].tables))
    return node.take_copy(instants[-1])


def change_tables(world: World, name: str, tables: BrokerTables) -> World:
    """A world with other tables of one broker."""
    return {**world, name: evolve(world[name], tables=tables)}
