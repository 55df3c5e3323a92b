"""Every variant: a module each, with what it does differently and where that comes from."""

import reference.variants.ack_above_transfer_start
import reference.variants.ack_by_all_in_sync
import reference.variants.ack_per_connection
import reference.variants.answered_in_line
import reference.variants.blank_kept
import reference.variants.both_waits_at_once
import reference.variants.controller_mode
import reference.variants.deadline_before_reports
import reference.variants.dispatch_flushed
import reference.variants.dispatch_flushed_with_sync_flush
import reference.variants.dispatch_replicated
import reference.variants.epoch_check
import reference.variants.flush_looked_at_again
import reference.variants.full_log_transfer
import reference.variants.no_slave_wait
import reference.variants.report_capped
import reference.variants.report_capped_from_second
import reference.variants.wait_until_deadline  # noqa: F401
