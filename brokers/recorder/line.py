"""One line of a recording before it has its number, and whose it is."""

from __future__ import annotations

from typing import Any, NamedTuple

OWN_KINDS = frozenset(
    {
        "ha_link_open",
        "ha_report",
        "ha_frame",
        "ha_link_close",
        "ha_handshake_slave",
        "ha_handshake_master",
        "link_cut",
        "link_healed",
        "link_stalled",
        "proxy_target_down",
        "broker_status",
        "log",
        "note",
    }
)
"""Kinds that the recorder writes; a file of events may have all others."""


DERIVED = "derived"
"""A field of an event that nobody has told: the recorder has noticed that it must have been."""


class Line(NamedTuple):
    """An event, stamped with the time of day."""

    wall_ms: float
    kind: str
    fields: dict[str, Any]
    late_ms: float = 0.0
    """So much its stamp was moved, because lines with later stamps had left before it came."""

    @property
    def is_own(self) -> bool:
        """The recorder has seen it itself, or concluded it."""
        return self.kind in OWN_KINDS or self.fields.get(DERIVED) is True
