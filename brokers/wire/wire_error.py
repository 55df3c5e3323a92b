"""What a peer may send that no reader takes."""

from __future__ import annotations


class WireError(ValueError):
    """Bytes that break a protocol or one of its bounds: one line, for a log."""
