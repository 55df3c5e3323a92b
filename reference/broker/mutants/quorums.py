"""Masters of 5.x with ``inSyncReplicas=2`` that count otherwise."""

from __future__ import annotations

from reference.broker.mutants.mutant import mutant
from reference.broker.mutants.waits import WAIT, end_wait
from reference.broker.replication.group_transfer import GroupTransfer
from reference.broker.replication.puts import Put
from reference.releases.releases import QUORUM, Span

QUORUMS = (Span("5.0.0", modes=(QUORUM,)),)
HEADING = "versions.md#abstractions-of-5x"


@mutant(HEADING, f"{WAIT} at 5.0.0", spans=QUORUMS)
class QuorumCountsOneTwice(GroupTransfer):
    """The master's own copy is counted twice: a quorum of two is one broker."""

    def answer(self, put: Put) -> bool:
        """At once."""
        return end_wait(self.puts, put)


@mutant(HEADING, f"{WAIT} at 5.0.0", spans=QUORUMS)
class QuorumCountsTheClosed(GroupTransfer):
    """The highest report of any connection counts, also of one that is closed."""

    def answer(self, put: Put) -> bool:
        """As up to 4.9.8."""
        is_reported = put.end_offset <= self.puts.rules.get("master.push2_slave_max_offset")
        return super().answer(put) or (is_reported and end_wait(self.puts, put))


@mutant("versions.md#the-changes", f"{WAIT} at 5.0.0", spans=QUORUMS)
class LateReportsCount(GroupTransfer):
    """A report that comes after the deadline of a put still answers it, as up to 4.9.8."""

    def time_out(self, put: Put) -> bool:
        """Another look at the reports."""
        return self.answer(put) or super().time_out(put)
