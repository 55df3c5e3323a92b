"""A frame need not fit the slave's last file; one that does not is never appended.

Differs from 4.4.0: with files of two sizes, the slave's ``mapedFileSizeCommitLog`` is no multiple
of its master's. The master ends a frame with a file of its own, so a frame can cross the end of the
slave's. ``MappedFile#appendMessage(byte[])`` then takes nothing, the slave reports nothing and
closes the connection, and the next connection begins with the same frame.

Only what rest waits for is changed. Recovery and retention of such a slave are not described, so
every proof stays open (``one_file_size``).
"""

from __future__ import annotations

from reference.language.variant import Variant

VARIANT = Variant(
    name="frame_beyond_slave_file",
    sentence="A frame that crosses the end of the slave's file is never appended.",
    comes_from="mapedFileSizeCommitLog that differs (slave_file_size_differs seq 119 to 161; "
    "MappedFile#appendMessage(byte[]) at 4.4.0).",
    is_setting=True,
    unawaited=("append_to_slave", "append_at_wrong_offset"),
)
