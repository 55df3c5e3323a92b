"""Signs that no line shows alone: what a broker's lines say together.

Each function whose name ends in that of a wording is told of its lines, one after another, and adds
what it finds. What is found is certain where it says so; the docstrings give the reason.
"""

from __future__ import annotations

from bisect import insort
from collections import deque

from attrs import define, field

from brokers.broker_logs.findings import LogFindings
from brokers.broker_logs.lines import LogLine
from brokers.broker_logs.wordings import Match

FLAPS, FLAP_SECONDS = 4, 90
"""So many connections within so many seconds are flapping: a slave that finds its master reconnects
at once, after a failed connect five seconds later (R-HC-12), and a healthy one stays. One that is
closed as idle by default timers comes again each 20 s."""

PEERS_MAX = 100
"""So many hosts are followed at most."""

UNREADABLE_LINES = 3
"""So many lines of the dispatch about bytes that are no record show that it is stuck: where it can
go on it writes one, and where it cannot it tries again each millisecond."""

BOUNDARY_LINES = 10
"""So many lines about a file that is not there yet: a moment's wait for one writes fewer."""

LOG_BYTES_MAX = 1 << 56
"""No log is longer: a broker that stores 100 MB a second needs 22 years for it. Offsets never
begin again. Eight characters of text are a number above 2 * 10**18."""

SEND_WAIT_MS = 200
"""``waitTimeMillsInSendQueue``: a send that has waited longer is answered with SYSTEM_BUSY."""


@define
class WatchedLife:
    """A broker from one start to the next."""

    recovered_end: int | None = None
    files: list[int] = field(factory=list)
    """Begins of the commit-log files that were there at the start, and are still there."""
    has_failed_roll: bool = False
    """A put was refused because there was no next file."""
    follows_failed_roll: bool = False
    """The same in the life before, whose end may have cut a blank off."""
    has_served: bool = False
    """A slave was positioned: from then on slaves may hold what this life wrote."""
    empty_positions: dict[str, int] = field(factory=dict)
    """Where an empty slave was positioned above zero, by its host."""
    highest_empty_position: int = 0
    late_put: int | None = None
    """The lowest end of a put that waited for a slave in vain."""
    boundary_lines: int = 0
    unreadable_lines: int = 0
    is_stopped: bool = False


@define
class LogWatch:
    """Follows the lines of one broker."""

    broker: str
    findings: LogFindings
    life: WatchedLife = field(factory=WatchedLife)
    known_end: int = 0
    """The log was at least so long at some time."""
    longest: int = 0
    """The highest offset of its own log that the broker has named, in any life."""
    is_emptied: bool = False
    connects: dict[str, deque[str]] = field(factory=dict)
    """The latest times of connections, by the host at the other end."""
    behind: int = 0
    members: int = 0
    unreadable_since: str = ""

    def add(self, sign: str, time: str, detail: str = "", first: str = "") -> None:
        """Count a sign of this broker."""
        self.findings.add(sign, self.broker, time, detail, first)

    def see(self, line: LogLine, match: Match) -> None:
        """Take one line into account."""
        name = match.wording.name
        if match.wording.sign:
            self.add(match.wording.sign, line.time, say_fields(match))
        told = getattr(self, f"_see_{name}", None)
        if told is not None:
            told(line, match)

    def _add_reported(self, sign: str, lead: int, time: str, detail: str) -> None:
        """A report from above the master's end: a slave's, or the bytes of a stranger.

        A slave's bytes are its master's: what it is ahead by, its master has lost. So no slave is
        ahead by more than the longest log that the master has named, or by more than any log has.
        A master that was empty at its start may have lost any log.
        """
        is_emptied = self.life.recovered_end == 0
        most = LOG_BYTES_MAX if is_emptied or not self.longest else self.longest
        self.add(sign if lead <= most else "stranger_reports", time, detail)

    def _see_last_exit(self, line: LogLine, match: Match) -> None:
        self.life = WatchedLife(follows_failed_roll=self.life.has_failed_roll)
        self.connects.clear()
        self.behind = 0
        if match.fields["exit"] == "abnormally":
            self.add("abnormal_start", line.time)

    def _see_file_loaded(self, line: LogLine, match: Match) -> None:
        insort(self.life.files, match.get_number("file"))
        self.longest = max(self.longest, match.get_number("file"))

    def _see_file_deleted(self, line: LogLine, match: Match) -> None:
        number = match.get_number("file")
        if number in self.life.files:
            self.life.files.remove(number)

    def _see_recovered(self, line: LogLine, match: Match) -> None:
        """The log is shorter than it was: certain, because a log only grows while a broker runs."""
        end = match.get_number("max_offset")
        if end < self.known_end:
            sign = "log_shorter" if end else "store_emptied"
            self.add(sign, line.time, f"it went to {self.known_end}, now to {end}")
        self.life.recovered_end = end
        self.known_end = end
        self.longest = max(self.longest, end)

    def _see_queues_truncated(self, line: LogLine, match: Match) -> None:
        """A queue knew a message that the log has not.

        4.4.0 compares the begin of a queue's last message with the end of the log
        (``ConsumeQueue#recover``), later releases the end of that message, so equal is no loss.
        """
        queues, log = match.get_number("queues_end"), match.get_number("log_end")
        if queues > log:
            self.add("tail_lost", line.time, f"queues to {queues}, log to {log}")

    def _see_undispatched_at_stop(self, line: LogLine, match: Match) -> None:
        self.known_end = max(self.known_end, match.get_number("max_offset"))
        self.longest = max(self.longest, self.known_end)

    def _see_put_without_file(self, line: LogLine, match: Match) -> None:
        self.life.has_failed_roll = True

    def _see_accepted(self, line: LogLine, match: Match) -> None:
        host = name_host(match)
        self._flap(host, line.time, f"{host} connects again and again")

    def _see_connected(self, line: LogLine, match: Match) -> None:
        self._flap("", line.time, "it connects again and again")

    def _see_master_gone(self, line: LogLine, match: Match) -> None:
        self._flap("ends", line.time, "its connection ends again and again")

    def _flap(self, kind: str, time: str, detail: str) -> None:
        if len(self.connects) >= PEERS_MAX:
            self.connects.clear()
        times = self.connects.setdefault(kind, deque(maxlen=FLAPS))
        times.append(time)
        if len(times) == FLAPS and 0 <= count_seconds(times[0], time) <= FLAP_SECONDS:
            self.add("flapping", time, detail, first=times[0])

    def _see_first_report(self, line: LogLine, match: Match) -> None:
        """A slave has more than its master: certain for the first slave after a start.

        Whatever it holds above the end that the master has recovered comes from an earlier life. A
        slave that was connected since may hold what this life wrote. After a roll that failed it is
        the blank at the end of the file that the slave has and the master lost.
        """
        life, offset = self.life, match.get_number("offset")
        end, host = life.recovered_end, name_host(match)
        if not 0 <= offset <= LOG_BYTES_MAX:
            self.add("stranger_reports", line.time, f"{host} reports {offset}")
            return
        if end is not None and offset > end and not life.has_served:
            detail = f"the slave has {offset}, the master recovered {end}"
            sign = "torn_roll" if life.follows_failed_roll else "slave_ahead"
            self._add_reported(sign, offset - end, line.time, detail)
        position = life.empty_positions.pop(host, 0)
        if 0 < offset < position:
            detail = f"{offset} bytes from {position} of the master lie at 0 of the slave"
            self.add("wrong_first_file", line.time, detail)

    def _see_report_above_end(self, line: LogLine, match: Match) -> None:
        offset, end = match.get_number("offset"), match.get_number("max_offset")
        self.longest = max(self.longest, end)
        detail = f"the slave has {offset}, the master {end}"
        self._add_reported("slave_ahead", offset - end, line.time, detail)

    def _see_positioned(self, line: LogLine, match: Match) -> None:
        """An empty slave is sent the last file only; puts below that it never gets."""
        life, position = self.life, match.get_number("position")
        if match.get_number("offset") == 0 and position > 0:
            life.empty_positions[name_host(match)] = position
            life.highest_empty_position = max(life.highest_empty_position, position)
            first = life.files[0] if life.files else 0
            if life.recovered_end is not None and first < position:
                detail = f"sent from {position}; the master's log begins at {first}"
                self.add("last_file_only", line.time, detail)
            self._compare_waiting_put(line.time)
        life.has_served = True

    def _see_slave_wait_timed_out(self, line: LogLine, match: Match) -> None:
        offset = match.get_number("offset")
        self.known_end = max(self.known_end, offset)
        self.longest = max(self.longest, offset)
        lowest = self.life.late_put
        self.life.late_put = offset if lowest is None else min(lowest, offset)
        self._compare_waiting_put(line.time)
        if match.fields.get("acks", "").startswith("-"):
            self.add("member_lags", line.time, f"a put ends at {offset}")
        else:
            self.add("slave_wait_failed", line.time, f"a put ends at {offset}")

    def _compare_waiting_put(self, time: str) -> None:
        put, position = self.life.late_put, self.life.highest_empty_position
        if put is not None and put <= position:
            detail = f"the slave is sent from {position}, a put that waits ends at {put}"
            self.add("positioned_above_put", time, detail)

    def _see_fall_behind(self, line: LogLine, match: Match) -> None:
        lead = -match.get_number("bytes")
        if lead > 0:
            self._add_reported("slave_ahead", lead, line.time, f"by {lead} bytes")

    def _see_offset_not_matched(self, line: LogLine, match: Match) -> None:
        """A place outside of the files; whose place it is, the thread tells."""
        offset, first, end = (match.get_number(name) for name in ("offset", "first", "end"))
        reader = line.thread
        self.longest = max(self.longest, end)
        detail = f"asks for {offset}; files from {first} to {end}"
        if offset < 0 and reader.startswith("WriteSocketService"):
            self.add("stranger_reports", line.time, detail)
        elif offset < first and reader.startswith("WriteSocketService"):
            self.add("slave_outrun", line.time, detail)
        elif offset < first and reader.startswith("ReputMessageService"):
            self.add("dispatch_outrun", line.time, detail)
        elif offset < first and reader.startswith(("Flush", "GroupCommit")):
            self.add("flush_outrun", line.time, detail)
        elif offset > end and reader.startswith("WriteSocketService"):
            self._add_reported("slave_ahead", offset - end, line.time, detail)
        elif offset == end:
            self.life.boundary_lines += 1
            if self.life.boundary_lines == BOUNDARY_LINES:
                self.add("next_file_missing", line.time, f"the last file ends at {end}")

    def _see_offset_corrected(self, line: LogLine, match: Match) -> None:
        """A group is sent to another place of its queue: back, or over what is gone."""
        asked, new = match.get_number("asked"), match.get_number("new")
        detail = f"{match.fields['group']} of {match.fields['topic']}: from {asked} to {new}"
        if new != asked:
            self.add("group_sent_back" if new < asked else "group_sent_on", line.time, detail)

    def _see_dispatch_unreadable(self, line: LogLine, match: Match) -> None:
        life = self.life
        life.unreadable_lines += 1
        if life.unreadable_lines == 1:
            self.unreadable_since = line.time
        if life.unreadable_lines >= UNREADABLE_LINES:
            self.add("dispatch_stuck", line.time, first=self.unreadable_since)

    def _see_dispatch_behind(self, line: LogLine, match: Match) -> None:
        """Two minutes in a row without an advance; bytes that come meanwhile may hide one."""
        behind = match.get_number("bytes")
        if behind >= self.behind > 0:
            self.add("dispatch_behind", line.time, f"by {behind} bytes")
        self.behind = behind

    def _see_disk_filling(self, line: LogLine, match: Match) -> None:
        """A ratio below 0 is no ratio: the folder is not there (``UtilAll``)."""
        ratio = float(match.fields["ratio"])
        self.add("disk_unknown" if ratio < 0 else "disk_filling", line.time, f"ratio {ratio}")

    def _see_send_queue(self, line: LogLine, match: Match) -> None:
        milliseconds = match.get_number("milliseconds")
        if milliseconds > SEND_WAIT_MS:
            self.add("sends_wait", line.time, f"{milliseconds} ms")

    def _see_set_changed(self, line: LogLine, match: Match) -> None:
        members = len(match.fields["members"].split(","))
        if members < self.members or (self.members == 0 and members == 1):
            self.add("set_shrank", line.time, f"to [{match.fields['members']}]")
        self.members = members


def name_host(match: Match) -> str:
    """The host of a peer; its port changes with each connection."""
    return match.fields["peer"].lstrip("/").rsplit(":", 1)[0]


def say_fields(match: Match) -> str:
    """What a line says besides its wording, in a few words."""
    shown = (f"{name} {value}" for name, value in match.fields.items() if value)
    return ", ".join(shown)


def count_seconds(first: str, last: str) -> int:
    """Between two times of a log. Dates are not computed: another day is far away."""

    def count(time: str) -> int:
        return sum(int(time[a : a + 2]) * by for a, by in ((11, 3600), (14, 60), (17, 1)))

    return count(last) - count(first) if first[:10] == last[:10] else 24 * 3600
