"""Sizes of messages: recorded ones, and those that nobody saw, chosen to fit the next shown end."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from brokers.recordings.joined.choice import is_stored
from brokers.recordings.joined.roles import Roles
from brokers.recordings.reading import Event, Recording

USUAL_BYTES = 200
"""What a message counts for whose size nothing bounds."""

END_AT_READ = "max_offset_py"
"""The field with the log's end at a read."""

MOVED = "PULL_OFFSET_MOVED"
"""With such an answer a master puts a message into ``OFFSET_MOVED_EVENT``."""


def is_moved(event: Event, roles: Roles) -> bool:
    """A master answers so, and puts a message (PullMessageProcessor#generateOffsetMovedEvent)."""
    is_told = event.kind == "pull_message" and event.data.get("response") == MOVED
    return is_told and roles.is_master(event)


@define
class Sizes:
    """What is known of the sizes of a recording's messages."""

    recording: Recording
    roles: Roles
    places: Mapping[int, int] = field(init=False)
    """By ``seq``: the place of an event in the recording."""

    def __attrs_post_init__(self) -> None:
        self.places = {event.seq: i for i, event in enumerate(self.recording.events)}

    def find_size(self, event: Event, end_offset: int) -> int:
        """The size of what is put at an event, where the log ends before it at ``end_offset``."""
        if event.kind == "put":
            return int(event["wrote_bytes"])
        shown, count, known = self._look_ahead(event)
        if shown is None:
            return USUAL_BYTES
        left = shown - end_offset - known
        return max(1, left if count == 1 else left // count)

    def _look_ahead(self, event: Event) -> tuple[int | None, int, int]:
        """Where the log is shown to end next, and what is put until then.

        That is: how many messages of unknown size, and how many bytes of known ones.
        """
        count = known = 0
        for later in self.recording.events[self.places[event.seq] :]:
            shown = self.find_end(later)
            if shown is not None:
                return shown, count, known
            if later.kind == "put" and is_stored(later, self.roles):
                known += int(later["wrote_bytes"])
            elif is_stored(later, self.roles) or is_moved(later, self.roles):
                count += 1
        return None, count, known

    def find_next_end(self, event: Event) -> int | None:
        """Where the master's log is shown to end next, from an event on."""
        return self._look_ahead(event)[0]

    def find_end(self, event: Event) -> int | None:
        """Where the master's log ends, if an event shows it; a put shows where it began."""
        if not self.roles.is_master(event):
            return None
        if event.kind in ("snapshot", "broker_started", "node_started"):
            return int(event["max_offset"])
        if END_AT_READ in event.data:
            return int(event[END_AT_READ])
        if event.kind == "put" and "wrote_offset" in event.data:
            return int(event["wrote_offset"])
        return None
