"""Certificates: lemmas and schedules as data, checked again against the rules at every use.

A certificate is a hint, never a verdict: its lemmas must prove again, and its schedules must refute
again without a needless step. One with a missing verdict is refused, and so is one that leaves open
what is expected to be decided. Two things only a search knows: that no schedule with fewer steps
exists (not claimed for three slaves), and that a verdict is open. A seal binds them to what was
searched. A certificate has a fingerprint of what it was made from, rule by rule and claim by claim.
One made from other rules is not used, but ``renewal`` makes a new one of it.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from attrs import evolve

from properties.checkout import PROGRAM
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import find_needless_steps, is_refuted_by
from properties.verdicts.changed_rules import BEFORE, renew_in_memory
from properties.verdicts.expectations import find_expectation, has_expectations
from properties.verdicts.findings.disputes import mark_disputed
from properties.verdicts.fingerprint import (
    SEAL,
    FingerprintDifference,
    compute_difference,
    compute_fingerprint,
    compute_seal,
    is_sealed,
)
from properties.verdicts.storage.certificate_files import (
    PARTS_FOLDER,
    read_document,
    write_document,
)
from properties.verdicts.verdict import (
    InternalDisagreementError,
    Verdict,
    VerdictWord,
    leave_exhausted,
    make_proved,
)
from properties.z3 import fault_sets
from properties.z3.induction import InductionResult, SolverGaveUpError, prove_lemmas
from reference.language.machine import Action
from reference.language.parameters import BaseParameters
from reference.releases.versions import RULE_SETS

CERTIFICATE_FOLDER = Path(__file__).parent / "certificates"
WRITTEN_FILE = "written_by_hand.json"

DECIDED = (VerdictWord.PROVED, VerdictWord.REFUTED)
"""The words of a verdict that a proof or a schedule supports."""


def get_path(structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER) -> Path:
    """The path of a structure's certificate."""
    return folder / structure.world.locate(structure)


def get_world_folder(structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER) -> Path:
    """The folder with the certificates of a structure's world, and other data about it."""
    return get_path(structure, folder).parent


def get_stem(structure: ClaimedStructure) -> str:
    """The stem of other files about a structure: ``sync_master-async_flush-1_slaves``."""
    return "-".join(get_path(structure, Path()).with_suffix("").parts)


def save(
    structure: ClaimedStructure, verdicts: tuple[Verdict, ...], folder: Path = CERTIFICATE_FOLDER
) -> Path:
    """Write a structure's certificate; one set of lemmas serves every proof.

    Raises SolverGaveUpError for a verdict that is open only because Z3 gave up.
    """
    for query in (v.gave_up for v in verdicts if v.gave_up):
        raise SolverGaveUpError(query)
    return write(structure, make_document(structure, verdicts), folder)


def make_document(structure: ClaimedStructure, verdicts: tuple[Verdict, ...]) -> dict[str, Any]:
    """The certificate of a structure's verdicts."""
    lemmas = next((v.lemmas for v in verdicts if v.lemmas), ())
    document = {
        "structure": structure.name,
        "fingerprint": compute_fingerprint(structure),
        "inductive_set": list(lemmas),
        "cells": [_encode(v) for v in verdicts],
    }
    return document | {SEAL: compute_seal(document)}


def write(
    structure: ClaimedStructure, document: dict[str, Any], folder: Path = CERTIFICATE_FOLDER
) -> Path:
    """Write a certificate as it is."""
    path = get_path(structure, folder)
    parts_path = folder / PARTS_FOLDER / f"{structure.world.name}.json"
    write_document(path, parts_path, document)
    find_cells.cache_clear()
    return path


def read(structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER) -> dict[str, Any] | None:
    """A structure's certificate, even if made from other rules; None when there is none."""
    path = get_path(structure, folder)
    if not path.exists():
        return None
    try:
        return read_document(path)
    except ValueError:
        return None


def compute_changes(
    structure: ClaimedStructure, document: dict[str, Any], base: ClaimedStructure | None = None
) -> FingerprintDifference | None:
    """The changes since a certificate was made, or from that of a ``base`` to the structure.

    None if it has no fingerprint.
    """
    try:
        return compute_difference(document["fingerprint"], structure, base)
    except (KeyError, TypeError, AttributeError):
        return None


def load(structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER) -> dict[str, Any] | None:
    """A structure's certificate, or None when there is none or its rules have changed since.

    A program that answers about changed rules gets it renewed. Raises InternalDisagreementError for
    one with a broken seal.
    """
    document = read(structure, folder)
    changes = None if document is None else compute_changes(structure, document)
    if document is None or changes is None:
        return None
    if changes.touches_cells:
        return renew_in_memory(structure, document)
    if not is_sealed(document):
        raise InternalDisagreementError(
            f"the certificate of {structure.name} is not as a search has left it, perhaps after a "
            f'merge; run `{PROGRAM} prove --search --structure "{structure.name}"`'
        )
    return document


def load_required(structure: ClaimedStructure) -> dict[str, Any]:
    """A structure's certificate.

    Raises InternalDisagreementError if it is missing or was made from other rules.
    """
    document = load(structure)
    if document is None:
        raise _make_missing(structure)
    return document


def find_lemmas(structure: ClaimedStructure) -> tuple[str, ...]:
    """The lemmas of a structure's certificate; none unless it is of these rules and lemmas."""
    document = read(structure)
    changes = None if document is None else compute_changes(structure, document)
    if document is None or changes is None or changes or not is_sealed(document):
        return ()
    return tuple(document["inductive_set"])


def _make_missing(structure: ClaimedStructure) -> InternalDisagreementError:
    option = "".join(
        f" --{'rocketmq-version' if name in RULE_SETS else 'variant'} {name}"
        for name in structure.variants
    )
    return InternalDisagreementError(
        f"the certificate of {structure.name} is missing or was made from other rules; "
        f"run `{PROGRAM} prove{option}`, or `prove --search{option}` where there is none"
    )


def load_schedules(
    structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER
) -> tuple[tuple[Action, ...], ...]:
    """The schedules of a certificate, even if made from other rules: they are only hints.

    None if there is no certificate.
    """
    document = read(structure, folder) or {"cells": ()}
    return tuple(decode_schedule(c["schedule"]) for c in document["cells"] if "schedule" in c)


@cache
def find_cells(structure: ClaimedStructure) -> Mapping[tuple[str, str], Verdict]:
    """The certified verdicts of a structure by claim and fault model, in the table's order.

    None without a certificate that was made from its rules. Raises InternalDisagreementError for
    one that is incomplete or malformed.
    """
    document = load(structure)
    cells = () if document is None else decode_cells(structure, document)
    marked = mark_disputed(structure, cells)
    return {(cell.guarantee, cell.fault): cell for cell in marked}


def load_cells(structure: ClaimedStructure) -> Mapping[tuple[str, str], Verdict]:
    """The certified verdicts of a structure. Raises InternalDisagreementError if there are none."""
    cells = find_cells(structure)
    if not cells:
        raise _make_missing(structure)
    return cells


def load_refuted(structure: ClaimedStructure, claim: str, fault: str) -> Verdict:
    """A certified verdict with its schedule. Raises LookupError if it is not refuted."""
    cell = load_cells(structure)[claim, fault]
    if cell.word is not VerdictWord.REFUTED:
        raise LookupError(f"{claim} of {structure.name} is not refuted under {fault!r}")
    return cell


def recheck(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    document: dict[str, Any],
    on_progress: Callable[[str], None] = lambda text: None,
) -> tuple[Verdict, ...]:
    """Decide every verdict again with a certificate's help, schedules under the given parameters.

    A schedule that is impossible under these parameters leaves its verdict undecided, and so does a
    question on which Z3 gives up: that of one proof, or of all if it is about the lemmas. Raises
    InternalDisagreementError for a certificate that is incomplete or malformed, or whose proofs do
    not hold.
    """
    cells = decode_cells(structure, document)
    try:
        lemmas = _prove_lemmas(structure, tuple(document["inductive_set"]), cells, on_progress)
        proved = decide_fault_models(structure, lemmas)
    except SolverGaveUpError as problem:
        proved = fault_sets.leave_all_open(structure, problem.query)
    on_progress(f"{structure.name}: {len(cells)} cells")
    rechecked = (_answer(structure, parameters, cell, proved) for cell in cells)
    return mark_disputed(structure, rechecked)


@cache
def decide_fault_models(
    structure: ClaimedStructure, lemmas: tuple[str, ...]
) -> Mapping[str, InductionResult]:
    """The claims that follow from proved lemmas, by fault model.

    Only rules, claims and lemmas decide this, and they do not change while a program runs.
    """
    return fault_sets.decide_fault_models(structure, lemmas)


def _prove_lemmas(
    structure: ClaimedStructure,
    lemmas: tuple[str, ...],
    cells: Sequence[Verdict],
    on_progress: Callable[[str], None],
) -> tuple[str, ...]:
    """The lemmas, proved again, and then together with claims known to be false.

    A prover that accepts a false claim would accept a false lemma too. To break these takes less
    time when the lemmas are known to hold.
    """
    on_progress(f"{structure.name}: {len(lemmas)} lemmas")
    false_claims = list_false_claims(structure, cells)
    proved = prove_lemmas(structure, lemmas)
    kept = prove_lemmas(structure, (*proved, *false_claims))
    if stood := sorted(set(kept) & set(false_claims)):
        raise InternalDisagreementError(
            f"the prover lets {stood[0]} of {structure.name} stand, which a schedule refutes: "
            "it is unsound"
        )
    if set(kept) != set(lemmas):
        lost = sorted(set(lemmas) - set(kept))
        raise InternalDisagreementError(
            f"certified lemmas of {structure.name} do not prove: {lost}; "
            f"run `{PROGRAM} prove --search`"
        )
    return kept


def list_false_claims(structure: ClaimedStructure, cells: Iterable[Verdict]) -> tuple[str, ...]:
    """The claims that are refuted under every fault: induction must not prove them there."""
    fault_model = structure.world.every_fault.name
    refuted = (c for c in cells if c.fault == fault_model and c.word is VerdictWord.REFUTED)
    return tuple(c.guarantee for c in refuted)


def _answer(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    cell: Verdict,
    proved: Mapping[str, InductionResult],
) -> Verdict:
    """A verdict again, or none if Z3 gave up on its proof."""
    query = proved[cell.fault].gave_up.get(cell.guarantee)
    if cell.word is VerdictWord.PROVED and query is not None:
        return leave_exhausted(cell.guarantee, cell.fault, query)
    return _recheck_cell(structure, parameters, cell, proved)


def _recheck_cell(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    cell: Verdict,
    proved: Mapping[str, InductionResult],
) -> Verdict:
    if cell.word is VerdictWord.PROVED:
        result = proved[cell.fault]
        if cell.guarantee not in result.proved:
            raise InternalDisagreementError(
                f"{cell.guarantee} of {structure.name} under {cell.fault} is certified, not proved"
            )
        if cell.is_vacuous and cell.guarantee not in result.vacuous:
            raise InternalDisagreementError(
                f"{cell.guarantee} of {structure.name} under {cell.fault} is certified as vacuous, "
                "yet its premise is not proved to be impossible"
            )
        fault_model = structure.world.get_fault_model(cell.fault)
        return make_proved(cell.guarantee, fault_model, result)
    if cell.word is VerdictWord.REFUTED and cell.guarantee in proved[cell.fault].proved:
        raise InternalDisagreementError(
            f"{cell.guarantee} of {structure.name} under {cell.fault} is refuted by a schedule, "
            "yet follows from the lemmas: the prover is unsound"
        )
    return rejudge(structure, parameters, cell)


def decode_all(structure: ClaimedStructure, document: dict[str, Any]) -> list[Verdict]:
    """Every verdict in a certificate. Raises InternalDisagreementError for a malformed one."""
    try:
        return [_decode(c) for c in document["cells"]]
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise _make_malformed(structure, problem) from problem


def _make_malformed(structure: ClaimedStructure, problem: Exception) -> InternalDisagreementError:
    return InternalDisagreementError(
        f"the certificate of {structure.name} is malformed ({problem!r}); "
        f"run `{PROGRAM} prove --search`"
    )


def list_asked(structure: ClaimedStructure) -> set[tuple[str, str]]:
    """The claim and the fault model of every verdict of a structure."""
    return {(g, c.name) for g in structure.world.claims for c in structure.world.fault_models}


def decode_asked(structure: ClaimedStructure, document: dict[str, Any]) -> tuple[Verdict, ...]:
    """The verdicts of a certificate that are still needed, even if made from other rules.

    Raises InternalDisagreementError for a malformed one.
    """
    asked = list_asked(structure)
    cells = decode_all(structure, document)
    return tuple(c for c in cells if (c.guarantee, c.fault) in asked)


def decode_cells(structure: ClaimedStructure, document: dict[str, Any]) -> list[Verdict]:
    """Every verdict of a certificate, once, each proved or refuted.

    A certificate may leave open what is not expected to be decided; that of a variant which is no
    release, anything. Raises InternalDisagreementError for a certificate that is incomplete or
    malformed.
    """
    cells = decode_all(structure, document)
    try:
        lemmas = set(document["inductive_set"])
    except (KeyError, TypeError) as problem:
        raise _make_malformed(structure, problem) from problem
    expected = list_asked(structure)
    is_complete = (
        len(cells) == len(expected) and {(v.guarantee, v.fault) for v in cells} == expected
    )
    is_decided = bool(structure.variants) or all(
        v.word in DECIDED or not v.is_shortest for v in cells
    )
    if (
        not is_complete
        or not is_decided
        or not lemmas
        or not lemmas <= set(structure.world.get_lemmas(structure))
    ):
        raise InternalDisagreementError(
            f"the certificate of {structure.name} lacks cells, or leaves some open, or names "
            f"lemmas that do not exist; run `{PROGRAM} prove --search`"
        )
    if BEFORE not in document:
        _check_open(structure, cells)
    _check_order_of_columns(structure, cells)
    before = document.get(BEFORE)
    return cells if before is None else [_note_turned(v, before) for v in cells]


def _note_turned(verdict: Verdict, before: Mapping[tuple[str, str], str]) -> Verdict:
    """A verdict about changed rules; the reason for another verdict is no reason for this one."""
    word = before.get((verdict.guarantee, verdict.fault), "not asked")
    if verdict.word.value == word:
        return verdict
    return evolve(verdict, note=f"rules have changed; it was {word} before")


def _check_open(structure: ClaimedStructure, cells: Iterable[Verdict]) -> None:
    """What is expected to be proved or refuted is not left open.

    Expected verdicts were written by hand, one by one: an independent source. Raises
    InternalDisagreementError.
    """
    if not has_expectations(structure):
        return
    for cell in (c for c in cells if c.word not in DECIDED):
        expected = find_expectation(cell.guarantee, structure, cell.fault).verdict
        if expected in DECIDED:
            raise InternalDisagreementError(
                f"the certificate of {structure.name} leaves {cell.guarantee} under {cell.fault} "
                f"{cell.word.value}, which is expected to be {expected.value}; "
                f"run `{PROGRAM} prove --search`"
            )


def _check_order_of_columns(structure: ClaimedStructure, cells: Sequence[Verdict]) -> None:
    """A refutation under fewer faults also holds under more, in at most as many steps.

    Raises InternalDisagreementError for contradictory verdicts.
    """
    fault_models = {c.name: c for c in structure.world.fault_models}
    refuted = [c for c in cells if c.word is VerdictWord.REFUTED]
    for weaker, cell in itertools.product(refuted, cells):
        if cell.guarantee != weaker.guarantee:
            continue
        if not fault_models[weaker.fault].is_contained_in(fault_models[cell.fault]):
            continue
        if cell.word is not VerdictWord.REFUTED or weaker.is_shorter_than(cell):
            raise InternalDisagreementError(
                f"the certificate of {structure.name} contradicts itself: {cell.guarantee} is "
                f"refuted in {len(weaker.schedule)} steps under {weaker.fault}, so no later under "
                f"{cell.fault}; run `{PROGRAM} prove --search`"
            )


def rejudge(structure: ClaimedStructure, parameters: BaseParameters, cell: Verdict) -> Verdict:
    """A verdict under these sizes: an impossible schedule leaves it undecided.

    A schedule that needs more than one file is judged in files of a few bytes, and marked so.
    """
    if cell.word is not VerdictWord.REFUTED:
        return cell
    if _is_refuted(structure, parameters, cell):
        return evolve(cell, is_scaled=False)
    clip_sizes = structure.world.clip_sizes
    if clip_sizes is not None and _is_refuted(structure, clip_sizes(parameters), cell):
        return evolve(cell, is_scaled=True)
    note = "the known schedule is impossible with these sizes"
    return Verdict(cell.guarantee, cell.fault, VerdictWord.UNDECIDED, note=note)


def _is_refuted(structure: ClaimedStructure, parameters: BaseParameters, cell: Verdict) -> bool:
    fault_model = structure.world.get_fault_model(cell.fault)
    given = parameters.limit(fault_model.search_limits)
    if is_refuted_by(cell.guarantee, structure, given, cell.schedule):
        if needless := _find_needless(structure, parameters, cell.guarantee, cell.schedule):
            raise InternalDisagreementError(
                f"the schedule against {cell.guarantee} of {structure.name} under {cell.fault} "
                f"does not need its step {needless[0] + 1}; run `{PROGRAM} prove --search`"
            )
        return True
    return False


@cache
def _find_needless(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    claim: str,
    schedule: tuple[Action, ...],
) -> tuple[int, ...]:
    """The needless steps of a schedule: the same under every fault model that admits it.

    With one step less no fault happens more often, so a fault model's limits forbid nothing.
    """
    given = parameters.limit(structure.world.every_fault.search_limits)

    def is_refuting(trial: Sequence[Action]) -> bool:
        return is_refuted_by(claim, structure, given, trial)

    return tuple(find_needless_steps(schedule, is_refuting))


def load_written(structure: ClaimedStructure) -> tuple[Verdict, ...]:
    """Refutations written by hand, where a search does not reach them; often none."""
    path = get_world_folder(structure) / WRITTEN_FILE
    entries = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return tuple(
        Verdict(e["claim"], e["fault"], VerdictWord.REFUTED, decode_schedule(e["schedule"]))
        for e in entries
    )


def load_related(structure: ClaimedStructure) -> tuple[Verdict, ...]:
    """The certified verdicts of related structures; their schedules are tried first."""
    return tuple(
        v for k in structure.world.list_related_structures(structure) for v in _decode_if_usable(k)
    )


def _decode_if_usable(structure: ClaimedStructure) -> list[Verdict]:
    """The certified verdicts of a structure; none if its certificate is not of this model."""
    try:
        document = load(structure)
        return [] if document is None else decode_cells(structure, document)
    except InternalDisagreementError:
        return []


def _encode(verdict: Verdict) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "guarantee": verdict.guarantee,
        "fault": verdict.fault,
        "verdict": verdict.word.value,
    }
    if verdict.word is VerdictWord.REFUTED:
        cell["schedule"] = encode_schedule(verdict.schedule)
    if verdict.depth is not None:
        cell["depth"] = verdict.depth
    if not verdict.is_shortest:
        cell["is_shortest"] = False
    if verdict.is_vacuous:
        cell["is_vacuous"] = True
    return cell


def _decode(cell: dict[str, Any]) -> Verdict:
    return Verdict(
        guarantee=cell["guarantee"],
        fault=cell["fault"],
        word=VerdictWord(cell["verdict"]),
        schedule=decode_schedule(cell.get("schedule", ())),
        depth=cell.get("depth"),
        is_shortest=cell.get("is_shortest", True),
        is_vacuous=cell.get("is_vacuous", False),
    )


def encode_schedule(schedule: tuple[Action, ...]) -> list[list[Any]]:
    """A schedule as JSON: a list of [instance, arguments]."""
    return [[a.instance, dict(a.arguments)] for a in schedule]


def decode_schedule(data: Any) -> tuple[Action, ...]:
    """The schedule that ``encode_schedule`` wrote."""
    return tuple(Action(instance, arguments) for instance, arguments in data)
