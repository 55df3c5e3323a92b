"""From a broker group's release and settings to whether its brokers start again."""

from __future__ import annotations

from properties.verdicts.analysis import Analysis, decide_certified
from properties.worlds.starts.world import ClaimedStarts
from reference.configuration.broker_group import BrokerGroup
from reference.releases.start_rules import make_start_rules
from reference.roles import FlushDiskType
from reference.worlds.replication.changes import dispatch_flushed_with_sync_flush


def analyse_starts(group: BrokerGroup) -> Analysis:
    """The verdicts about any broker of the group.

    Raises InternalDisagreementError for a certificate that is missing or does not hold.
    """
    structure = compute_starts(group)
    return Analysis(structure, decide_certified(structure), "starts of a broker")


def compute_starts(group: BrokerGroup) -> ClaimedStarts:
    """What the group's release asks of files at a start.

    Entered are flushed messages only if every broker does so: one that does not is one that may not
    start.
    """
    rules = make_start_rules(group.version.release)
    brokers = (group.master, *group.slaves)
    is_flushed_first = group.version.has(dispatch_flushed_with_sync_flush.VARIANT) and all(
        broker.flush_disk_type is FlushDiskType.SYNC_FLUSH for broker in brokers
    )
    return ClaimedStarts(
        is_short_file_refused=(
            rules.is_other_length_refused and not rules.is_empty_last_file_deleted
        ),
        is_empty_queue_file_refused=rules.is_empty_queue_file_fatal,
        is_dispatched_when_flushed=rules.is_empty_queue_file_fatal and is_flushed_first,
    )
