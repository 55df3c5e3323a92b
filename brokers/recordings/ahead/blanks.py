"""Blanks of files whose next one could not be created, and the starts that cut them off.

Such a put has a line of its own: it was answered CREATE_MAPEDFILE_FAILED, and its append
END_OF_FILE (``CommitLog#putMessage``, R-CL-04). The blank is in the log; a restart cuts it off
again (R-RC-04).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from brokers.recordings.ahead.puts import RecordedPut, make_put
from brokers.recordings.kinds import BROKER_KINDS, END_KINDS, START_KINDS
from brokers.recordings.reading import Event


def is_blank(event: Event) -> bool:
    """A put has filled a file with a blank, and found no next one."""
    return event.kind == "put" and event.data.get("append_status") == "END_OF_FILE"


def list_blanks(
    events: Iterable[Event],
    master: str,
    life_of_process: Sequence[int],
    puts: Sequence[RecordedPut],
) -> Iterator[RecordedPut]:
    """The blanks that failed puts at the master have left, each as the put that it is the end of.

    ``puts``: those that were appended, in their order. A blank has the number of the next of them.
    """
    places = [(put.process, put.start_offset) for put in puts]
    process = 0
    for event in events:
        if event.data.get("node") != master:
            continue
        if event.kind in END_KINDS:
            process += 1
        if is_blank(event):
            number = bisect_left(places, (process, event["wrote_offset"]))
            yield make_put(number, event, process, life_of_process[process], 0)


def find_cut_ends(events: Iterable[Event], master: str, file_size: int) -> Iterator[int]:
    """By ``seq``: the ends of the master's processes whose blank the next start cuts off.

    The log was shown to end with a file, and the next process starts below that.
    """
    shown, ended = 0, None
    for event in events:
        is_own = event.data.get("node") == master
        if is_own and event.kind in START_KINDS:
            began = event.data.get("max_offset", shown)
            if ended is not None and began < shown and shown % file_size == 0:
                yield ended
            shown, ended = began, None
        if is_own and event.kind in END_KINDS:
            ended = event.seq
        shown = max(shown, _find_end(event, is_own=is_own)) if ended is None else shown


def _find_end(event: Event, *, is_own: bool) -> int:
    """Up to where the master's log goes at least, by one event; 0 where it tells nothing."""
    if event.kind == "ha_frame" and event["body_bytes"]:
        return int(event["master_offset"] + event["body_bytes"])
    if is_own and event.kind == "put" and "append_status" in event.data:
        return int(event["wrote_offset"] + event["wrote_bytes"])
    is_look = is_own and event.kind in {*BROKER_KINDS, "node_stop_clean"}
    return int(event.data.get("max_offset", 0)) if is_look else 0
