"""A schedule drawn as a timeline: one lane per node, one line per step, logs byte by byte.

A world registers its lanes for the class of its states; here are those of replication.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import singledispatch
from typing import Any

from attrs import frozen

from reference.machine import Action
from reference.state import ANSWERED, REFUSED, STATUS_NAMES, Cluster, CommitLog

LANE_WIDTH = 44
PRODUCER_WIDTH = 27
LIFE_LETTERS = "abcdefgh"
DRAWN_BYTES_MAX = 16

PHRASES: Mapping[str, Callable[[Mapping[str, int], Cluster], str]] = {
    "append_message": lambda a, c: (
        f"put m{{i}}, {a['size_bytes']} B" + ("" if a["waits_for_store"] else ", does not wait")
    ),
    "append_other_message": lambda a, c: f"another put, {a['size_bytes']} B",
    "fill_file": lambda a, c: f"blank fills its file to {c.master.log.max_offset}",
    "expire_master_file": lambda a, c: f"expires a file, begins at {c.master.log.start_offset}",
    "expire_uncopied_master_file": lambda a, c: (
        f"expires an uncopied file, begins at {c.master.log.start_offset}"
    ),
    "expire_slave_file": lambda a, c: "expires a file",
    "expire_unflushed_master_file": lambda a, c: "## DELETES AN UNFLUSHED FILE",
    "expire_unflushed_slave_file": lambda a, c: "## DELETES AN UNFLUSHED FILE",
    "dispatch_master": lambda a, c: f"dispatches to {a['dispatched_offset']}",
    "dispatch_slave": lambda a, c: f"dispatches to {a['dispatched_offset']}",
    "refuse_put": lambda a, c: "m{i}: refused",
    "flush_for_put": lambda a, c: f"m{{i}}: flush to {c.master.log.flushed_offset}",
    "give_up_disk_wait": lambda a, c: "m{i}: two flushes are over",
    "wait_one_second": lambda a, c: "m{i}: a second in vain",
    "give_up_slave_wait": lambda a, c: "m{i}: five wake-ups are over",
    "give_up_send": lambda a, c: "m{i}: producer gives up",
    "send_again": lambda a, c: f"m{{i}} once more, {a['size_bytes']} B",
    "close_idle_connection": lambda a, c: "closes connection {n}",
    "position_at_last_file": lambda a, c: "will send from {next}, last file",
    "create_first_file": lambda a, c: "<~ beat, first file, reports",
    "append_at_wrong_offset": lambda a, c: f"<~ {a['size_bytes']} B land at 0, reports",
    "refuse_frame": lambda a, c: "<~ frame out of step, closes",
    "discard_frame": lambda a, c: f"<~ throws {a['size_bytes']} B away",
    "begin_master_stop": lambda a, c: "begins to stop",
    "begin_slave_stop": lambda a, c: "begins to stop",
    "finish_master_stop": lambda a, c: "has stopped",
    "finish_slave_stop": lambda a, c: "has stopped",
    "switch_master_role": lambda a, c: (
        f"is {'SYNC_MASTER' if c.master.is_sync else 'ASYNC_MASTER'} now"
    ),
    "lose_master_disk": lambda a, c: "## DISK LOST",
    "wipe_slave": lambda a, c: "## STORE WIPED",
    "swallow_flush_error": lambda a, c: "## FLUSH FAILS UNNOTICED",
    "swallow_append_error": lambda a, c: f"## {a['size_bytes']} B NOT WRITTEN",
    "send_alien_report": lambda a, c: f"## A STRANGER REPORTS {a['offset']}",
    "flush_master": lambda a, c: f"flushes to {c.master.log.flushed_offset}",
    "flush_slave": lambda a, c: "flushes",
    "answer_disk_wait": lambda a, c: "m{i}: disk step done",
    "time_out_disk_wait": lambda a, c: "m{i}: disk wait times out",
    "skip_slave_wait": lambda a, c: "m{i}: waits for no slave",
    "refuse_slave_wait": lambda a, c: "m{i}: no slave available",
    "request_slave_wait": lambda a, c: "m{i}: waits for a slave",
    "answer_slave_wait": lambda a, c: "m{i}: reported by a slave",
    "time_out_slave_wait": lambda a, c: "m{i}: slave wait times out",
    "connect_slave": lambda a, c: "<~ connects",
    "drop_connection": lambda a, c: f"counts {c.master.connection_count} connections",
    "report_offset": lambda a, c: "<~ first report",
    "receive_report": lambda a, c: (
        f"reads report {a['slave_offset']}, push2 {c.master.push2_slave_max_offset}"
    ),
    "position_transfer": lambda a, c: "will send from {next}",
    "transfer_batch": lambda a, c: f"sends {a['size_bytes']} B ~>",
    "append_to_slave": lambda a, c: f"<~ appends {a['size_bytes']} B, reports",
    "refuse_report": lambda a, c: "reads a report beyond its end, closes {n}",
    "refuse_later_report": lambda a, c: "reads a report beyond its end, closes {n}",
    "enter_sync_state_set": lambda a, c: "slave {n} is in the SyncStateSet now",
    "leave_sync_state_set": lambda a, c: "slave {n} is out of the SyncStateSet",
    "elect_slave": lambda a, c: "slave {n} elected: they change places",
    "kill_master": lambda a, c: "## KILLED",
    "kill_slave": lambda a, c: "## KILLED",
    "lose_master_power": lambda a, c: f"## POWER LOSS, keeps {c.master.log.max_offset} B",
    "lose_slave_power": lambda a, c: f"## POWER LOSS, keeps {a['kept_offset']} B",
    "cut_link": lambda a, c: "## CONNECTION BREAKS",
    "restart_master": lambda a, c: "starts again",
    "restart_master_without_blank": lambda a, c: "starts again, cuts its blank off",
    "restart_slave": lambda a, c: f"starts again at {a['recovered_offset']}",
}
"""What a step looks like in its lane; ``~>`` and ``<~`` stand at the side of the wire."""


def draw_log(log: CommitLog) -> str:
    """The bytes of a log by the life that wrote them, for example ``[aab]`` or ``[a512 b100]``.

    A bar stands where the last file begins, a dot for a byte below the first file, a question mark
    for bytes that nobody can tell.
    """
    begin = (log.start_offset, *log.ends)
    lengths = [max(0, end - start) for start, end in zip(begin, log.ends, strict=False)]
    pieces = [(LIFE_LETTERS[i], n) for i, n in enumerate(lengths) if n]
    if log.max_offset > DRAWN_BYTES_MAX:
        lost = [f"·{log.start_offset}"] if log.start_offset else []
        lost += [f"?{log.ghost_unknown_below_offset}"] if log.ghost_unknown_below_offset else []
        return "[" + " ".join(lost + [f"{letter}{n}" for letter, n in pieces]) + "]"
    known = "".join(letter * n for letter, n in [("·", log.start_offset), *pieces])
    unknown = max(0, log.ghost_unknown_below_offset - log.start_offset)
    drawn = known[: log.start_offset] + "?" * unknown + known[log.start_offset + unknown :]
    last = log.last_file_offset
    return "[" + (f"{drawn[:last]}|{drawn[last:]}" if last else drawn) + "]"


@frozen
class LaneText:
    """What a lane says of a step: what its node does, and the state that it is in afterwards."""

    phrase: str
    state: str = ""

    def fit(self, width: int) -> str:
        """The phrase at the left of a lane of this width in letters, the state at the right."""
        if not self.state:
            return self.phrase
        return self.phrase.ljust(width - 2 - len(self.state)) + " " + self.state


@singledispatch
def list_lanes(state: Any) -> tuple[tuple[str, int], ...]:
    """Title and width of each lane; a world that registers none has one lane for its steps."""
    return (("step", LANE_WIDTH),)


@singledispatch
def fill_lanes(state: Any, action: Action) -> tuple[LaneText, ...]:
    """What each lane says of a step and of the state after it."""
    return (LaneText(str(action)),)


def fill_one_lane(lane: int, phrase: str, states: Sequence[str]) -> tuple[LaneText, ...]:
    """All lanes with their states; the phrase of the step stands in one of them."""
    return tuple(LaneText(phrase if i == lane else "", state) for i, state in enumerate(states))


def draw_timeline(
    steps: Iterable[tuple[Action | None, Any, tuple[str, ...]]],
) -> str:
    """The drawing of judged steps: (action or None, state after it, guarantees violated there).

    A guarantee is named at the first step that violates it.
    """
    lines: list[str] = []
    seen: set[str] = set()
    for index, (action, state, violated) in enumerate(steps):
        if action is None:
            lines += _draw_head(state)
            continue
        lines.append(f"{index:>4}  " + _draw_step(action, state))
        for name in violated:
            if name not in seen:
                seen.add(name)
                lines.append(f"      ✗ {name}")
    return "\n".join(line.rstrip() for line in lines)


def _draw_head(state: Any) -> list[str]:
    (first, first_width), *lanes = list_lanes(state)
    head = "step  " + first.ljust(first_width)
    head += "".join("│ " + title.ljust(width) for title, width in lanes)
    below = "──────" + "─" * first_width
    return [head, below + "".join("┼" + "─" * (width + 1) for _, width in lanes)]


def _draw_step(action: Action, state: Any) -> str:
    texts = zip(fill_lanes(state, action), list_lanes(state), strict=True)
    return "│ ".join(text.fit(width).ljust(width - 1) + " " for text, (_, width) in texts)


@list_lanes.register
def _(state: Cluster) -> tuple[tuple[str, int], ...]:
    titles = ("master", *(f"slave {i + 1}" for i in range(len(state.slaves))))
    return (("producer", PRODUCER_WIDTH), *((title, LANE_WIDTH) for title in titles))


@fill_lanes.register
def _(state: Cluster, action: Action) -> tuple[LaneText, ...]:
    name, number = action.rule_name, action.index or 0
    phrase = PHRASES[name](action.arguments, state).replace("{i}", str(number + 1))
    phrase = phrase.replace("{n}", str(number + 1))
    if "{next}" in phrase:
        phrase = phrase.replace("{next}", str(state.links[number].next_transfer_offset))
    is_producers, lane = _place(name, number)
    phrases = ["" if is_producers or i != lane else phrase for i in range(1 + len(state.slaves))]
    logs = (state.master.log, *(s.log for s in state.slaves))
    producer = phrase if is_producers else _draw_answer(name, number, state)
    brokers = zip(phrases, map(draw_log, logs), strict=True)
    return (LaneText(producer), *(LaneText(p, state) for p, state in brokers))


def _place(name: str, number: int) -> tuple[bool, int]:
    """Whether the producer acts, and the lane that acts otherwise: 0 master, 1.. slaves."""
    if name in PRODUCER_LANE_RULES:
        return True, 0
    is_slave = name in SLAVE_LANE_RULES
    return False, number + 1 if is_slave else 0


PRODUCER_LANE_RULES = frozenset(
    {"append_message", "append_other_message", "give_up_send", "send_again"}
)
"""Rules drawn in the producer's column."""

SLAVE_LANE_RULES = frozenset(
    {
        "expire_slave_file",
        "expire_unflushed_slave_file",
        "dispatch_slave",
        "create_first_file",
        "append_at_wrong_offset",
        "refuse_frame",
        "discard_frame",
        "begin_slave_stop",
        "finish_slave_stop",
        "wipe_slave",
        "swallow_append_error",
        "flush_slave",
        "connect_slave",
        "report_offset",
        "append_to_slave",
        "kill_slave",
        "lose_slave_power",
        "cut_link",
        "restart_slave",
    }
)
"""Rules drawn in a slave's lane."""


def _draw_answer(name: str, number: int, cluster: Cluster) -> str:
    answering = (
        "refuse_put",
        "answer_disk_wait",
        "give_up_disk_wait",
        "time_out_disk_wait",
        "skip_slave_wait",
        "refuse_slave_wait",
        "answer_slave_wait",
        "give_up_slave_wait",
        "time_out_slave_wait",
    )
    if name not in answering or cluster.messages[number].phase not in (REFUSED, ANSWERED):
        return ""
    return f"m{number + 1}: {STATUS_NAMES[cluster.messages[number].status]}"
