"""Repairs of controller mode: each removes one way in which 5.x loses or refuses bytes.

They are variants of ``controller_mode``, alone or together, and mean nothing without it.
"""

from reference.worlds.replication.changes.controller_mode.repairs import (
    begin_of_epoch_kept,
    epoch_file_cut_at_start,
    last_epoch_looked_up_again,
    own_end_reported,
    stale_bytes_cleared,
)

REPAIRS = (
    begin_of_epoch_kept,
    epoch_file_cut_at_start,
    last_epoch_looked_up_again,
    own_end_reported,
    stale_bytes_cleared,
)
"""The module of each repair."""

__all__ = ["REPAIRS"]
