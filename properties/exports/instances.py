"""Small instances for outside judges, SPIN and TLC, and SPIN's counts, as data.

``python -m spark_fuzz.search.peers`` counts them anew after a change of the rules. An entry has the
digest of the rules that it was made from, and is written only when both searches agree.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
from attrs import field, frozen

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.worlds.catalogue import STRUCTURES
from reference.language.parameters import BaseParameters
from reference.releases.versions import find_version

FILE = Path(__file__).parent / "spin_counts.json"


@frozen
class SmallInstance:
    """One structure under one fault model, with sizes for a search."""

    structure: ClaimedStructure
    fault_model: FaultModel
    sizes: BaseParameters
    highest: Mapping[str, int] = field(factory=dict)
    """For leaves that could count forever, the value at which they stop, so that the states are
    finitely many; by the path of the leaf."""

    @property
    def parameters(self) -> Any:
        """The sizes, with the limits of the fault model."""
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


def load_spin_counts() -> dict[str, dict[str, Any]]:
    """The counts, by the name of the instance."""
    counts: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return counts


def count_times(number: int) -> str:
    """``once``, ``2 times``."""
    return "once" if number == 1 else f"{number} times"
