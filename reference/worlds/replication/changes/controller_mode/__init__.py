"""A controller keeps the SyncStateSet, and elects one of its members when the master is down.

Modelled from the source of 5.3.3. Differs from 4.4.0: the handshake compares the epoch files of
both ends, and a slave truncates to the point up to which they agree, and reports it; a put is
answered when every member of the SyncStateSet has reported it; dispatch stops at the confirm
offset; when the master is down, a member becomes the master in a new epoch, and the old one returns
as its slave. ``ABSTRACTED`` lists what is left out.
"""

from reference.worlds.replication.changes.controller_mode import (
    frames,
    handshake,
    losses,
    mastership,
    sync_state_set,
)
from reference.worlds.replication.changes.controller_mode.variant import ABSTRACTED, VARIANT

PARTS = (sync_state_set, handshake, frames, mastership, losses)
"""The modules with its rules."""

__all__ = ["ABSTRACTED", "PARTS", "VARIANT"]
