"""A slave's log that begins with bytes of a later file of its master's log (R-HC-20).

The state has such bytes as unknown; the frame that brought them tells which they are. Records there
name the offset and the place in their queue that they have at the master, and are dispatched so
(``CommitLog#checkMessageAndReturnSize``; `empty_first_file` seq 116).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import frozen

from brokers.recordings.ahead.boundaries import MessageTable, list_segments
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.view import Blocked, View, check
from reference.worlds.replication.state import CommitLog


@frozen
class Piece:
    """Bytes of a log that lie together in the master's."""

    table: MessageTable
    """The messages of the life that wrote them."""
    begin: int
    end: int
    source: int
    """Where the master had the first of them."""

    def find_at(self, offset: int) -> RecordedPut | None:
        """The recorded message that begins at an offset of the log."""
        return self.table.find_at(offset - self.begin + self.source)

    def is_blank_at(self, offset: int) -> bool:
        """A filler begins there."""
        source = offset - self.begin + self.source
        return self.table.find_last_end(source) == source and self.table.is_in_blank(source)

    def is_open_at(self, offset: int) -> bool:
        """The byte there may be of a message that the recording leaves out."""
        return self.table.is_open_at(offset - self.begin + self.source)


def list_pieces(view: View, node: int) -> Sequence[Piece]:
    """What a slave's log consists of; nothing unless it begins with bytes that frames have shown.

    The first ones of a file come to the begin of a file, so that records keep their file's end.
    """
    log = view.get_log(node)
    shown = None if node == MASTER else view.displaced[node]
    if shown is None or shown.begin != log.start_offset:
        return ()
    if shown.end < log.ghost_unknown_below_offset:
        return ()
    if (shown.begin - shown.source) % view.cluster.parameters.mapped_file_size_bytes:
        return ()
    tables, end = view.plan.tables, min(shown.end, log.max_offset)
    first = Piece(tables[shown.life], shown.begin, end, shown.source)
    rest = (s for s in list_segments(log) if s.end_offset > end)
    begins = ((s, max(s.start_offset, end)) for s in rest)
    return (first, *(Piece(tables[s.life], begin, s.end_offset, begin) for s, begin in begins))


def find_piece(pieces: Sequence[Piece], offset: int) -> Piece:
    """The one that has a byte of the log."""
    return next(piece for piece in pieces if offset < piece.end)


def list_whole(
    view: View, log: CommitLog, pieces: Sequence[Piece], end: int
) -> list[RecordedPut] | None:
    """The messages that are dispatched up to ``end``; None where one is torn, or may be hidden.

    Where dispatch goes on behind a torn one, how its bytes have come decides.
    """
    found: list[RecordedPut] = []
    offset, size = log.start_offset, int(view.cluster.parameters.mapped_file_size_bytes)
    while offset < min(end, log.max_offset):
        piece = find_piece(pieces, offset)
        put = piece.find_at(offset)
        if put is not None and offset + put.size_bytes <= piece.end:
            found.append(put)
            offset += put.size_bytes
        elif put is not None and piece is pieces[-1]:
            break  # Its rest has not come yet.
        elif piece.is_blank_at(offset) and not piece.is_open_at(offset):
            offset += size - offset % size
        else:
            return None
    return found


def check_displaced_scan(
    view: View, log: CommitLog, pieces: Sequence[Piece], entries: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[RecordedPut, Mapping[str, Any]]]:
    """The entries that are whole messages; a scan goes on with the next file behind what is none.

    Raises:
        Blocked: one is at another place, or of another kind, than its bytes tell.
    """
    offset, size = log.start_offset, int(view.cluster.parameters.mapped_file_size_bytes)
    for entry in entries:
        check(view, "offset of a record", offset, entry["offset"])
        if offset >= log.max_offset:
            raise Blocked(f"a record at {offset}, where the log has ended")
        piece, end = find_piece(pieces, offset), offset - offset % size + size
        put, kind = piece.find_at(offset), entry["kind"]
        if put is not None and offset + put.size_bytes <= piece.end:
            check(view, f"kind of the record at {offset}", "msg", kind)
            yield put, entry
            end = offset + put.size_bytes
        elif put is not None:  # Other bytes have taken the place of its rest.
            end = offset + _get_size(entry)
        elif not piece.is_open_at(offset):
            is_blank = piece.is_blank_at(offset)
            if kind == "msg" or (kind == "blank") != is_blank:
                raise Blocked(f"a record of kind {kind!r} at {offset}")
        elif kind == "msg":
            end = offset + _get_size(entry)
        check(view, f"end of the record at {offset}", min(end, log.max_offset), _find_end(entry))
        offset = end
    check(view, "where the records end", True, offset >= log.max_offset)


def _find_end(entry: Mapping[str, Any]) -> int:
    return int(entry["offset"]) + _get_size(entry)


def _get_size(entry: Mapping[str, Any]) -> int:
    size = entry.get("size")
    if type(size) is not int or size <= 0:
        raise Blocked(f"the record at {entry['offset']} has size {size!r}")
    return size
