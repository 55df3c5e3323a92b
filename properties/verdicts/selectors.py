"""The verdicts of the guarantee tables that an entry of a data file is about."""

from __future__ import annotations

from typing import Any

from attrs import field, frozen

from properties.language.world import ClaimedStructure
from properties.worlds.replication.world import ClaimedGroup
from properties.worlds.system.world import ClaimedSystem
from reference.releases.versions import find_version
from reference.roles import Role
from reference.worlds.replication.put import has_slave_wait, is_slave_always_asked
from reference.worlds.replication.state import Message


def _as_pairs(settings: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(dict(settings).items())


@frozen(kw_only=True)
class CellSelector:
    """Structures and fault models; an omitted selector fits all."""

    roles: tuple[str, ...] = field(default=(), converter=tuple)
    """Role names, as they matter to puts (``get_waiting_role``)."""
    flushes: tuple[str, ...] = field(default=(), converter=tuple)
    """Names of FlushDiskType."""
    slaves: tuple[int, ...] = field(default=(), converter=tuple)
    """Numbers of slaves."""
    faults: tuple[str, ...] = field(default=(), converter=tuple)
    """Names of fault models."""
    releases: tuple[str, ...] = field(default=(), converter=tuple)
    """The first release of each rule set that the entry is about; the empty string is 4.4.0."""
    settings: tuple[tuple[str, Any], ...] = field(default=(), converter=_as_pairs)
    """For worlds other than replication: fields of the structure with their values."""

    def fits(self, structure: ClaimedStructure, fault: str) -> bool:
        """The entry is about this structure and fault model."""
        if self.faults and fault not in self.faults:
            return False
        parts = (structure, *list_parts(structure))
        if not all(any(has_setting(p, *pair) for p in parts) for pair in self.settings):
            return False
        return all(self._fits_group(p) for p in parts if isinstance(p, ClaimedGroup))

    def _fits_group(self, structure: ClaimedGroup) -> bool:
        """The entry is about this group; slower checks come last."""
        return (
            (not self.slaves or structure.slaves in self.slaves)
            and (not self.flushes or structure.flush_disk_type.name in self.flushes)
            and (not self.releases or find_version(structure.variants).rule_set in self.releases)
            and (not self.roles or get_waiting_role(structure) in self.roles)
        )


def list_parts(structure: ClaimedStructure) -> tuple[Any, ...]:
    """The structures that a structure consists of: for the system its group and its readers."""
    if not isinstance(structure, ClaimedSystem):
        return ()
    return (structure.log, structure.reading)


def has_setting(structure: ClaimedStructure, name: str, value: Any) -> bool:
    """A field of a structure has this value."""
    return bool(getattr(structure, name, None) == value)


def get_waiting_role(structure: ClaimedGroup) -> str:
    """The role as it matters to puts: a SYNC_MASTER that may answer alone does not count as one."""
    template = structure.template
    is_waiting = has_slave_wait(template, Message()) and is_slave_always_asked(template)
    return (Role.SYNC_MASTER if is_waiting else Role.ASYNC_MASTER).name
