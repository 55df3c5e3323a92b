"""The shared recordings of real brokers, and those of them that await a rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[2] / "data"
TRACES = DATA / "traces"
LATER = DATA / "traces_498"
LATEST = DATA / "traces_5x"
FOUND = DATA / "traces_by_search"

ALL = tuple(path for f in (TRACES, LATER, LATEST, FOUND) for path in sorted(f.glob("*.jsonl")))

FLUSH_OF_TOO_FEW_PAGES = (
    "a flush that finds too few pages moves flushedWhere to the base of the first file "
    "(MappedFileQueue#flush at 4.4.0); no rule does so yet"
)
AWAITING: Mapping[str, str] = dict.fromkeys(
    (
        "g_new_slave_joins_old_master",
        "u4_rollover_while_slave_joins_default_timers",
        "u_rollover_while_slave_joins",
        "v498_g_new_slave_joins_old_master",
        "v533_g_new_slave_joins_old_master",
        "v533_quorum_g_new_slave_joins_old_master",
        "v533_u_rollover_while_slave_joins",
    ),
    FLUSH_OF_TOO_FEW_PAGES,
)
"""Recordings that no rule explains yet, with the reason; they are tried nightly."""


def list_cases(paths: Iterable[Path] = ALL) -> list[Any]:
    """One case for each recording; those that await a rule fail, and only nightly."""
    return [
        pytest.param(
            path,
            id=path.stem,
            marks=[pytest.mark.nightly, pytest.mark.xfail(reason=AWAITING[path.stem], strict=True)]
            if path.stem in AWAITING
            else [],
        )
        for path in paths
    ]


def list_explained(*folders: Path) -> list[Path]:
    """The recordings of these folders that the rules explain."""
    return [path for path in ALL if path.parent in folders and path.stem not in AWAITING]
