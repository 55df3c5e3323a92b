"""Where messages begin and end in a log, as far as a recording tells.

The model follows a few messages at a time; whether an offset lies between two messages is asked of
many more: of all that the recording names. A byte is identified by the life of the master's log
in which it was written and by its offset, so there is one table for each life.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from brokers.recordings.ahead.puts import RecordedPut
from reference.worlds.replication.lineage import compute_start_of_life
from reference.worlds.replication.state import CommitLog


@frozen
class MessageTable:
    """The recorded messages of one life of the master's log, in the order of their places."""

    puts: tuple[RecordedPut, ...] = ()
    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()
    blanks: tuple[RecordedPut, ...] = ()
    """Those that failed puts have left: no message lies there."""

    def has_boundary(self, offset: int) -> bool:
        """A message begins or ends here, or messages that are not recorded may do so."""
        place = bisect_left(self.starts, offset)
        if place < len(self.starts) and self.starts[place] == offset:
            return True
        before = bisect_left(self.ends, offset)
        is_end = before < len(self.ends) and self.ends[before] == offset
        is_end = is_end or any(blank.end_offset == offset for blank in self.blanks)
        return is_end or self.is_open_at(offset)

    def is_open_at(self, offset: int) -> bool:
        """The byte at this offset may belong to a message that the recording leaves out."""
        place = bisect_right(self.starts, offset)
        if place and offset < self.ends[place - 1]:
            return False
        if any(blank.start_offset <= offset < blank.end_offset for blank in self.blanks):
            return False
        return place == len(self.puts) or self.puts[place].is_behind_gap

    def find_last_end(self, offset: int) -> int:
        """The end of the last recorded message that ends at this offset or below; -1 for none."""
        place = bisect_right(self.ends, offset)
        return self.ends[place - 1] if place else -1

    def find_at(self, offset: int) -> RecordedPut | None:
        """The recorded message that begins here."""
        place = bisect_left(self.starts, offset)
        is_there = place < len(self.starts) and self.starts[place] == offset
        return self.puts[place] if is_there else None

    def find_torn(self, offset: int) -> RecordedPut | None:
        """The recorded message that goes on at this offset, having begun below it."""
        place = bisect_left(self.starts, offset)
        if place and offset < self.ends[place - 1]:
            return self.puts[place - 1]
        return None

    def is_in_blank(self, offset: int) -> bool:
        """The byte at this offset is part of the filler between two recorded messages."""
        place = bisect_right(self.starts, offset)
        is_between = place == 0 or self.ends[place - 1] <= offset
        return is_between and not self.is_open_at(offset)

    def list_within(self, low: int, high: int) -> Sequence[RecordedPut]:
        """The messages that begin at ``low`` or later and end at ``high`` or earlier."""
        first, last = bisect_left(self.starts, low), bisect_right(self.ends, high)
        return self.puts[first:last]


@frozen
class Segment:
    """A part of a log: the bytes that one life of the master's log wrote."""

    life: int
    start_offset: int
    end_offset: int


def make_tables(
    puts: Iterable[RecordedPut], blanks: Sequence[RecordedPut], lives: int
) -> tuple[MessageTable, ...]:
    """One table for each life."""
    found: Mapping[int, list[RecordedPut]] = defaultdict(list)
    for put in puts:
        found[put.life].append(put)
    return tuple(
        MessageTable(
            tuple(found[life]),
            tuple(put.start_offset for put in found[life]),
            tuple(put.end_offset for put in found[life]),
            tuple(blank for blank in blanks if blank.life == life),
        )
        for life in range(lives)
    )


def list_segments(log: CommitLog) -> Iterator[Segment]:
    """The parts of a log, in the order of their offsets; empty ones left out."""
    for life, end in enumerate(log.ends):
        start = max(log.start_offset, compute_start_of_life(log, life))
        if start < end:
            yield Segment(life, start, end)


def has_boundary(tables: Sequence[MessageTable], log: CommitLog, offset: int) -> bool:
    """A record of the log ends here, or its first one begins here."""
    if offset in (log.start_offset, 0):
        return True
    for segment in list_segments(log):
        if segment.start_offset < offset <= segment.end_offset:
            return tables[segment.life].has_boundary(offset)
    return False


def find_scan_end(tables: Sequence[MessageTable], log: CommitLog) -> int:
    """Where a scan from record to record stops: at the log's end, or at the first torn record.

    A record is torn where it is cut off, or where a segment begins with the middle of a message
    (R-RP-02, R-HC-18). Messages that the recording leaves out are taken to be whole.
    """
    for segment in list_segments(log):
        table = tables[segment.life]
        if segment.start_offset > log.start_offset and not table.has_boundary(segment.start_offset):
            return segment.start_offset
        torn = table.find_torn(segment.end_offset)
        if torn is not None:
            return max(torn.start_offset, segment.start_offset)
        if table.is_in_blank(segment.end_offset) and not table.has_boundary(segment.end_offset):
            return max(table.find_last_end(segment.end_offset), segment.start_offset)
    return log.max_offset


def find_recovered_range(tables: Sequence[MessageTable], log: CommitLog) -> tuple[int, int]:
    """The least and the highest offset to which a restart may cut the log.

    It cuts where a scan stops, and a filler at the end does not count unless the next file is there
    (R-RC-04). A record whose properties alone are torn counts as whole, unless what is left of a
    delayed message's level is no number (``CommitLog#checkMessageAndReturnSize``). Only where the
    log ends among messages that the recording leaves out, nobody can tell where the last of them
    ends; and a scan may read on into what a cut has left behind its end. Of bytes that belong to
    another place (R-HC-20) nobody knows where a record ends.
    """
    if log.start_offset < log.ghost_unknown_below_offset:
        return log.start_offset, log.max_offset
    end = find_scan_end(tables, log)
    segments = [s for s in list_segments(log) if s.start_offset < end]
    if not segments:
        return end, end
    table = tables[segments[-1].life]
    torn = table.find_at(end)
    if torn is not None and end < log.max_offset and torn.passes_torn_at(log.max_offset):
        return (end if torn.is_scheduled else torn.end_offset), torn.end_offset
    last = max(table.find_last_end(end), segments[-1].start_offset)
    if last < end and table.is_open_at(end - 1):
        return last, end
    is_filler = last < end == log.max_offset and table.is_in_blank(last)
    return (last, last) if is_filler else (end, max(end, table.find_last_end(log.stale_end_offset)))
