"""What brokers write to no log, so that its absence there means nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

from brokers.broker_logs.wordings import RELEASES

UNSEEN_FILE = Path(__file__).with_name("unseen.toml")


def list_unseen(release: str | None = None) -> tuple[str, ...]:
    """A sentence for each thing that a release (of ``RELEASES``) does not log; all without one."""
    entries = tomllib.loads(UNSEEN_FILE.read_text("utf-8"))["unseen"]
    place = 0 if release is None else RELEASES.index(release)
    last = RELEASES[-1]
    return tuple(e["what"] for e in entries if RELEASES.index(e.get("until", last)) >= place)
