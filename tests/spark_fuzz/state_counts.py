"""Exact numbers of distinct states of small instances that are searched completely.

``python -m tests.spark_fuzz.state_counts`` counts them anew after a change of the rules, and writes
``tests/data/state_counts.json``. Each count carries the digest of the rules that it was made from.
"""

from __future__ import annotations

import json
from pathlib import Path

from attrs import evolve, frozen

from properties.certificates import compute_digest
from properties.fault_class import FAULT_CLASS_BY_NAME
from reference.roles import FlushDiskType, Role
from reference.structure import SMALL_PARAMETERS, Parameters, Structure
from spark_fuzz.breadth_first import BreadthFirstResult, BreadthFirstSearch

FILE = Path(__file__).parents[1] / "data" / "state_counts.json"

TINY: Parameters = evolve(
    SMALL_PARAMETERS,
    ha_slave_fallbehind_max_bytes=2,
    ha_transfer_batch_size_bytes=1,
    mapped_file_size_bytes=2,
    message_size_max_bytes=1,
    ghost_log_size_max_bytes=4,
)
"""Two files of two bytes, messages of one byte."""

MASTER_ALONE = Structure(Role.SYNC_MASTER, FlushDiskType.SYNC_FLUSH, slaves=0)
ASYNCHRONOUS_PAIR = Structure(Role.ASYNC_MASTER, FlushDiskType.ASYNC_FLUSH, slaves=1)


@frozen
class Instance:
    """One small instance."""

    structure: Structure
    fault: str
    sizes: Parameters
    is_nightly: bool = False

    @property
    def name(self) -> str:
        """For example ``SYNC_MASTER/SYNC_FLUSH/0 slaves, none, log of 4 bytes``."""
        size = self.sizes.ghost_log_size_max_bytes
        return f"{self.structure.name}, {self.fault}, log of {size} bytes"

    def count(self, batch: int) -> BreadthFirstResult:
        """Search it completely."""
        fault_class = FAULT_CLASS_BY_NAME[self.fault]
        search = BreadthFirstSearch(self.structure, fault_class, self.sizes, batch=batch)
        return search.search(5_000_000)


INSTANCES = (
    Instance(MASTER_ALONE, "none", TINY),
    Instance(MASTER_ALONE, "master power loss", TINY),
    Instance(MASTER_ALONE, "none", SMALL_PARAMETERS),
    Instance(ASYNCHRONOUS_PAIR, "none", TINY, is_nightly=True),
)


def load_counts() -> dict[str, dict[str, object]]:
    """The recorded counts by the name of their instance."""
    counts: dict[str, dict[str, object]] = json.loads(FILE.read_text())
    return counts


def main() -> None:
    """Count every instance anew."""
    counts = {}
    for instance in INSTANCES:
        result = instance.count(batch=512)
        assert result.is_complete
        digest = compute_digest(instance.structure)
        per_depth = list(result.states_per_depth)
        counts[instance.name] = {"digest": digest, "states": result.states, "depths": per_depth}
    FILE.write_text(json.dumps(counts) + "\n")


if __name__ == "__main__":
    main()
