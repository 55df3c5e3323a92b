"""Consumers' progress under faults: every short sequence of steps of one group of consumers.

One queue, one consumer at a time, one master and one slave. The steps are those of the reference
functions; `explore` goes through all sequences of them up to a length, shortest first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

from reference.decisions.metadata.broker_tables import BrokerTables, DataVersion, VersionedTable
from reference.decisions.metadata.copying import merge_larger_offsets, sync_all
from reference.decisions.progress.client_offsets import (
    NOT_TAKEN,
    Beginning,
    ConsumeFromWhere,
    compute_pull_from_where,
    read_stored,
)
from reference.decisions.progress.offset_table import (
    QueryAnswer,
    QueryConsumerOffsetRequest,
    answer_query,
)
from reference.decisions.reading.client import Client, choose_offset_store
from reference.roles import MASTER_ID

KEY = "T@G"
QUEUE = 0
SLAVE_ID = 1
MASTER_ADDRESS = "master"
NOTHING = -1
"""No progress."""


@frozen
class Limits:
    """The limits of an exploration."""

    messages: int = 2
    """Messages in the queue."""
    faults: int = 1
    """Kills of brokers together."""
    steps: int = 8
    """Steps in a sequence."""
    is_queue_young: bool = True
    """The queue still begins at 0, and near the end of the log."""
    strategy: ConsumeFromWhere = ConsumeFromWhere.LAST_OFFSET
    """Where a group without progress begins."""
    is_consumer_replaced: bool = True
    """A consumer may end without notice, and another one take its queue."""
    is_larger_kept: bool = False
    """Not 4.4.0: a copy never lowers the slave's progress."""
    is_brought_back: bool = False
    """Not 4.4.0: a master that returns takes over what its slave has of larger progress."""


def make_broker() -> BrokerTables:
    """A broker that knows only its master."""
    empty: VersionedTable[Any] = VersionedTable(DataVersion(0))
    return BrokerTables(empty, empty, master_address=MASTER_ADDRESS)


@frozen
class ProgressSituation:
    """Two brokers and the consumer."""

    master: BrokerTables = field(factory=make_broker)
    slave: BrokerTables = field(factory=make_broker)
    is_master_up: bool = True
    is_master_listed: bool = True
    """Whether the consumer's route, which is refreshed late, has the master."""
    consumed: int = 0
    """The group has consumed the messages below this."""
    position: int | None = 0
    """The offset that the consumer reads next; None: no consumer runs."""
    faults: int = 0
    ghost_stored: int = NOTHING
    """The highest progress that a broker ever had."""
    ghost_slave_stored: int = NOTHING
    """The highest progress that the slave ever had."""

    @property
    def key(self) -> tuple[object, ...]:
        """Equal for indistinguishable situations."""
        tables = (
            self.master.offsets,
            self.master.offset_file,
            self.slave.offsets,
            self.slave.offset_file,
        )
        shown = (None if table is None else table.get(KEY, {}).get(QUEUE) for table in tables)
        rest = (self.is_master_up, self.is_master_listed, self.consumed, self.position, self.faults)
        return (*shown, *rest, self.ghost_stored, self.ghost_slave_stored)

    def note_stored(self) -> ProgressSituation:
        """The situation with the brokers' present progress recorded."""
        slave = max(self.ghost_slave_stored, get_stored(self.slave))
        stored = max(self.ghost_stored, slave, get_stored(self.master))
        return evolve(self, ghost_stored=stored, ghost_slave_stored=slave)


def get_stored(tables: BrokerTables) -> int:
    """A broker's progress of the group; NOTHING if it has none."""
    return tables.offsets.get(KEY, {}).get(QUEUE, NOTHING)


Step: TypeAlias = Callable[[ProgressSituation, Limits], ProgressSituation | None]
"""The situation after a step; None if the step is not possible."""


def choose_broker(situation: ProgressSituation) -> int:
    """The broker that the consumer queries and sends progress to (R-CC-13)."""
    listed = (MASTER_ID, SLAVE_ID) if situation.is_master_listed else (SLAVE_ID,)
    return choose_offset_store(Client(brokers=listed))


def consume(situation: ProgressSituation, limits: Limits) -> ProgressSituation | None:
    """The consumer takes one message, from whichever broker."""
    if situation.position is None or situation.position >= limits.messages:
        return None
    following = situation.position + 1
    return evolve(situation, position=following, consumed=max(situation.consumed, following))


def commit(situation: ProgressSituation, _limits: Limits) -> ProgressSituation | None:
    """The consumer sends its progress; to a dead master it is lost (R-CC-12, R-CC-13)."""
    if situation.position is None:
        return None
    if choose_broker(situation) == SLAVE_ID:
        return evolve(situation, slave=situation.slave.commit(KEY, QUEUE, situation.position))
    if not situation.is_master_up:
        return None
    return evolve(situation, master=situation.master.commit(KEY, QUEUE, situation.position))


def persist(situation: ProgressSituation, _limits: Limits) -> ProgressSituation | None:
    """The master writes its progress (R-CO-03)."""
    is_up = situation.is_master_up
    return evolve(situation, master=situation.master.persist_offsets()) if is_up else None


def copy(situation: ProgressSituation, limits: Limits) -> ProgressSituation | None:
    """The slave copies (R-MS-06)."""
    if not situation.is_master_up:
        return None
    slave = sync_all(situation.slave, situation.master)
    if limits.is_larger_kept:
        slave = take_larger(slave, situation.slave)
    return evolve(situation, slave=slave)


def take_larger(tables: BrokerTables, other: BrokerTables) -> BrokerTables:
    """A broker after it has taken over another one's larger progress."""
    larger = merge_larger_offsets(tables.offsets, other.offsets)
    return evolve(tables, offsets=larger).persist_offsets()


def kill_master(situation: ProgressSituation, limits: Limits) -> ProgressSituation | None:
    """The master's process ends; progress that is only in memory is lost (R-CO-07)."""
    if not situation.is_master_up or situation.faults >= limits.faults:
        return None
    return evolve(situation, is_master_up=False, faults=situation.faults + 1)


def restart_master(situation: ProgressSituation, limits: Limits) -> ProgressSituation | None:
    """The master comes back with its file."""
    if situation.is_master_up:
        return None
    master = situation.master.restart(0)
    if limits.is_brought_back:
        master = take_larger(master, situation.slave)
    return evolve(situation, is_master_up=True, master=master)


def kill_slave(situation: ProgressSituation, limits: Limits) -> ProgressSituation | None:
    """The slave's process ends and is started again; by then it knows its master."""
    if situation.faults >= limits.faults:
        return None
    back = evolve(situation.slave.restart(0), master_address=MASTER_ADDRESS)
    return evolve(situation, slave=back, faults=situation.faults + 1)


def refresh_route(situation: ProgressSituation, _limits: Limits) -> ProgressSituation | None:
    """The consumer learns whether there is a master (R-CC-04)."""
    if situation.is_master_listed == situation.is_master_up:
        return None
    return evolve(situation, is_master_listed=situation.is_master_up)


def stop_consumer(situation: ProgressSituation, limits: Limits) -> ProgressSituation | None:
    """The consumer ends without notice."""
    may_end = limits.is_consumer_replaced and situation.position is not None
    return evolve(situation, position=None) if may_end else None


def start_consumer(situation: ProgressSituation, limits: Limits) -> ProgressSituation | None:
    """Another consumer takes the queue at the stored progress (R-CC-15)."""
    if situation.position is not None:
        return None
    beginning = Beginning(
        stored=read_stored(ask(situation, limits)),
        strategy=limits.strategy,
        master_max_offset=limits.messages if situation.is_master_up else NOT_TAKEN,
        master_time_offset=limits.messages if situation.is_master_up else NOT_TAKEN,
    )
    position = compute_pull_from_where(beginning).value
    return None if position is None else evolve(situation, position=position)


def ask(situation: ProgressSituation, limits: Limits) -> QueryAnswer | None:
    """The broker's answer to the progress query; None: no broker answers."""
    is_slave = choose_broker(situation) == SLAVE_ID
    if not is_slave and not situation.is_master_up:
        return None
    tables = situation.slave if is_slave else situation.master
    least = 0 if limits.is_queue_young else 1
    return answer_query(
        QueryConsumerOffsetRequest(tables.offsets, KEY, QUEUE, queue_min_offset=least)
    )


STEPS: Mapping[str, Step] = {
    step.__name__: step
    for step in (
        consume,
        commit,
        persist,
        copy,
        kill_master,
        restart_master,
        kill_slave,
        refresh_route,
        stop_consumer,
        start_consumer,
    )
}
"""Every step by its name."""


def is_message_skipped(situation: ProgressSituation) -> bool:
    """The consumer is beyond a message that its group has not consumed."""
    return situation.position is not None and situation.position > situation.consumed


def is_skipped_after_commit(situation: ProgressSituation) -> bool:
    """A message is skipped although every broker's progress was always the group's own."""
    is_own = NOTHING < situation.ghost_stored <= situation.consumed
    return is_message_skipped(situation) and is_own


def is_takeover_behind(situation: ProgressSituation) -> bool:
    """The consumer must query the slave, which has less progress than a broker once had."""
    is_asked = choose_broker(situation) == SLAVE_ID and not situation.is_master_up
    return is_asked and get_stored(situation.slave) < situation.ghost_stored


def is_returned_master_behind(situation: ProgressSituation) -> bool:
    """The consumer queries the running master, which has less progress than a broker once had."""
    is_asked = choose_broker(situation) == MASTER_ID and situation.is_master_up
    return is_asked and get_stored(situation.master) < situation.ghost_stored


def is_slave_set_back(situation: ProgressSituation) -> bool:
    """The slave has less progress than it once had."""
    return NOTHING < get_stored(situation.slave) < situation.ghost_slave_stored


def compute_repeated(situation: ProgressSituation) -> int:
    """The number of messages that the consumer will take although its group has consumed them."""
    return 0 if situation.position is None else max(situation.consumed - situation.position, 0)


def is_message_repeated(situation: ProgressSituation) -> bool:
    """The consumer will take a message again that its group has consumed."""
    return compute_repeated(situation) > 0


@frozen
class Explored:
    """The result of an exploration."""

    situations: int
    """Different ones."""
    found: tuple[str, ...] | None
    """The shortest sequence to a wanted situation; None: there is none."""
    is_complete: bool = False
    """Longer sequences lead to nothing new."""


def explore(limits: Limits, is_wanted: Callable[[ProgressSituation], bool]) -> Explored:
    """All sequences of steps up to the limits, until a wanted situation is found."""
    begin = ProgressSituation()
    seen = {begin.key}
    layer: list[tuple[ProgressSituation, tuple[str, ...]]] = [(begin, ())]
    for _ in range(limits.steps + 1):
        following = []
        for situation, path in layer:
            if is_wanted(situation):
                return Explored(len(seen), path)
            for name, step in STEPS.items():
                after = step(situation, limits)
                noted = after.note_stored() if after else None
                if noted and noted.key not in seen:
                    seen.add(noted.key)
                    following.append((noted, (*path, name)))
        layer = following
    return Explored(len(seen), None, is_complete=not layer)
