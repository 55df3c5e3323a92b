"""Test vectors: named scenarios with expected states, for anyone reimplementing the broker.

A scenario is a stored schedule: one that refutes a guarantee, or one that reaches a rule, a premise
or a witness. Each is exported unchanged, and again with a last step that the protocol forbids. The
format is described in ``spec/vectors.md``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import attrs

from properties.checkout import PROGRAM
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import judge
from properties.verdicts import certificates
from properties.verdicts.verdict import InternalDisagreementError, VerdictWord
from properties.z3.vacuity import has_witnesses, load_witnesses
from reference.language.leaves import flatten, is_parameter
from reference.language.machine import Action, compute_machine, probe
from reference.language.parameters import BaseParameters
from reference.releases.versions import find_version

FORMAT = 1
"""Version of the format; it changes when readers of older files would fail."""


def make_vectors(structure: ClaimedStructure) -> Iterator[dict[str, Any]]:
    """Every scenario of a structure: the valid vector, then the one with a forbidden last step.

    Raises InternalDisagreementError when the structure has no certificate.
    """
    for name, parameters, schedule in list_scenarios(structure):
        yield make_vector(name, structure, parameters, schedule)
        forbidden = find_forbidden_step(structure, parameters, schedule)
        if forbidden is not None:
            trial = (*schedule, forbidden)
            yield make_vector(f"{name}, then forbidden", structure, parameters, trial)


def list_scenarios(
    structure: ClaimedStructure,
) -> Iterator[tuple[str, Any, tuple[Action, ...]]]:
    """Name, sizes with fault limits, and schedule of every scenario."""
    document = certificates.load(structure)
    if document is None:
        raise InternalDisagreementError(
            f"{structure.name} has no certificate for these rules; run `{PROGRAM} prove --search`"
        )
    for verdict in certificates.decode_cells(structure, document):
        if verdict.word is VerdictWord.REFUTED:
            name = f"{verdict.guarantee} fails, {verdict.fault}"
            fault_model = structure.world.get_fault_model(verdict.fault)
            yield name, structure.world.make_search_parameters(fault_model), verdict.schedule
    for answer in load_witnesses(structure) if has_witnesses(structure) else ():
        if answer.schedule is not None:
            parameters = structure.world.make_search_parameters(structure.world.everything)
            yield f"reaches {answer.question}", parameters, answer.schedule


def make_vector(
    name: str, structure: ClaimedStructure, parameters: BaseParameters, schedule: Sequence[Action]
) -> dict[str, Any]:
    """One scenario as data; for each state the leaves that the step has changed."""
    machine = compute_machine(structure)
    cluster = structure.make_initial(parameters)
    before = _get_state(cluster)
    vector: dict[str, Any] = {
        "format": FORMAT,
        "rocketmq_version": find_version(structure.variants).name,
        "name": name,
        "structure": _describe_structure(structure),
        "parameters": attrs.asdict(parameters),
        "initial_state": before,
        "steps": [],
        "valid": True,
        "refused_step": None,
        "failed_conditions": [],
        "violated_guarantees": [],
    }
    for index, action in enumerate(schedule):
        outcome = machine.step(cluster, action)
        step: dict[str, Any] = {"rule": action.instance, "arguments": dict(action.arguments)}
        vector["steps"].append(step)
        if outcome.is_refused:
            failed = list(outcome.failed)
            return vector | {"valid": False, "refused_step": index, "failed_conditions": failed}
        cluster = outcome.cluster
        after = _get_state(cluster)
        step["changes"] = {path: v for path, v in after.items() if v != before[path]}
        before = after
    return vector | {"violated_guarantees": list(judge(cluster))}


def find_forbidden_step(
    structure: ClaimedStructure, parameters: BaseParameters, schedule: Sequence[Action]
) -> Action | None:
    """A step that exactly one named condition forbids at the end; None if there is none.

    Of several, the one most similar to the schedule's last step: the same rule first.
    """
    machine = compute_machine(structure)
    cluster = structure.make_initial(parameters)
    for action in schedule:
        cluster = machine.step(cluster, action).cluster
    last = schedule[-1].instance if schedule else ""
    names = sorted(machine.instances, key=lambda name: name != last)
    for name in names:
        failed, _ = probe(machine.instances[name], cluster)
        if len(failed) == 1:
            return Action(name, {})
    return None


def write_vectors(structures: Iterable[Any], folder: Path) -> dict[str, int]:
    """One JSON-lines file per structure into a new folder; returns the vectors per file.

    Raises FileExistsError when the folder exists, and InternalDisagreementError for a structure
    without certificate.
    """
    vectors = {get_file_name(s): list(make_vectors(s)) for s in structures}
    folder.mkdir()
    for file, lines in vectors.items():
        (folder / file).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return {file: len(lines) for file, lines in vectors.items()}


def get_file_name(structure: ClaimedStructure) -> str:
    """For example ``sync_master-async_flush-1_slaves.jsonl``."""
    return f"{certificates.get_stem(structure)}.jsonl"


def _describe_structure(structure: ClaimedStructure) -> dict[str, Any]:
    return attrs.asdict(structure, value_serializer=_name_enum)


def _name_enum(owner: Any, field: Any, value: Any) -> Any:
    return value.name if isinstance(value, Enum) else value


def _get_state(cluster: Any) -> dict[str, Any]:
    return {path: v for path, v in flatten(cluster).items() if not is_parameter(path)}
