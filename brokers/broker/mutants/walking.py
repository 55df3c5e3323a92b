"""Where the messages in a part of a log end."""

from __future__ import annotations

from reference.store import records


def compute_whole_bytes(data: bytes) -> int:
    """How many of these bytes are whole messages, from the first byte on; 0: none begins there."""
    end = 0
    while end < len(data):
        size = int.from_bytes(data[end : end + 4], "big")
        found = records.check_message_and_return_size(data[end : end + size] if size > 0 else b"")
        if not found.is_success or found in (records.BLANK, records.UNREADABLE) or size <= 0:
            break
        if end + size > len(data):
            break
        end += size
    return end


def is_blank(data: bytes) -> bool:
    """A blank begins here."""
    magic = data[records.MAGIC_CODE_POSITION : records.MAGIC_CODE_POSITION + 4]
    return len(magic) == 4 and int.from_bytes(magic, "big", signed=True) == records.BLANK_MAGIC_CODE
