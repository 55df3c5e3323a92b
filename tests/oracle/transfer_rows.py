"""A row about waiting producers: its script on the simulation, or on the flush of requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from reference.store import group_commit, group_transfer
from reference.store.group_transfer import GroupCommitRequest, GroupTransfer
from reference.store.store import StoreConfig
from tests.oracle.store_rows import Answer, Row, RowError, Session

TOLERANCE_MS = 150
"""By how much a time may differ on a loaded machine, beside the lags that a row tells."""
AFTER_ALL_MS = 10**9


@frozen
class Played:
    """What became of a script."""

    answers: list[Answer]
    """A put: [answer, waited, answered at]; times in ms."""
    flushed_bytes: int
    transfer: GroupTransfer


def play(row: Row) -> Played:
    """The answers of a row. Raises RowError for what has no meaning here."""
    if row["service"] == "commit":
        return _play_commit(row)
    if row["service"] != "transfer":
        raise RowError(f"there is no service {row['service']!r}")
    return _play_transfer(row)


def prepare(row: Row) -> Session:
    """The store after what was done before the script."""
    session = Session({**row, "cfg": {**row["cfg"], "direct": 1}})
    for op in row["prepare"]:
        session.call(op)
    return session


def get_first_push(row: Row) -> int:
    """The acknowledged offset at first: rows with acknowledgements tell the one at their end."""
    is_raised = any(line["op"] == "notify" for line in row["script"])
    return 0 if is_raised else row["push2"]


def _play_transfer(row: Row) -> Played:
    config = prepare(row).store.config
    state = GroupTransfer(push2_slave_max_offset_bytes=get_first_push(row))
    told: list[Answer] = []
    for number, line in enumerate(row["script"]):
        state = group_transfer.advance(state, line["at"])
        state, answer = _do_line(state, config, number, line)
        told.append(answer)
    state = group_transfer.advance(state, AFTER_ALL_MS)
    ends = {wakeup.number: (wakeup.is_transferred, wakeup.at_ms) for wakeup in state.wakeups}
    for number, line in enumerate(row["script"]):
        if line["op"] == "put":
            told[number] = _answer_put(line, ends.get(number))
    return Played(told, prepare(row).store.commit_log.flushed_where_bytes, state)


def _do_line(
    state: GroupTransfer, config: StoreConfig, number: int, line: Row
) -> tuple[GroupTransfer, Answer]:
    match line["op"]:
        case "run":
            return group_transfer.start(state), None
        case "put":
            request = GroupCommitRequest(number, line["next"])
            return group_transfer.put_request(state, request), None
        case "notify":
            state = group_transfer.notify_transfer_some(state, line["offset"])
            return state, state.push2_slave_max_offset_bytes
        case "slave_ok":
            pushed = state.push2_slave_max_offset_bytes
            connections, where = line["connections"], line["where"]
            return state, group_transfer.is_slave_ok(config, connections, where, pushed)
    raise RowError(f"there is no operation {line['op']!r} in a script")


def _answer_put(line: Row, end: tuple[bool, int] | None) -> Answer:
    """What the producer gets: at its timeout it goes without an answer."""
    deadline = line["at"] + line["timeout"]
    is_ok, at = end if end is not None and end[1] <= deadline else (False, deadline)
    return [is_ok, at - line["at"], at]


def _play_commit(row: Row) -> Played:
    """One round of requests each time; nothing depends on time."""
    store = prepare(row).store
    waiting: dict[int, Row] = {}
    told: list[Answer] = []
    for number, line in enumerate(row["script"]):
        told.append(None)
        if line["op"] == "put":
            waiting[number] = line
            told[number] = _answer_put(line, None)
        elif line["op"] == "commit_once":
            offsets = [put["next"] for put in waiting.values()]
            store, answers = group_commit.do_commit(store, offsets)
            for asked, is_ok in zip(waiting, answers, strict=True):
                told[asked] = _answer_put(waiting[asked], (is_ok, line["at"]))
            waiting = {}
            told[number] = store.commit_log.flushed_where_bytes
        else:
            raise RowError(f"there is no operation {line['op']!r} in a script")
    pushed = GroupTransfer(push2_slave_max_offset_bytes=row.get("push2", 0))
    return Played(told, store.commit_log.flushed_where_bytes, pushed)


def compute_tolerance(row: Row) -> int:
    """How far times may be apart (ms): the machine's own lags are added."""
    slow = sum(
        max(0, end - begin - group_transfer.WAIT_MS) for begin, end, _ in row.get("waits", ())
    )
    return TOLERANCE_MS + max(row["script_lag_ms"], default=0) + slow


def is_near_bound(row: Row, played: Played, tolerance_ms: int) -> bool:
    """Some answer hangs on two times that are so near that either may have come first."""
    script = row["script"]
    notified = [line["at"] for line in script if line["op"] == "notify"]
    ends = [
        wait.end_ms
        for wait in played.transfer.waits
        if wait.begin_ms + group_transfer.WAIT_MS - wait.end_ms <= tolerance_ms
    ]
    if any(abs(at - end) <= tolerance_ms for at in notified for end in ends):
        return True
    wakeups = {wakeup.number: wakeup.at_ms for wakeup in played.transfer.wakeups}
    return any(
        abs(wakeups[number] - line["at"] - line["timeout"]) <= tolerance_ms
        for number, line in enumerate(script)
        if line["op"] == "put" and number in wakeups
    )


def list_differences(row: Mapping[str, Any]) -> Iterator[tuple[int | None, str, Answer, Answer]]:
    """What differs from a row: line number, field, expected, got.

    Times are compared with a tolerance; neither they nor what follows from them where two of them
    are too near to tell which came first.
    """
    played = play(row)
    tolerance = compute_tolerance(row)
    is_timed = row["service"] == "transfer"
    is_vague = is_timed and is_near_bound(row, played, tolerance)
    for number, (expected, got) in enumerate(zip(row["answers"], played.answers, strict=True)):
        if not isinstance(got, list):
            if expected != got:
                yield number, "answer", expected, got
        elif not is_vague:
            if expected[0] != got[0]:
                yield number, "answer", expected[0], got[0]
            for index, field in ((1, "waited_ms"), (2, "answered_ms")):
                if is_timed and abs(expected[index] - got[index]) > tolerance:
                    yield number, field, expected[index], got[index]
    yield from _list_ends(row, played, tolerance, is_vague=is_vague)


def _list_ends(
    row: Row, played: Played, tolerance_ms: int, *, is_vague: bool
) -> Iterator[tuple[int | None, str, Answer, Answer]]:
    """What differs after the script."""
    transfer = played.transfer
    ends = {
        "flushed": played.flushed_bytes,
        "push2": transfer.push2_slave_max_offset_bytes,
        "wakeups": transfer.notify_count,
    }
    for field, got in ends.items():
        if field in row and row[field] != got:
            yield None, field, row[field], got
    if is_vague or "waits" not in row:
        return
    # A row tells no wait that ended after its last answer.
    last_ms = compute_last_ms(row)
    waits = [
        [wait.begin_ms, wait.end_ms, int(wait.is_notified_before)]
        for wait in transfer.waits
        if wait.end_ms <= last_ms + tolerance_ms
    ]
    is_told = len(row["waits"]) >= sum(wait[1] <= last_ms - tolerance_ms for wait in waits)
    is_alike = len(row["waits"]) <= len(waits) and all(
        max(abs(expected[0] - got[0]), abs(expected[1] - got[1])) <= tolerance_ms
        and expected[2] == got[2]
        for expected, got in zip(row["waits"], waits, strict=False)
    )
    if not (is_told and is_alike):
        yield None, "waits", row["waits"], waits


def compute_last_ms(row: Row) -> int:
    """When a row's last line or answer was."""
    answered = (answer[2] for answer in row["answers"] if isinstance(answer, list))
    return max((*(line["at"] for line in row["script"]), *answered), default=0)
