"""Every variant: a module each, with its differences from 4.4.0 and their origin."""

from __future__ import annotations

from collections.abc import Mapping

from reference.language.variant import Variant
from reference.worlds.replication.changes import (
    ack_above_transfer_start,
    ack_by_all_in_sync,
    ack_per_connection,
    answered_in_line,
    blank_kept,
    both_waits_at_once,
    controller_mode,
    deadline_before_reports,
    dispatch_flushed,
    dispatch_flushed_with_sync_flush,
    dispatch_from_first_file,
    dispatch_replicated,
    epoch_check,
    flush_looked_at_again,
    full_log_transfer,
    late_reports_time_out,
    no_slave_wait,
    put_outlasts_first_report,
    report_capped,
    report_capped_from_second,
    scripted_slave,
    wait_until_deadline,
    whole_record_checksum,
)
from reference.worlds.replication.changes.controller_mode.repairs import REPAIRS
from reference.worlds.replication.changes.controller_mode.settings import SETTINGS
from reference.worlds.replication.changes.settings import (
    answered_by_those_in_sync,
    closed_before_first_report,
    file_expires_unflushed,
    frame_beyond_slave_file,
    refused_without_slave,
    transient_store_pool,
)

CHANGES = (
    ack_above_transfer_start,
    ack_by_all_in_sync,
    ack_per_connection,
    answered_by_those_in_sync,
    late_reports_time_out,
    answered_in_line,
    blank_kept,
    closed_before_first_report,
    both_waits_at_once,
    epoch_check,
    file_expires_unflushed,
    frame_beyond_slave_file,
    full_log_transfer,
    controller_mode,
    deadline_before_reports,
    dispatch_flushed,
    dispatch_from_first_file,
    dispatch_flushed_with_sync_flush,
    dispatch_replicated,
    flush_looked_at_again,
    no_slave_wait,
    put_outlasts_first_report,
    refused_without_slave,
    report_capped,
    report_capped_from_second,
    transient_store_pool,
    wait_until_deadline,
    whole_record_checksum,
    *REPAIRS,
    *SETTINGS,
)
"""The module of every variant. Of two that came with one release the first overrides the second."""

VARIANTS: Mapping[str, Variant] = {change.VARIANT.name: change.VARIANT for change in CHANGES}
"""Every variant by name."""

PEERS: Mapping[str, Variant] = {scripted_slave.VARIANT.name: scripted_slave.VARIANT}
"""Peers that somebody plays, in recordings: what a broker may do, and no release or repair does."""
