"""The static shape of a master/slave group."""

from __future__ import annotations

from attrs import field, frozen

from reference.language.structure import LATER, BaseStructure
from reference.roles import FlushDiskType, Role


@frozen(cache_hash=True)
class GroupShape(BaseStructure):
    """The static shape of a master/slave group: each structure specialises every rule.

    It has no rules: states know it, and the module of a state need not import what changes states.
    """

    role: Role = Role.SYNC_MASTER
    """``brokerRole`` of the master: ASYNC_MASTER or SYNC_MASTER."""
    flush_disk_type: FlushDiskType = FlushDiskType.ASYNC_FLUSH
    """``flushDiskType`` of the master. A slave's own never delays an acknowledgement (R-FL-10)."""
    slaves: int = 1
    """Number of slaves, 0 to 3."""
    messages: int = 1
    """Number of messages followed individually; all others are anonymous bytes."""
    lives: int = 3
    """Number of epochs of the master's log that are distinguished: its possible losses plus one."""
    slave_file_size_bytes: int = field(default=0, kw_only=True, metadata={LATER: True})
    """Size of the files of every slave's log; 0: its master's. No claim is decided for another one:
    it is for what such brokers were seen to do."""
    are_slaves_absent: bool = field(default=False, kw_only=True, metadata={LATER: True})
    """Its slaves never start, and nothing waits for them: they hold the place of a slave where
    there is none."""
    variants: tuple[str, ...] = ()
    """Names of the variants whose rules replace those of RocketMQ 4.4.0. A later release implies
    all of its changes and comes last."""

    @property
    def is_sync_master(self) -> bool:
        """The master waits for a slave before it answers."""
        return self.role is Role.SYNC_MASTER

    @property
    def is_sync_flush(self) -> bool:
        """The master waits for its own disk before it answers."""
        return self.flush_disk_type is FlushDiskType.SYNC_FLUSH

    @property
    def name(self) -> str:
        """Short name, for example ``SYNC_MASTER/ASYNC_FLUSH/1 slave``."""
        plural = "slave" if self.slaves == 1 else "slaves"
        group = f"{self.role.name}/{self.flush_disk_type.name}/{self.slaves} {plural}"
        release = "".join(f" at {name}" for name in self.variants if name[0].isdigit())
        repairs = "".join(f" with {name}" for name in self.variants if not name[0].isdigit())
        return group + release + repairs
