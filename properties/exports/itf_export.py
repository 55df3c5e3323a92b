"""Every stored counterexample and every scenario of the known issues as a trace of its own.

A file for each structure, claim and schedule: columns that share a schedule share the file, which
has the limits of the weakest of them. ``index.json`` lists all files with their columns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from properties.exports.itf import ItfTrace, encode_itf
from properties.scenarios.known_issues.catalogue import load_scenarios
from properties.scenarios.known_issues.scenario import Scenario
from properties.verdicts.certificates import decode_cells, get_stem, load, load_required
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds import KNOWN_STRUCTURES, find_world
from reference.language.machine import Action

SUFFIX = ".itf.json"
INDEX = "index.json"
ISSUE_FOLDER = "known_issues"


@frozen
class Exported:
    """One trace, where it is written, and what it is about."""

    file: Path
    """Below the folder of an export."""
    trace: ItfTrace
    columns: tuple[str, ...]
    """The fault columns that it refutes, the weakest first."""

    def describe(self) -> dict[str, Any]:
        """Its line of the index."""
        return {
            "file": self.file.as_posix(),
            "structure": self.trace.structure.name,
            "guarantee": self.trace.guarantee,
            "columns": list(self.columns),
            "steps": len(self.trace.schedule),
        }


def list_certified() -> tuple[Any, ...]:
    """Every structure of every release that has a certificate."""
    return tuple(s for s in KNOWN_STRUCTURES.values() if load(s) is not None)


def list_counterexamples(structure: Any) -> Iterator[Exported]:
    """The counterexamples of a structure's refuted cells.

    Raises InternalDisagreementError where it has no certificate.
    """
    shared: dict[Any, list[Verdict]] = {}
    for cell in decode_cells(structure, load_required(structure)):
        if cell.word is VerdictWord.REFUTED:
            shared.setdefault((cell.guarantee, _freeze(cell.schedule)), []).append(cell)
    for cells in shared.values():
        first = cells[0]
        sizes = find_world(structure).make_search_parameters(
            find_world(structure).get_fault_model(first.fault)
        )
        trace = ItfTrace(structure, sizes, first.schedule, first.guarantee)
        name = f"{first.guarantee}-{first.fault.replace(' ', '_')}{SUFFIX}"
        columns = tuple(cell.fault for cell in cells)
        yield Exported(Path(get_stem(structure)) / name, trace, columns)


def _freeze(schedule: Iterable[Action]) -> Any:
    """A schedule that can be a key."""
    return tuple((a.instance, tuple(a.arguments.items())) for a in schedule)


def make_issue_trace(scenario: Scenario) -> ItfTrace:
    """The trace of a known issue; of a phenomenon no guarantee is named."""
    about = f"{', '.join(scenario.sources)}: {scenario.title}"
    trace = ItfTrace(scenario.structure, scenario.parameters, scenario.schedule, None, about)
    return evolve(trace, guarantee=scenario.shows) if scenario.is_claim else trace


def list_issue_traces() -> Iterator[Exported]:
    """The scenarios of the known issues."""
    for scenario in load_scenarios():
        file = Path(ISSUE_FOLDER) / f"{scenario.name}{SUFFIX}"
        yield Exported(file, make_issue_trace(scenario), (scenario.fault,))


def write_traces(traces: Iterable[Exported], folder: Path) -> Iterator[Exported]:
    """Write traces into a new folder, each as it is yielded, and in the end their index.

    Raises FileExistsError when the folder exists.
    """
    folder.mkdir()
    index = []
    for each in traces:
        path = folder / each.file
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(encode_itf(each.trace)) + "\n")
        index.append(each.describe())
        yield each
    (folder / INDEX).write_text(json.dumps(index, indent=1) + "\n")
