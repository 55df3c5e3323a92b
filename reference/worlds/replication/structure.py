"""A master/slave group: its static shape, with the rules, the first state and the lanes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from attrs import evolve, frozen

from reference.language.rule import Rule
from reference.language.structure import BaseStructure, Lanes
from reference.language.variant import Variant
from reference.releases.versions import compute_rules, expand
from reference.worlds.replication import timeline
from reference.worlds.replication.parameters import Parameters
from reference.worlds.replication.roles import FlushDiskType, Role
from reference.worlds.replication.state import (
    Cluster,
    Link,
    Master,
    Message,
    Slave,
    compute_first_sync_state_set,
    empty_log,
)


@frozen
class Structure(BaseStructure):
    """The static shape of a master/slave group: each structure specialises every rule."""

    role: Role = Role.SYNC_MASTER
    """``brokerRole`` of the master: ASYNC_MASTER or SYNC_MASTER."""
    flush_disk_type: FlushDiskType = FlushDiskType.ASYNC_FLUSH
    """``flushDiskType`` of the master. A slave's own never gates an acknowledgement (R-FL-10)."""
    slaves: int = 1
    """Number of slaves, 0 to 3."""
    messages: int = 1
    """Messages followed one by one; all others are anonymous bytes."""
    lives: int = 3
    """Lives of the master's log that are told apart: one more than the losses it may have."""
    variants: tuple[str, ...] = ()
    """Names of the variants whose rules replace those of RocketMQ 4.4.0; a later release stands
    for all that it changes, and comes last."""

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

    usual_parameters: ClassVar[Parameters] = Parameters()
    lanes: ClassVar[Lanes] = timeline.LANES

    @property
    def changes(self) -> tuple[Variant, ...]:
        """The variants, those of a release one by one; raises KeyError for an unknown name."""
        return expand(self.variants)

    @property
    def rules(self) -> Mapping[str, Rule]:
        """Those of RocketMQ 4.4.0 in their order, then those that its variants add."""
        return compute_rules(self.variants)

    @property
    def index_counts(self) -> Mapping[str, int]:
        """How many slaves and followed messages there are."""
        return {"slave": self.slaves, "message": self.messages}

    def make_initial(self, parameters: Parameters) -> Cluster:
        """Everything up, every log empty, no connection yet."""
        empty = empty_log(self.lives)
        cluster = Cluster(
            structure=self,
            parameters=parameters,
            master=Master(log=empty, is_sync=self.is_sync_master),
            slaves=(Slave(log=empty),) * self.slaves,
            links=(Link(),) * self.slaves,
            messages=(Message(),) * self.messages,
        )
        return evolve(cluster, in_sync_state_set=compute_first_sync_state_set(cluster))
