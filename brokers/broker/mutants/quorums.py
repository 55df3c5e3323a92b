"""Masters of 5.x with ``inSyncReplicas=2`` that count otherwise."""

from __future__ import annotations

from brokers.broker.mutants.mutant import mutant
from brokers.broker.mutants.waits import WAIT, end_wait
from brokers.broker.replication.followed_puts import PendingPut
from brokers.broker.replication.group_transfer import LiveGroupTransfer
from reference.releases.releases import QUORUM, Span

QUORUMS = (Span("5.0.0", modes=(QUORUM,)),)
HEADING = "versions.md#abstractions-of-5x"


@mutant(HEADING, f"{WAIT} at 5.0.0", spans=QUORUMS)
class QuorumCountsOneTwice(LiveGroupTransfer):
    """The master's own copy is counted twice: a quorum of two is one broker."""

    def answer(self, put: PendingPut) -> bool:
        """At once."""
        return end_wait(self.puts, put)


@mutant(HEADING, f"{WAIT} at 5.0.0", spans=QUORUMS)
class QuorumCountsTheClosed(LiveGroupTransfer):
    """The highest report of any connection counts, also of one that is closed."""

    def answer(self, put: PendingPut) -> bool:
        """As up to 4.9.8."""
        is_reported = put.end_offset <= self.puts.rules.get("master.push2_slave_max_offset")
        return super().answer(put) or (is_reported and end_wait(self.puts, put))
