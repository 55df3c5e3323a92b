"""How a master begins to deliver: what never changes."""

from __future__ import annotations

from attrs import frozen

from reference.language.structure import BaseStructure


@frozen(cache_hash=True)
class DelayShape(BaseStructure):
    """How a master begins to deliver.

    It has no rules: states know it, and the module of a state need not import what changes states.
    """

    is_corrected_at_start: bool = False
    """At start, progress beyond the end of the delay queue is lowered to that end, as in later
    releases (``ScheduleMessageService#correctDelayOffset``); 4.4.0 leaves it."""

    @property
    def name(self) -> str:
        """Short name, for example ``delay/4.4.0``."""
        return f"delay/{'corrected at start' if self.is_corrected_at_start else '4.4.0'}"
