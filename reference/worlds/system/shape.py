"""How a group stores and copies, and how it is read: what never changes."""

from __future__ import annotations

from attrs import field, frozen

from reference.language.structure import BaseStructure
from reference.worlds.reading.structure import ReadingStructure
from reference.worlds.replication.structure import Structure


@frozen(cache_hash=True)
class SystemShape(BaseStructure):
    """How a group stores and copies, and how it is read.

    It has no rules: states know it, and the module of a state need not import what changes states.
    """

    log: Structure = field(factory=Structure)
    """The group of brokers: one slave, one followed message."""
    reading: ReadingStructure = field(factory=ReadingStructure)
    """Where consumers read, and where their group begins."""

    @property
    def is_alone(self) -> bool:
        """The master has no slave: the one of the log never starts, and nobody knows of it."""
        return self.log.are_slaves_absent

    @property
    def name(self) -> str:
        """For example ``system/sync master/async flush/closed/no offset check/last``."""
        role, flush = self.log.role.name, self.log.flush_disk_type.name
        read = self.reading.name.removeprefix("reading/")
        at = "".join(f" at {name}" for name in self.log.variants)
        settings = f"{role}/{flush}".lower().replace("_", " ")
        if self.is_alone:
            read = f"alone{' at 4.9.4' if self.reading.is_reset_to_end else ''}"
        return f"system/{settings}{at}/{read}"
