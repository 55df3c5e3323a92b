"""Why an event of a recording is refused."""

from __future__ import annotations


class Refusal(Exception):  # noqa: N818
    """No step shows what an event shows."""
