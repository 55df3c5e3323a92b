"""Every variant: a module each, with what it does differently and where that comes from."""

import reference.variants.ack_above_transfer_start
import reference.variants.ack_by_all_in_sync
import reference.variants.blank_kept
import reference.variants.dispatch_flushed
import reference.variants.dispatch_replicated
import reference.variants.epoch_check
import reference.variants.full_log_transfer
import reference.variants.report_capped
import reference.variants.report_capped_from_second  # noqa: F401
