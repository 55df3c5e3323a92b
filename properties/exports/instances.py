"""Small instances, those that SPIN and TLC judge, and SPIN's counts, as data.

``python -m spark_fuzz.search.peers`` counts them anew after a change of the rules. An entry has the
digest of the rules that it was made from, and is written only when both searches agree.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
from attrs import evolve, field, frozen

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.structures import STOCK_PAIR
from reference.language.parameters import BaseParameters
from reference.releases.versions import find_version
from reference.worlds.delay.state import SMALL_DELAY
from reference.worlds.reading.state import SMALL_READING
from reference.worlds.replication.parameters import SMALL_PARAMETERS, Parameters
from reference.worlds.tables.state import SMALL_TABLES

FILE = Path(__file__).parent / "spin_counts.json"

TINY: Parameters = evolve(
    SMALL_PARAMETERS,
    ha_slave_fallbehind_max_bytes=2,
    ha_transfer_batch_size_bytes=1,
    mapped_file_size_bytes=2,
    message_size_max_bytes=1,
    ghost_log_size_max_bytes=4,
)
"""Two files of two bytes, messages of one byte."""

ONE_MESSAGE = evolve(SMALL_READING, ghost_queue_size_max=1)
SHORT_QUEUE = evolve(SMALL_READING, ghost_queue_size_max=2)
THREE_CONTENTS = evolve(SMALL_TABLES, ghost_contents_max=3)


@frozen
class SmallInstance:
    """One structure under one fault class, with sizes for a search."""

    structure: ClaimedStructure
    fault_model: FaultModel
    sizes: BaseParameters
    highest: Mapping[str, int] = field(factory=dict)
    """For leaves that could count forever, the value at which they stop, so that the states are
    finitely many; by the path of the leaf."""

    @property
    def parameters(self) -> Any:
        """The sizes, with the limits of the fault class."""
        return self.sizes.limit(self.fault_model.search_limits)

    def describe(self) -> Iterator[str]:
        """Its rules, structure, faults and sizes, a line each."""
        yield f"Model of RocketMQ {find_version(self.structure.variants).name}"
        yield f"structure: {self.structure.name}"
        times = self.fault_model.times
        often = f", each at most {count_times(times)}" if self.fault_model.admitted else ""
        yield f"faults: {self.fault_model.name}{often}"
        for name, value in attrs.asdict(self.parameters, recurse=False).items():
            if isinstance(value, int):
                yield f"{name}: {value}"
        for path, value in self.highest.items():
            yield f"{path}: counts to {value}, and then stays"


@frozen
class JudgedInstance:
    """One small instance for outside judges."""

    structure_name: str
    fault: str
    sizes: BaseParameters
    size: str
    """What is finite, in words."""
    depth_max: int | None = None
    """Only states within this many steps; None: all states."""
    is_nightly: bool = False

    @property
    def structure(self) -> ClaimedStructure:
        """The structure of this name."""
        return STRUCTURES[self.structure_name]

    @property
    def small(self) -> SmallInstance:
        """What is exported."""
        fault_model = self.structure.world.get_fault_model(self.fault)
        return SmallInstance(self.structure, fault_model, self.sizes)

    @property
    def extent(self) -> str:
        """What is finite, and the depth of the search."""
        return self.size + (f", {self.depth_max} steps" if self.depth_max else "")

    @property
    def name(self) -> str:
        """For example ``SYNC_MASTER/SYNC_FLUSH/0 slaves, none, log of 4 bytes``."""
        return f"{self.structure_name}, {self.fault}, {self.extent}"


ALONE = "SYNC_MASTER/SYNC_FLUSH/0 slaves"
PAIR = STOCK_PAIR.name
ASYNCHRONOUS_PAIR = "ASYNC_MASTER/ASYNC_FLUSH/1 slave"
READER = "reading/open slow/no offset check/last"

LOG, CONTENTS = "log of 4 bytes", "3 contents"
MESSAGE, QUEUE = "queue of 1 message", "queue of 2 messages"

JUDGED_INSTANCES = (
    JudgedInstance(ALONE, "none", TINY, LOG),
    JudgedInstance(ALONE, "master power loss", TINY, LOG),
    JudgedInstance(ALONE, "none", SMALL_PARAMETERS, "log of 12 bytes", is_nightly=True),
    JudgedInstance(ASYNCHRONOUS_PAIR, "link cut", TINY, LOG, 12),
    JudgedInstance(ASYNCHRONOUS_PAIR, "master power loss", TINY, LOG, 10, is_nightly=True),
    JudgedInstance(PAIR, "disk errors", TINY, LOG, 12),
    JudgedInstance(PAIR, "slave power loss", TINY, LOG, 13),
    JudgedInstance(PAIR, "master power loss", TINY, LOG, 15, is_nightly=True),
    JudgedInstance(PAIR, "every fault", TINY, LOG, 8, is_nightly=True),
    JudgedInstance(f"{PAIR} at 4.9.1", "slave wiped", TINY, LOG, 12, is_nightly=True),
    JudgedInstance(
        "SYNC_MASTER/ASYNC_FLUSH/2 slaves", "every fault", TINY, LOG, 6, is_nightly=True
    ),
    JudgedInstance(ASYNCHRONOUS_PAIR, "none", TINY, LOG, 20, is_nightly=True),
    JudgedInstance(READER, "none", ONE_MESSAGE, MESSAGE),
    JudgedInstance(READER, "slave deletes first", ONE_MESSAGE, MESSAGE),
    JudgedInstance(READER, "none", SHORT_QUEUE, QUEUE, is_nightly=True),
    JudgedInstance("tables/topics/4.4.0", "stop", THREE_CONTENTS, CONTENTS),
    JudgedInstance("tables/groups/4.4.0", "kill", THREE_CONTENTS, CONTENTS, is_nightly=True),
    JudgedInstance("delay/corrected at start", "promotion", SMALL_DELAY, "queue of 3 messages"),
    JudgedInstance("delay/4.4.0", "power loss", SMALL_DELAY, "queue of 3 messages"),
)
"""Smaller ones before larger ones of the same world."""


def load_spin_counts() -> dict[str, dict[str, Any]]:
    """The counts, by the name of the instance."""
    counts: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return counts


def count_times(number: int) -> str:
    """``once``, ``2 times``."""
    return "once" if number == 1 else f"{number} times"
