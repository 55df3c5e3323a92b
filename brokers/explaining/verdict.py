"""What is said of one group of brokers that is explained forwards."""

from __future__ import annotations

from attrs import field, frozen

from brokers.recordings.log.explain import LogVerdict
from reference.worlds.replication.state import Cluster


@frozen
class ForwardVerdict(LogVerdict):
    """The verdict, with the state at the end, or before what is not explained."""

    state: Cluster | None = field(default=None, repr=False)

    @property
    def cluster(self) -> Cluster | None:
        """That state."""
        return self.state
