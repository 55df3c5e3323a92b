"""How to read the states in the drawing of a schedule."""

from __future__ import annotations

import sys
from typing import Any

from reference.worlds.replication.structure import Structure
from reference.worlds.system.structure import SystemStructure

LOG_LEGEND = "A broker shows its log first, as bytes, then its queue and its progress."
BYTES_LEGEND = (
    "A log is shown as its bytes, in `[ ]`: a letter for each log epoch, `|` where the last file "
    "begins, `·` for a deleted byte, `?` for one of unknown content."
)


def read_legend(structure: Any) -> str:
    """How to read the states of a structure's world; empty for brokers and logs alone."""
    if isinstance(structure, SystemStructure):
        return f"{LOG_LEGEND} {read_legend(structure.reading)}"
    told = sys.modules[structure.lanes.fill_lanes.__module__].__doc__ or ""
    return told.partition("\n\n")[2].strip().replace("``", "`")


def say_legend(structure: Any) -> str:
    """The same for a terminal, in one paragraph."""
    parts = [BYTES_LEGEND] if isinstance(structure, Structure | SystemStructure) else []
    if not isinstance(structure, Structure):
        parts.append(read_legend(structure))
    return " ".join(" ".join(parts).replace("`", "").split())
