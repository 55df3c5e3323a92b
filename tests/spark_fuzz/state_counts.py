"""Exact numbers of distinct states of small instances that are searched completely.

``python -m tests.spark_fuzz.state_counts`` counts them anew after a change of the rules, and writes
``tests/data/state_counts.json``. Each count carries the digest of the rules that it was made from.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from attrs import evolve, frozen

from properties.language.world import ClaimedStructure
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.storage.certificate_files import write_whole
from properties.worlds.delay.world import DELAY_STRUCTURES
from properties.worlds.judged_instances import SHORT_QUEUE, THREE_CONTENTS, TINY
from properties.worlds.reading.world import ClaimedReading
from properties.worlds.replication.world import ClaimedGroup
from properties.worlds.tables.world import TABLES_STRUCTURES
from reference.language.parameters import BaseParameters
from reference.roles import FlushDiskType, Role
from reference.worlds.delay.state import SMALL_DELAY
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from spark_fuzz.search.breadth_first import BreadthFirstResult, BreadthFirstSearch

FILE = Path(__file__).parents[1] / "data" / "state_counts.json"

MASTER_ALONE = ClaimedGroup(Role.SYNC_MASTER, FlushDiskType.SYNC_FLUSH, slaves=0)
ASYNCHRONOUS_PAIR = ClaimedGroup(Role.ASYNC_MASTER, FlushDiskType.ASYNC_FLUSH, slaves=1)

CAREFUL_READER = ClaimedReading(is_offset_checked_in_slave=True)
CARELESS_READER = ClaimedReading(is_master_open=True, is_slave_open=True)
ONE_MESSAGE = evolve(SHORT_QUEUE, ghost_queue_size_max=1)
"""Whose place a reader still has to reach, pass, and come back to."""


@frozen
class Instance:
    """One small instance."""

    structure: ClaimedStructure
    fault: str
    sizes: BaseParameters
    size: str
    """What is finite, in words."""
    is_nightly: bool = False

    @property
    def name(self) -> str:
        """For example ``SYNC_MASTER/SYNC_FLUSH/0 slaves, none, log of 4 bytes``."""
        return f"{self.structure.name}, {self.fault}, {self.size}"

    def count(self, batch: int) -> BreadthFirstResult:
        """Search it completely."""
        fault_model = self.structure.world.get_fault_model(self.fault)
        search = BreadthFirstSearch(self.structure, fault_model, self.sizes, batch=batch)
        return search.search(10_000_000)


INSTANCES = (
    Instance(MASTER_ALONE, "none", TINY, "log of 4 bytes"),
    Instance(MASTER_ALONE, "master power loss", TINY, "log of 4 bytes"),
    Instance(MASTER_ALONE, "none", SMALL_PARAMETERS, "log of 12 bytes"),
    Instance(ASYNCHRONOUS_PAIR, "none", TINY, "log of 4 bytes", is_nightly=True),
    Instance(CAREFUL_READER, "none", SHORT_QUEUE, "queue of 2 messages", is_nightly=True),
    Instance(CARELESS_READER, "none", SHORT_QUEUE, "queue of 2 messages", is_nightly=True),
    Instance(CARELESS_READER, "none", ONE_MESSAGE, "queue of 1 message", is_nightly=True),
    Instance(CARELESS_READER, "consumer kill", ONE_MESSAGE, "queue of 1 message", is_nightly=True),
    Instance(
        CARELESS_READER, "slave deletes first", ONE_MESSAGE, "queue of 1 message", is_nightly=True
    ),
    Instance(CARELESS_READER, "master stop", ONE_MESSAGE, "queue of 1 message", is_nightly=True),
    Instance(TABLES_STRUCTURES[0], "none", THREE_CONTENTS, "3 contents", is_nightly=True),
    Instance(TABLES_STRUCTURES[0], "stop", THREE_CONTENTS, "3 contents"),
    Instance(TABLES_STRUCTURES[1], "kill", THREE_CONTENTS, "3 contents", is_nightly=True),
    Instance(DELAY_STRUCTURES[0], "kill", SMALL_DELAY, "queue of 3 messages", is_nightly=True),
    Instance(DELAY_STRUCTURES[1], "promotion", SMALL_DELAY, "queue of 3 messages", is_nightly=True),
    Instance(
        DELAY_STRUCTURES[1], "power loss", SMALL_DELAY, "queue of 3 messages", is_nightly=True
    ),
)


def load_counts() -> dict[str, dict[str, object]]:
    """The recorded counts by the name of their instance."""
    counts: dict[str, dict[str, object]] = json.loads(FILE.read_text())
    return counts


def main(arguments: Sequence[str]) -> int:
    """Count every instance anew; with ``--check`` only say, by 1, if rules have changed since."""
    known = load_counts()
    digests = {instance.name: compute_digest(instance.structure) for instance in INSTANCES}
    if "--check" in arguments:
        return int(digests != {name: entry["digest"] for name, entry in known.items()})
    counts = {}
    for instance in INSTANCES:
        result = instance.count(batch=512)
        assert result.is_complete
        counts[instance.name] = {
            "digest": digests[instance.name],
            "states": result.states,
            "depths": list(result.states_per_depth),
        }
    write_whole(FILE, json.dumps(counts) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
