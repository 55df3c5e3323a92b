"""The state of one broker with the newest file of its log and that of one queue.

One message is followed: the first one of that queue file. Fields named ``ghost_...`` exist in the
specification only.

The constants of a run come first: limits of faults.
"""

from __future__ import annotations

from attrs import field, frozen

from reference.language.leaves import Code, Count, Flag
from reference.language.parameters import BaseFaults, BaseParameters
from reference.worlds.starts.shape import StartsShape


@frozen
class StartsFaults(BaseFaults):
    """A number per kind of fault or environment event: how often it has happened, or may."""

    stops: Count = 0
    """Not a failure: the broker stops cleanly."""
    kills: Count = 0
    """Kills of its process while it makes no file."""
    kills_in_file_creation: Count = 0
    """Kills between the two steps of making a file."""
    power_losses: Count = 0
    """Power losses of its machine: what was not on the disk is gone."""


@frozen
class StartsParameters(BaseParameters):
    """Constant in a run, symbolic in a proof."""

    limits: StartsFaults = StartsFaults()
    """How often each fault may happen."""


STAGE_NAMES = ("ABSENT", "EMPTY", "SIZED")
ABSENT, EMPTY, SIZED = range(len(STAGE_NAMES))
"""How far the making of a file has come: none, opened and of no bytes, of its full length."""

PHASE_NAMES = ("DOWN", "RECOVERING", "RUNNING")
DOWN, RECOVERING, RUNNING = range(len(PHASE_NAMES))
"""Of a broker's life: no process, a process that starts, one that serves."""


@frozen
class NewestFile:
    """The newest file of a log or of a queue."""

    stage: Code = ABSENT
    """As every process sees it: a kill takes nothing from it."""
    disk_stage: Code = ABSENT
    """On the disk: so it is after a power loss."""


@frozen
class StartingBroker:
    """The whole state of this world."""

    structure: StartsShape = field(metadata={"static": True})
    """What a start asks of the files."""
    parameters: StartsParameters
    """Fault limits."""
    phase: Code = DOWN
    """Whether the broker's process is there, and starts or serves."""
    log_file: NewestFile = NewestFile()
    """The next file of its commit log, made before anything is written into it."""
    queue_file: NewestFile = NewestFile()
    """The file of a queue that the followed message begins: not the queue's first one, and the file
    before it is full and on the disk."""
    is_stored: Flag = False
    """The followed message is in the log."""
    is_stored_on_disk: Flag = False
    """It is so on the disk."""
    is_entered: Flag = False
    """The followed message has its entry in the queue file."""
    is_entered_on_disk: Flag = False
    """It is so on the disk."""
    has_abort_file: Flag = False
    """The last end was no clean stop, or a process runs: recovery enters messages again."""
    is_refused: Flag = False
    """The last start ended itself because of a file, and that file is still there."""
    ghost_was_entered: Flag = False
    """The followed message was in its queue while the broker served."""
    faults: StartsFaults = field(factory=StartsFaults)
    """The faults so far."""
