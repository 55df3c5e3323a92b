"""The lives of a broker: each start with what its logs say of it, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from brokers.broker_logs.lines import LogLine
from brokers.broker_logs.wordings import Match

MASTER_LINES = ("accepted", "first_report", "positioned", "idle_closed", "slave_wait_timed_out")
SLAVE_LINES = ("master_address", "master_gone", "frame_refused", "connected", "put_to_slave")
STOP_LINES = ("stop_hook", "stopping")
ROLE = "brokerRole"
SETTINGS = ("brokerName", "brokerId", ROLE, "flushDiskType", "mapedFileSizeCommitLog")
"""What of the settings that a whole broker writes at its start is kept."""


@define
class BrokerLife:
    """A broker from one start to the next, as far as its logs say."""

    start: str
    is_last_exit_normal: bool
    recovered: str = ""
    """When its load was over; empty while it is not."""
    max_offset: int = 0
    files: list[int] = field(factory=list)
    """Begins of the commit-log files that it loaded, without those that the recovery deleted."""
    stop_begin: str = ""
    stop_end: str = ""
    keeps_abort_file: bool = False
    is_master: bool = False
    """It has done what masters do."""
    is_slave: bool = False
    waits_for_slaves: bool = False
    """A put has waited for a slave: it is a SYNC_MASTER."""
    settings: Mapping[str, str] = field(factory=dict)
    """Those that a whole broker wrote before this start."""
    flush_type: str = ""
    """``flushDiskType``, as the service that flushes shows it; empty if none was started."""
    latest: str = ""
    """The time of its latest line."""

    @property
    def role(self) -> str:
        """``brokerRole``, as written or as shown by what it does; empty if neither tells.

        A master that never waited for a slave in vain may be a SYNC_MASTER all the same: it is
        ``master`` here.
        """
        if ROLE in self.settings:
            return self.settings[ROLE]
        if self.is_master:
            return "SYNC_MASTER" if self.waits_for_slaves else "master"
        return "SLAVE" if self.is_slave else ""


@define
class BrokerLives:
    """The lives of one broker, and what it wrote of its settings last."""

    lives: list[BrokerLife] = field(factory=list)
    settings: dict[str, str] = field(factory=dict)
    spare: int | None = None
    """A file that was made in advance, and is deleted because its broker stops."""

    def see(self, line: LogLine, match: Match) -> None:
        """Take one line into account."""
        name = match.wording.name
        if name == "last_exit":
            normal = match.fields["exit"] == "normally"
            self.lives.append(BrokerLife(line.time, normal, settings=dict(self.settings)))
        elif name == "setting" and match.fields["key"] in SETTINGS:
            self.settings[match.fields["key"]] = match.fields["value"].strip()
        elif name == "spare_file_deleted":
            self.spare = match.get_number("file")
        if self.lives:
            see_in_life(self.lives[-1], line, match)

    def is_spare(self, match: Match) -> bool:
        """The line is about the file that was made in advance."""
        return match.wording.name == "file_deleted" and match.get_number("file") == self.spare

    @property
    def role(self) -> str:
        """That of the latest start; the settings alone if there is none."""
        return self.lives[-1].role if self.lives else self.settings.get(ROLE, "")


def see_in_life(life: BrokerLife, line: LogLine, match: Match) -> None:
    """Take a line into account in the life that it belongs to."""
    name = match.wording.name
    if name == "file_loaded":
        life.files.append(match.get_number("file"))
    elif name == "file_deleted" and not life.recovered:
        if match.get_number("file") in life.files:
            life.files.remove(match.get_number("file"))
    elif name == "recovered":
        life.recovered, life.max_offset = line.time, match.get_number("max_offset")
    elif name == "flush_service":
        is_sync = match.fields["service"] == "GroupCommitService"
        life.flush_type = "SYNC_FLUSH" if is_sync else "ASYNC_FLUSH"
    elif name in STOP_LINES:
        life.stop_begin = life.stop_begin or line.time
    elif name in ("stopped", "stopped_in_doubt"):
        life.stop_end, life.stop_begin = line.time, life.stop_begin or line.time
        life.keeps_abort_file = name == "stopped_in_doubt"
    life.waits_for_slaves |= name in ("slave_wait_failed", "slave_wait_timed_out")
    life.latest = line.time
    life.is_master |= name in MASTER_LINES
    life.is_slave |= name in SLAVE_LINES
