"""The lives of a broker: each start with what its logs say of it, and how it ended."""

from __future__ import annotations

from attrs import define, field

from reference.broker_logs.lines import Line
from reference.broker_logs.wordings import Match

MASTER_LINES = ("accepted", "first_report", "positioned", "idle_closed", "slave_wait_timed_out")
SLAVE_LINES = ("master_address", "master_gone", "frame_refused", "connected", "put_to_slave")
STOP_LINES = ("stop_hook", "stopping")
SETTINGS = ("brokerName", "brokerId", "brokerRole", "flushDiskType", "mapedFileSizeCommitLog")
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


@define
class BrokerLives:
    """The lives of one broker, and the settings of the latest."""

    lives: list[BrokerLife] = field(factory=list)
    settings: dict[str, str] = field(factory=dict)
    waits_for_slaves: bool = False
    """A put has waited for a slave: it is a SYNC_MASTER."""
    waits_for_disk: bool = False

    def see(self, line: Line, match: Match) -> None:
        """Take one line into account."""
        name = match.wording.name
        if name == "last_exit":
            self.lives.append(BrokerLife(line.time, match.fields["exit"] == "normally"))
        elif name == "setting":
            if match.fields["key"] in SETTINGS:
                self.settings[match.fields["key"]] = match.fields["value"].strip()
        self.waits_for_slaves |= name in ("slave_wait_failed", "slave_wait_timed_out")
        self.waits_for_disk |= name == "disk_wait_failed"
        if self.lives:
            see_in_life(self.lives[-1], line, match)

    @property
    def role(self) -> str:
        """``brokerRole``, as written or as shown by what it does; empty if neither tells.

        A master that never waited for a slave may be a SYNC_MASTER all the same.
        """
        written = self.settings.get("brokerRole", "")
        if written:
            return written
        if self.lives and self.lives[-1].is_master:
            return "SYNC_MASTER" if self.waits_for_slaves else "master"
        return "SLAVE" if self.lives and self.lives[-1].is_slave else ""


def see_in_life(life: BrokerLife, line: Line, match: Match) -> None:
    """Take a line into account in the life that it belongs to."""
    name = match.wording.name
    if name == "file_loaded":
        life.files.append(match.get_number("file"))
    elif name == "file_deleted" and not life.recovered:
        if match.get_number("file") in life.files:
            life.files.remove(match.get_number("file"))
    elif name == "recovered":
        life.recovered, life.max_offset = line.time, match.get_number("max_offset")
    elif name in STOP_LINES:
        life.stop_begin = life.stop_begin or line.time
    elif name in ("stopped", "stopped_in_doubt"):
        life.stop_end, life.stop_begin = line.time, life.stop_begin or line.time
        life.keeps_abort_file = name == "stopped_in_doubt"
    life.is_master |= name in MASTER_LINES
    life.is_slave |= name in SLAVE_LINES
