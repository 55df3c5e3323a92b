"""How long the hidden steps of replication may take, once they are possible."""

from __future__ import annotations

import math

from attrs import define, field

from brokers.recordings.ahead.plan import MASTER, compute_flush_wait_ms
from brokers.recordings.clock import (
    EXPIRY_BEGIN_MS,
    SELECT_MS,
    SLACK_MS,
    TRANSFER_WAIT_MS,
    UNDER_WAY_MS,
)
from brokers.recordings.hidden.node import Node
from brokers.recordings.log.arguments import APPENDING
from brokers.recordings.log.guide import LogGuide
from brokers.recordings.log.notes import LinkNotes
from brokers.recordings.settings import read_settings
from reference.language.machine import Action
from reference.roles import FlushDiskType

SOON = (
    "connect_slave",
    "receive_report",
    "position_transfer",
    "position_at_last_file",
    "create_first_file",
    "append_to_slave",
    "dispatch_master",
    "dispatch_slave",
    "append_message",
)
"""Rules that follow at once: AcceptSocketService#run, ReadSocketService#run,
WriteSocketService#run, HAClient#run, ReputMessageService#run, CommitLog#putMessage."""

STOPPING = ("begin_master_stop", "begin_slave_stop")
"""What begins when somebody was seen to ask for it: DefaultMessageStore#shutdown."""

STOP_BEGIN_MS = 100.0
"""By which time a store takes nothing any more, once its stop was seen to begin: before it could
have taken what came later (v533_f_slave_restart_resume seq 91 to 93: 88 ms)."""

IN_PUT = ("answer_disk_wait", "request_slave_wait")
"""What a producer's thread does at once, if the disk is not waited for (CommitLog#handleDiskFlush,
#handleHA)."""

IN_PUT_MS = 10 * UNDER_WAY_MS
"""By which time that is done, on a busy host too."""

ANSWER = "answer_slave_wait"
"""Of the put at the head of the line, once it is reported: the group transfer wakes up for that, or
after a second at most (GroupTransferService#doWaitTransfer, R-HA-20)."""

EXPIRY = ("expire_master_file", "expire_uncopied_master_file")
"""What a master does with a full file that is kept for no time, at any hour."""

CLEAN_MS = 10_000
"""``cleanResourceInterval`` where nothing is said of it."""

DEADLINES_MS = {
    **dict.fromkeys(STOPPING, STOP_BEGIN_MS),
    **dict.fromkeys(SOON, SLACK_MS),
    **dict.fromkeys(("flush_master", "flush_slave"), SLACK_MS),
    "drop_connection": SELECT_MS + SLACK_MS,
    **dict.fromkeys(IN_PUT, IN_PUT_MS),
    ANSWER: TRANSFER_WAIT_MS + SLACK_MS,
    **dict.fromkeys(EXPIRY, EXPIRY_BEGIN_MS + SLACK_MS),
}
"""By rule: how long an instance may stay possible without firing, beside what is configured."""


@define(eq=False)
class LogDeadlines:
    """The deadlines of one recording."""

    guide: LogGuide
    clean_ms: float = field(init=False)
    """How long after that a master looks again for files to delete; infinite if it may keep them.
    """

    @clean_ms.default
    def _see_retention(self) -> float:
        plan = self.guide.plan
        settings = read_settings(plan.recording.config["nodes"][plan.master])
        hours = set(settings.get("deleteWhen", "").split(";"))
        is_any_hour = all(f"{hour:02d}" in hours for hour in range(24))
        is_at_once = is_any_hour and settings.get("fileReservedTime") == "0"
        return float(settings.get("cleanResourceInterval", CLEAN_MS)) if is_at_once else math.inf

    def list_watched(self) -> tuple[str, ...]:
        """The instances that have a deadline."""
        names = self.guide.machine.instances
        watched = (name for name in names if Action(name).rule_name in DEADLINES_MS)
        return tuple(sorted(watched, key=lambda name: DEADLINES_MS[Action(name).rule_name]))

    def find_deadline_ms(self, node: Node, name: str) -> float:
        """How long after it became possible an instance has fired; infinite where it may wait."""
        action = Action(name)
        rule, slave = action.rule_name, MASTER if action.index is None else action.index
        if self._may_wait(node, name, rule, slave):
            return math.inf
        if rule.startswith("flush"):
            return DEADLINES_MS[rule] + self._get_flush_interval_ms(slave)
        if rule in EXPIRY:
            return DEADLINES_MS[rule] + self.clean_ms
        return DEADLINES_MS[rule]

    def is_same(self, before: Node, after: Node, name: str) -> bool:
        """An instance is about the same slave, or the same put in the place of a message."""
        action = Action(name)
        if action.rule_name not in (ANSWER, *IN_PUT) or action.index is None:
            return True
        here = slice(action.index, action.index + 1)
        return bool(before.notes.slots[here] == after.notes.slots[here])

    def _may_wait(self, node: Node, name: str, rule: str, slave: int) -> bool:
        """Something that the recording shows, or does not show, may hold the step back."""
        if rule in (*IN_PUT, ANSWER):
            return self._may_put_wait(node, rule)
        is_seen = rule != "connect_slave" or node.notes.wires[slave].is_connection_recorded
        if not is_seen or self.guide.is_played(name):
            return True  # Nobody knows when the slave tries, or whether there is a link at all.
        if rule in ("drop_connection", *EXPIRY):  # A file that is sent is kept (MappedFile#hold).
            return any(wire.are_frames_held for wire in node.notes.wires)
        awaits = {
            "position_transfer": self._is_first_file_awaited,
            "create_first_file": lambda n: not self._has_beat_come(n, slave),
            "dispatch_master": self._is_confirm_offset_open,
        }.get(rule)
        if awaits is not None and awaits(node):
            return True
        is_idle = rule == "dispatch_slave" and not self._has_record_ahead(node, slave)
        is_read = rule in ("receive_report", *APPENDING)
        if is_idle or (is_read and not self._is_arrived(node, rule, slave)):
            return True
        is_stopping = rule.endswith("_slave") and self._is_stopping(node, slave)
        return is_stopping or not self.guide.may(node, name)

    def _may_put_wait(self, node: Node, rule: str) -> bool:
        """The disk may hold a put back; a stop ends the group transfer (HAService#shutdown)."""
        if rule in IN_PUT:
            return self.guide.plan.structure.flush_disk_type is not FlushDiskType.ASYNC_FLUSH
        return bool(self.guide.get(node, "master.is_stopping"))

    def _get_flush_interval_ms(self, slave: int) -> float:
        """By which time a broker flushes all that it has, as it is configured."""
        plan = self.guide.plan
        name = plan.master if slave == MASTER else plan.slaves[slave]
        return compute_flush_wait_ms(plan.recording.config["nodes"][name]["store_config"])

    def _is_arrived(self, node: Node, rule: str, slave: int) -> bool:
        """A new report or a frame was forwarded and not taken; hidden ones may be late.

        What the end of its connection has overtaken may be lost: a frame that is cut, for one.
        """
        wire: LinkNotes = node.notes.wires[slave]
        if not wire.is_recorded or not node.notes.seen.wires[slave].is_open:
            return False
        known = self.guide.get(node, f"links.{slave}.slave_ack_offset")
        is_scripted = slave in self.guide.plan.scripted
        is_new = any(is_scripted or report > known for report in wire.reports)
        return is_new if rule == "receive_report" else wire.taken < wire.forwarded

    def _is_confirm_offset_open(self, node: Node) -> bool:
        """The SyncStateSet has a slave: the confirm offset is computed at the next report only."""
        paths = (f"in_sync_state_set.{n}" for n in range(1, 1 + len(self.guide.plan.slaves)))
        places = (self.guide.places.get(path) for path in paths)
        return any(place is not None and bool(node.state[place]) for place in places)

    def _is_first_file_awaited(self, node: Node) -> bool:
        """Under a controller a master without any file sends heartbeats from -1 until it has one.

        (``AutoSwitchHAConnection.WriteSocketService#run``; ``v533_controller_w2`` seq 94 to 100.)
        """
        return self.guide.has_epoch_files and not self.guide.get(node, "master.log.has_file")

    def _has_beat_come(self, node: Node, slave: int) -> bool:
        """A heartbeat was forwarded to a slave, and no byte: that makes a file (R-HC-09)."""
        seen, wire = node.notes.seen.wires[slave], node.notes.wires[slave]
        has_come = seen.is_open and seen.last_frame_ms is not None
        return bool(has_come and wire.is_recorded and not wire.forwarded)

    def _has_record_ahead(self, node: Node, slave: int) -> bool:
        """A slave's dispatch finds a whole record (CommitLog#checkMessageAndReturnSize).

        A file may be there without any; a record may have come in part. Where a log goes on with
        other bytes than those it had, perhaps within a record, nothing is dispatched any more: the
        state does not tell where records begin, nor where it has bytes of another place (R-HC-20).
        """
        log, plan = f"slaves.{slave}.log", self.guide.plan
        names = (f"ends.{life}" for life in range(plan.structure.lives))
        ends = [self.guide.get(node, f"{log}.{name}") for name in names]
        dispatched, end = self.guide.get(node, f"{log}.dispatched_offset"), ends[-1]
        begin = self.guide.get(node, f"{log}.start_offset")
        if dispatched < self.guide.get(node, f"{log}.ghost_unknown_below_offset"):
            return False
        if end <= begin or any(dispatched <= each < end for each in ends[:-1]):
            return False
        table = plan.tables[ends.index(end)]
        is_hidden = plan.are_puts_hidden or table.is_open_at(end - 1)
        is_record = table.has_boundary(dispatched) and table.find_last_end(end) > dispatched
        return is_hidden or is_record

    def _is_stopping(self, node: Node, slave: int) -> bool:
        """How far a stopping slave still comes is open (DefaultMessageStore#shutdown)."""
        return slave >= 0 and bool(self.guide.get(node, f"slaves.{slave}.is_stopping"))
