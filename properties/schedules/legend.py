"""How to read the states in the drawing of a schedule."""

from __future__ import annotations

import sys

from properties.language.world import ClaimedStructure
from properties.worlds.replication.world import ClaimedGroup
from properties.worlds.system.world import ClaimedSystem

LOG_LEGEND = "A broker shows its log first, as bytes, then its queue and its progress."
BYTES_LEGEND = (
    "A log is shown as its bytes, in `[ ]`: a letter for each log epoch, `|` where the last file "
    "begins, `·` for a deleted byte, `?` for one of unknown content."
)


def read_legend(structure: ClaimedStructure) -> str:
    """How to read the states of a structure's world; empty for brokers and logs alone."""
    if isinstance(structure, ClaimedSystem):
        return f"{LOG_LEGEND} {read_legend(structure.reading)}"
    told = sys.modules[structure.lanes.fill_lanes.__module__].__doc__ or ""
    return told.partition("\n\n")[2].strip().replace("``", "`")


def say_legend(structure: ClaimedStructure) -> str:
    """The same for a terminal, in one paragraph."""
    parts = [BYTES_LEGEND] if isinstance(structure, ClaimedGroup | ClaimedSystem) else []
    if not isinstance(structure, ClaimedGroup):
        parts.append(read_legend(structure))
    return " ".join(" ".join(parts).replace("`", "").split())
