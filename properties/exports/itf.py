"""Schedules in the Informal Trace Format of Apalache and Quint, for their tools and viewers.

https://apalache-mc.org/docs/adr/015adr-trace.html: a trace is a list of states, a state gives a
value to each variable. Here the variables are the parts of a world's state, below them records and
lists as in the reference; numbers are written as ``#bigint``, so that all have one type. Two more
variables give the step that led to a state: ``action``, an instance by name, ``init``, or
``observed`` for what a recording shows that no rule has done, and ``arguments``, a map. The
constant ``parameters`` is in the first state.

Every stored counterexample and every scenario of the known issues is exported as a trace of its
own: a file for each structure, claim and schedule. Fault models that share a schedule share the
file, which has the limits of the weakest of them. ``index.json`` lists all files with their fault
models.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from properties.language.world import ClaimedStructure
from properties.scenarios.known_issues.catalogue import load_scenarios
from properties.scenarios.known_issues.scenario import Scenario
from properties.schedules.judgement import ScheduleError, follow
from properties.verdicts.certificates import decode_cells, get_stem, load, load_required
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.catalogue import STRUCTURES
from reference.language.leaves import PARAMETER_PREFIX, flatten, is_parameter, unflatten
from reference.language.machine import Action
from reference.language.parameters import BaseParameters
from reference.releases.versions import find_version

FORMAT_DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"
PARAMETERS = PARAMETER_PREFIX.rstrip(".")
INITIAL_ACTION = "init"
ACTION_VARIABLES = ("action", "arguments")
DESCRIPTION = "A schedule of rmqspec, replayed by its reference"
COUNTS_MAX = {"messages": 64, "lives": 256}
"""The numbers of followed puts and of epochs of a log, up to what a file may ask for. A trace names
those that its structure does not have in the catalogue."""


class ItfError(ValueError):
    """Raised for a document that is no trace of this model; one line with the reason."""


@frozen
class ItfTrace:
    """The content of a document in the Informal Trace Format."""

    structure: ClaimedStructure
    parameters: BaseParameters
    schedule: tuple[Action, ...]
    guarantee: str | None = None
    """The guarantee that the last step violates; None if the document has none."""
    description: str = DESCRIPTION
    """A description in words."""


def encode_itf(trace: ItfTrace) -> dict[str, Any]:
    """The trace as JSON. Raises ScheduleError for a schedule with an impossible step."""
    about: dict[str, Any] = {
        "format": "ITF",
        "format-description": FORMAT_DESCRIPTION,
        "description": trace.description,
        "rocketmq_version": find_version(trace.structure.variants).name,
        "structure": trace.structure.name,
    }
    known = STRUCTURES.get(trace.structure.name, trace.structure)
    if trace.structure != known:
        counts = {name: getattr(trace.structure, name) for name in COUNTS_MAX}
        about |= {name: n for name, n in counts.items() if n != getattr(known, name)}
    if trace.guarantee is not None:
        about["guarantee"] = trace.guarantee
    steps = follow(trace.structure, trace.parameters, trace.schedule)
    states = [_encode_state(index, *step) for index, step in enumerate(steps)]
    variables = [name for name in states[0] if name not in ("#meta", PARAMETERS)]
    return {"#meta": about, "params": [PARAMETERS], "vars": variables, "states": states}


def decode_itf(document: Any) -> ItfTrace:
    """The trace that ``encode_itf`` wrote. Raises ItfError.

    Every state is compared with the reference's, so a trace of other rules, or one that was changed
    by hand, is refused.
    """
    try:
        about, (first, *others) = document["#meta"], document["states"]
        structure = _decode_structure(about)
        parameters = _decode_parameters(structure, first[PARAMETERS])
        schedule = tuple(_decode_action(state) for state in others)
        guarantee, description = _decode_guarantee(structure, about), about["description"]
        trace = ItfTrace(structure, parameters, schedule, guarantee, description)
        expected = encode_itf(trace)["states"]
    except ScheduleError as problem:
        raise ItfError(f"no schedule of this model: {problem}") from problem
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise ItfError(f"no trace of this model ({problem!r})") from problem
    _check_states(document["states"], expected)
    return trace


def _encode_state(index: int, action: Action | None, state: Any) -> dict[str, Any]:
    parts = nest(flatten(state))
    parameters = parts.pop(PARAMETERS)
    arguments = {} if action is None else action.arguments
    encoded: dict[str, Any] = {
        "#meta": {"index": index},
        "action": INITIAL_ACTION if action is None else action.instance,
        "arguments": {"#map": [[name, encode_value(v)] for name, v in arguments.items()]},
    }
    if action is None:
        encoded[PARAMETERS] = encode_value(parameters)
    return encoded | {name: encode_value(part) for name, part in parts.items()}


def nest(leaves: Mapping[str, Any]) -> dict[str, Any]:
    """Leaves by their paths as nested records; numbered parts become lists."""
    below: dict[str, dict[str, Any]] = {}
    for path, value in leaves.items():
        head, _, rest = path.partition(".")
        below.setdefault(head, {})[rest] = value
    return {head: _nest_below(parts) for head, parts in below.items()}


def _nest_below(parts: Mapping[str, Any]) -> Any:
    if "" in parts:
        return parts[""]
    nested = nest(parts)
    return list(nested.values()) if "0" in nested else nested


def encode_value(value: Any) -> Any:
    """A number, a truth value, or records and lists of them, as an expression of the format."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return {"#bigint": str(value)}
    if isinstance(value, list):
        return [encode_value(item) for item in value]
    return {name: encode_value(item) for name, item in value.items()}


def decode_value(expression: Any) -> int | bool:
    """A number or a truth value. Raises TypeError or ValueError for another expression."""
    if isinstance(expression, Mapping):
        return int(expression["#bigint"])
    if isinstance(expression, (bool, int)):
        return expression
    raise TypeError(f"{expression!r} is neither a number nor a truth value")


def _decode_structure(about: Any) -> ClaimedStructure:
    counts = {name: about[name] for name in COUNTS_MAX if name in about}
    for name, number in counts.items():
        if number not in range(1, COUNTS_MAX[name] + 1):
            raise ValueError(f"{number!r} is no number of {name} from 1 to {COUNTS_MAX[name]}")
    return evolve(STRUCTURES[about["structure"]], **counts)


def _decode_parameters(structure: ClaimedStructure, record: Any) -> Any:
    values = dict(flatten(structure.template))
    for path in values:
        if is_parameter(path):
            values[path] = _find(record, path.removeprefix(PARAMETER_PREFIX).split("."))
    return unflatten(structure, values).parameters


def _decode_guarantee(structure: ClaimedStructure, about: Any) -> str | None:
    name: str | None = about.get("guarantee")
    if name is not None and name not in structure.world.claims:
        raise ValueError(f"{name} is no guarantee of {structure.name}")
    return name


def _find(record: Any, names: Iterable[str]) -> int | bool:
    for name in names:
        record = record[name]
    return decode_value(record)


def _decode_action(state: Any) -> Action:
    instance, arguments = (state[name] for name in ACTION_VARIABLES)
    return Action(instance, {name: decode_value(value) for name, value in arguments["#map"]})


def _check_states(given: Sequence[Any], expected: Sequence[Any]) -> None:
    for index, (one, other) in enumerate(zip(given, expected, strict=True)):
        wrong = [name for name in other if one.get(name) != other[name]]
        if wrong or set(one) != set(other):
            named = ", ".join(wrong or sorted(set(one) ^ set(other)))
            raise ItfError(f"state {index} is not what the reference comes to: {named} differs")


SUFFIX = ".itf.json"
INDEX = "index.json"
ISSUE_FOLDER = "known_issues"


@frozen
class Exported:
    """One trace, with its file and its description."""

    file: Path
    """The path below the folder of an export."""
    trace: ItfTrace
    columns: tuple[str, ...]
    """The fault models that it refutes, the weakest first."""

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
    return tuple(s for s in STRUCTURES.values() if load(s) is not None)


def list_counterexamples(structure: ClaimedStructure) -> Iterator[Exported]:
    """The counterexamples of a structure's refuted verdicts.

    Raises InternalDisagreementError if it has no certificate.
    """
    shared: dict[Any, list[Verdict]] = {}
    for cell in decode_cells(structure, load_required(structure)):
        if cell.word is VerdictWord.REFUTED:
            shared.setdefault((cell.guarantee, _freeze(cell.schedule)), []).append(cell)
    for cells in shared.values():
        first = cells[0]
        sizes = structure.world.make_search_parameters(structure.world.get_fault_model(first.fault))
        trace = ItfTrace(structure, sizes, first.schedule, first.guarantee)
        name = f"{first.guarantee}-{first.fault.replace(' ', '_')}{SUFFIX}"
        columns = tuple(cell.fault for cell in cells)
        yield Exported(Path(get_stem(structure)) / name, trace, columns)


def _freeze(schedule: Iterable[Action]) -> Any:
    """A schedule that can be a key."""
    return tuple((a.instance, tuple(a.arguments.items())) for a in schedule)


def make_issue_trace(scenario: Scenario) -> ItfTrace:
    """The trace of a known issue; for a phenomenon no guarantee is named."""
    about = f"{', '.join(scenario.sources)}: {scenario.title}"
    trace = ItfTrace(scenario.structure, scenario.parameters, scenario.schedule, None, about)
    return evolve(trace, guarantee=scenario.shows) if scenario.is_claim else trace


def list_issue_traces() -> Iterator[Exported]:
    """The scenarios of the known issues."""
    for scenario in load_scenarios():
        file = Path(ISSUE_FOLDER) / f"{scenario.name}{SUFFIX}"
        yield Exported(file, make_issue_trace(scenario), (scenario.fault,))


def write_traces(traces: Iterable[Exported], folder: Path) -> Iterator[Exported]:
    """Write traces into a new folder, each as it is yielded, and finally their index.

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
