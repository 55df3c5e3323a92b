"""Which records the master has written where, and how far a log holds whole ones.

The state tells of each byte in which epoch of the master's log it was written, not where records
begin and end. Dispatch and recovery go from record to record.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from attrs import define, evolve, field, frozen

from tests.reference.recordings.simulation.kernel import MASTER, Kernel, name_log


@frozen
class Record:
    """One record: a message of a queue, or the blank that fills a file."""

    start: int
    end: int
    queue: int | None
    """None for a blank."""


@frozen
class Moved:
    """A part of the master's log that a slave has at another place (R-HC-20)."""

    life: int
    source: int
    """Where it begins in the master's log."""
    start: int
    end: int
    """From where to where the slave has it."""

    def find(self, own: Mapping[int, Record], place: int) -> Record | None:
        """The record that begins at a place of the slave's log, if it has come whole."""
        record, shift = own.get(place - self.start + self.source), self.start - self.source
        if record is None or record.end + shift > self.end:
            return None
        return evolve(record, start=place, end=record.end + shift)


@define(eq=False)
class Ledger:
    """Every record of every epoch of the master's log."""

    kernel: Kernel
    by_life: dict[int, dict[int, Record]] = field(factory=lambda: defaultdict(dict))
    """By epoch and place."""
    moved: dict[int, Moved] = field(factory=dict)
    """By slave: what it has taken last at a wrong offset."""
    next_offsets: Counter[int] = field(factory=Counter)
    """By queue: the number that the next message gets (``CommitLog#topicQueueTable``)."""

    def add(self, start: int, end: int, queue: int | None) -> None:
        """The master has written a record."""
        life = self.kernel.get("master.ghost_life")
        self.by_life[life][start] = Record(start, end, queue)

    def get_life(self, broker: int, offset: int) -> int:
        """In which epoch a byte of a broker's log was written."""
        lives = range(self.kernel.structure.lives)
        ends = (self.kernel.get(f"{name_log(broker)}.ends.{life}") for life in lives)
        return next(life for life, end in enumerate(ends) if offset < end)

    def get_max(self, broker: int) -> int:
        """The end of a broker's log."""
        return self.kernel.get(f"{name_log(broker)}.ends.{self.kernel.structure.lives - 1}")

    def list_records(self, broker: int, begin: int) -> list[Record]:
        """The whole records of a broker's log from an offset on, as far as they are whole."""
        found: list[Record] = []
        place, end = begin, self.get_max(broker)
        while place < end:
            record = self._find(broker, place)
            if record is None or record.end > end:
                break
            if self.get_life(broker, record.end - 1) != self.get_life(broker, place):
                break
            found.append(record)
            place = record.end
        return found

    def _find(self, broker: int, place: int) -> Record | None:
        """The record that begins at a place of a broker's log: nobody asks where it was written.

        (``CommitLog#checkMessageAndReturnSize`` does not compare a record's own offset.)
        """
        if place >= self.kernel.get(f"{name_log(broker)}.ghost_unknown_below_offset"):
            return self.by_life[self.get_life(broker, place)].get(place)
        moved = self.moved[broker]
        return moved.find(self.by_life[moved.life], place)

    def move(self, slave: int, offset: int, size: int) -> None:
        """A slave has taken bytes of the master's log, from an offset on, at the end of its own."""
        life, end = self.kernel.get("master.ghost_life"), self.get_max(slave)
        self.moved[slave] = Moved(life, offset, end - size, end)

    def scan(self, broker: int, begin: int) -> int:
        """Up to where a broker's log holds whole records, from an offset on."""
        records = self.list_records(broker, begin)
        return records[-1].end if records else begin

    def find_recovered(self, broker: int) -> int:
        """Where recovery ends a broker's log: after its last message, before a last blank."""
        begin = self.kernel.get(f"{name_log(broker)}.start_offset")
        records = self.list_records(broker, begin)
        if records and records[-1].queue is None:
            return records[-1].start
        return records[-1].end if records else begin

    def count_queues(self) -> None:
        """``DefaultMessageStore#recoverTopicQueueTable``: queues go on behind what is left."""
        kept = self._count_below(self.get_max(MASTER))
        self.next_offsets = kept

    def _count_below(self, end: int) -> Counter[int]:
        """How many messages of each queue the master's log has had up to here."""
        found: Counter[int] = Counter()
        begin = 0
        for life in range(self.kernel.structure.lives):
            life_end = min(end, self.kernel.get(f"master.log.ends.{life}"))
            own = self.by_life[life].values()
            found.update(
                r.queue for r in own if r.queue is not None and begin <= r.start < life_end
            )
            begin = max(begin, life_end)
        return found
