"""What is raised, what it means, and where the model says so."""

from __future__ import annotations

from typing import Final, NamedTuple

from attrs import frozen

CRITICAL: Final = "critical"
"""Messages that were acknowledged may be lost already."""
WARNING: Final = "warning"
"""Something does not go on by itself."""


@frozen
class Definition:
    """One kind of alarm."""

    name: str
    severity: str
    meaning: str
    """In one sentence."""
    facts: str
    """What has to be observed."""
    page: str
    """Page and heading of the book."""
    over: str = ""
    """What it means that it has ended."""
    is_event: bool = False
    """It happens at an instant; others last until an observation ends them."""


SLAVE_AHEAD = Definition(
    "slave_ahead",
    CRITICAL,
    "A slave holds bytes that its master does not have: its reports acknowledge messages that it "
    "never receives.",
    "a report or a look shows the slave's end, and a later look at the master a lower one",
    "lifecycle.md#restart_master",
    "the master has come as far, or the slave was cut: their logs may differ for good",
)
SLAVE_OUTRUN = Definition(
    "slave_outrun",
    WARNING,
    "Retention has deleted what a slave needs next: it is sent nothing.",
    "a connection's position, not 0, is below the master's min offset, and stays for a second "
    "while nothing holds the link back",
    "operators.md#a-slave-asks-for-what-the-master-has-deleted",
    "the connection has ended, or asks for what is there",
)
POSITIONED_ABOVE_PUT = Definition(
    "positioned_above_put",
    CRITICAL,
    "An empty slave was sent what lies above a put that waited for a slave: it never gets that "
    "message, and its next report acknowledges it.",
    "a first report of 0, a first frame at an offset above a put that was under way then",
    "counterexamples/acknowledged_is_held_twice.md",
    is_event=True,
)
FALSE_ACKNOWLEDGEMENT = Definition(
    "false_acknowledgement",
    CRITICAL,
    "A put was answered PUT_OK for a slave that has it, and no slave was sent it.",
    "a PUT_OK of a put that had to wait for a slave, all of whose bytes were sent on no recorded "
    "link while it was under way, though every connection that the master counts is recorded",
    "guarantees.md#acknowledgement_is_truthful",
    is_event=True,
)
DISPATCH_STUCK = Definition(
    "dispatch_stuck",
    WARNING,
    "The dispatch of a broker stands still below the end of its log: consumers see nothing new.",
    "two looks at one process, 0.9 s apart, with the same dispatch below an offset at which a "
    "record ends",
    "dispatch.md#where-the-cursor-stops",
    "the dispatch has moved, or the process is another one",
)
ORDER_UNKNOWN = Definition(
    "order_unknown",
    WARNING,
    "Lines come too late to be put in order: what follows from the order of such a line and others "
    "cannot be known, and raises no alarm.",
    "a line that came more than a quarter of a second after its stamp, when later ones had left",
    "recording.md#lines-that-come-late",
    "no line has come late for ten seconds",
)

DEFINITIONS = (
    SLAVE_AHEAD,
    SLAVE_OUTRUN,
    POSITIONED_ABOVE_PUT,
    FALSE_ACKNOWLEDGEMENT,
    DISPATCH_STUCK,
    ORDER_UNKNOWN,
)


class AlarmFacts(NamedTuple):
    """An alarm's facts at one moment: of whom, and in words. Without words it has ended."""

    definition: Definition
    subject: str
    """A node or a link."""
    text: str = ""
    since_ms: float = 0.0
    """When the facts began."""


@frozen
class Alarm:
    """Something that is told."""

    definition: Definition
    subject: str
    text: str
    since_ms: float
    """When the facts began, as far as they show that."""
    raised_ms: float
    """When the watch has told it."""
    is_over: bool = False
    """It has ended."""
    count: int = 1
    """How many of its kind and subject there have been with this one."""
