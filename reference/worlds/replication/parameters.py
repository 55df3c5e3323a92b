"""Constants of a run of a master/slave group: sizes, thresholds, limits of faults."""

from __future__ import annotations

from attrs import evolve, frozen

from reference.language.leaves import Bytes, Count
from reference.language.parameters import BaseFaults, BaseParameters


@frozen
class FaultCounts(BaseFaults):
    """A number per kind of fault: how often it has happened, or how often it may.

    Only faults are bounded, never healing. Some entries are not failures but environment events to
    be distinguished from them, such as a slave that joins late or a change of role.
    """

    master_kills: Count = 0
    """Kills of the master's process; the page cache survives."""
    slave_kills: Count = 0
    """Kills of a slave's process, all slaves together."""
    master_power_losses: Count = 0
    """Power losses of the master's machine. With its disk losses and torn rolls, at most
    ``Structure.lives`` - 1 are modelled."""
    slave_power_losses: Count = 0
    """Power losses of a slave's machine, all slaves together."""
    link_cuts: Count = 0
    """Replication connections that break while both ends are running."""
    late_joins: Count = 0
    """Not a failure: a slave without a log asks a master whose log has a second file."""
    slave_wipes: Count = 0
    """Stores of slaves that are emptied while their process is down."""
    master_disk_losses: Count = 0
    """Losses of the master's disk, which an empty one replaces."""
    swallowed_disk_errors: Count = 0
    """Failures of ``force`` or of a slave's write that the broker only logs."""
    failed_file_creations: Count = 0
    """Frames that a slave drops because it cannot create a file for them: its disk is full or
    stalled for five seconds, or its store directory is not writable."""
    alien_reports: Count = 0
    """Eight bytes that a stranger, not a slave, sends to the master's HA port."""
    forced_deletions: Count = 0
    """Files that a broker deletes before they expire, because its disk is more than 85 % full."""
    uncopied_expiries: Count = 0
    """Not a failure: retention deletes a master's file that a slave has not copied to its end. The
    slave was away, or too slow, for longer than messages are kept."""
    torn_rolls: Count = 0
    """Not a failure by itself: the master restarts while its log ends with the blank that fills a
    file. It was killed or stopped between writing that blank and creating the next file."""
    overlong_waits: Count = 0
    """Not a failure: a put waits for a slave from before that slave starts until after its first
    report. This needs a ``syncFlushTimeout`` (``slaveTimeout`` from 4.9.3 on) above
    ``haSendHeartbeatInterval``; both default to 5 s."""
    role_switches: Count = 0
    """Not a failure: ``brokerRole`` changes between ASYNC_MASTER and SYNC_MASTER at run time."""


@frozen
class Parameters(BaseParameters):
    """Sizes and thresholds: constant in a run, symbolic in a proof."""

    ha_slave_fallbehind_max_bytes: Bytes = 256 * 1024 * 1024
    """``haSlaveFallbehindMax``: a put waits for a slave only below this distance (R-HA-19)."""
    ha_transfer_batch_size_bytes: Bytes = 32 * 1024
    """``haTransferBatchSize``: the most bytes that one frame carries (R-HA-13)."""
    mapped_file_size_bytes: Bytes = 1024 * 1024 * 1024
    """``mapedFileSizeCommitLog``: every file of the log has this size (R-CL-06)."""
    message_size_max_bytes: Bytes = 4 * 1024 * 1024
    """``maxMessageSize``: the largest message, in bytes."""
    end_file_min_blank_bytes: Bytes = 8
    """``CommitLog.END_FILE_MIN_BLANK_LENGTH``: bytes left free after a message (R-CL-05). Fixed in
    the broker; smaller only where a search works on a log of a few bytes."""
    ghost_log_size_max_bytes: Bytes = 2**60
    """End of the modelled log. Brokers have no such limit; only a search needs one."""
    limits: FaultCounts = FaultCounts()
    """How often each fault may happen."""


SLAVES_MAX = 3
"""The largest group that the model covers."""

SIZE_KEYS = {
    "ha_slave_fallbehind_max_bytes": "haSlaveFallbehindMax",
    "ha_transfer_batch_size_bytes": "haTransferBatchSize",
    "mapped_file_size_bytes": "mapedFileSizeCommitLog",
    "message_size_max_bytes": "maxMessageSize",
}
"""The setting of the master that each size comes from."""

SMALL_PARAMETERS = Parameters(
    ha_slave_fallbehind_max_bytes=3,
    ha_transfer_batch_size_bytes=4,
    mapped_file_size_bytes=4,
    message_size_max_bytes=3,
    end_file_min_blank_bytes=1,
    ghost_log_size_max_bytes=12,
)
"""Three files of a few bytes: every boundary is reached, with arithmetic on a few bits."""


def clip_sizes(parameters: Parameters) -> Parameters:
    """The small sizes of a search, none larger than the given ones.

    All fall-behind limits below minus the length of the log are equivalent: they admit no slave.
    """
    small = {
        name: min(getattr(parameters, name), getattr(SMALL_PARAMETERS, name)) for name in SIZE_KEYS
    }
    lowest = -SMALL_PARAMETERS.ghost_log_size_max_bytes
    limit = max(small.pop("ha_slave_fallbehind_max_bytes"), lowest)
    return evolve(SMALL_PARAMETERS, ha_slave_fallbehind_max_bytes=limit, **small)
