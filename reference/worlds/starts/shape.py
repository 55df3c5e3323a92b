"""What a release asks of the files at a start: what never changes."""

from __future__ import annotations

from attrs import frozen

from reference.language.structure import BaseStructure


@frozen(cache_hash=True)
class StartsShape(BaseStructure):
    """What a start asks of the files, and when a message is entered into its queue.

    It has no rules: states know it, and the module of a state need not import what changes states.
    """

    is_short_file_refused: bool = False
    """A file of no bytes ends the start (``MappedFileQueue#load`` from 4.5.1 to 5.1.2, but not in
    4.9.2). In the other releases it is ignored, or deleted if it is the last one: it is there as
    if it were not, since whoever makes the file next opens it."""
    is_empty_queue_file_refused: bool = False
    """A queue's last file without an entry ends the start (``ConsumeQueue#correctMinOffset`` from
    5.0.0 to 5.4.0)."""
    is_dispatched_when_flushed: bool = False
    """A running broker enters a message only once it counts as flushed: with ``SYNC_FLUSH`` from
    5.3.0 on (V-37)."""

    @property
    def name(self) -> str:
        """Short name, for example ``starts/4.4.0``: the first release of this form."""
        return f"starts/{self._first_release}"

    @property
    def _first_release(self) -> str:
        if self.is_dispatched_when_flushed:
            return "5.3.0 with SYNC_FLUSH"
        if self.is_empty_queue_file_refused:
            return "5.0.0" if self.is_short_file_refused else "5.1.3"
        return "4.5.1" if self.is_short_file_refused else "4.4.0"
