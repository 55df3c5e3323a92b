"""Unsat cores as data: what each proof obligation rests on, re-checked by asserting just that.

Like a certificate a core is a hint, never a verdict, and carries the same digest.
``python -m properties.z3.cores`` finds them anew after rules, lemmas or certificates have changed;
names of structures as arguments restrict it to these.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from attrs import frozen

from properties.verdicts.certificates import CERTIFICATE_FOLDER, get_path
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.verdict import InternalDisagreementError
from properties.worlds.replication.structures import CERTIFIED_BY_NAME, CERTIFIED_STRUCTURES
from properties.z3.discharge import Fact, Outcome, follows_from
from properties.z3.induction import SolverGaveUpError
from properties.z3.obligations import Obligation, Proof, load_proof
from reference.worlds.replication.structure import Structure

CORE_FOLDER = CERTIFICATE_FOLDER / "cores"

STORED_SLAVES_MAX = 2
"""Cores of larger groups are not stored: they say the same once more for each slave."""

STORED_STRUCTURES = tuple(s for s in CERTIFIED_STRUCTURES if s.slaves <= STORED_SLAVES_MAX)
"""Every structure whose cores are stored."""


@frozen
class Core:
    """What the proof of one obligation takes."""

    work: int
    """Z3's resource units for the obligation with all facts at hand."""
    facts: tuple[Fact, ...]
    """Facts that suffice and of which none can be left out."""


@frozen
class CoreFailure:
    """A stored core that does not prove its obligation, or is missing, or has no obligation."""

    obligation: Obligation
    reason: str


def find_cores(
    proof: Proof, on_progress: Callable[[str], None] = lambda text: None
) -> dict[Obligation, Core]:
    """A minimal core of every obligation.

    Raises InternalDisagreementError for an obligation that does not hold and SolverGaveUpError for
    one that Z3 gives up.
    """
    found = {}
    for obligation in proof.list_obligations():
        on_progress(f"{proof.structure.name}: {obligation}")
        discharge = proof.discharge_minimally(obligation)
        if discharge.outcome is Outcome.GAVE_UP:
            raise SolverGaveUpError(f"{proof.structure.name}: {obligation}")
        if discharge.outcome is Outcome.FAILS:
            raise InternalDisagreementError(f"{proof.structure.name}: {obligation} does not hold")
        found[obligation] = Core(discharge.work, discharge.core)
    return found


def recheck_cores(proof: Proof, cores: Mapping[Obligation, Core]) -> tuple[CoreFailure, ...]:
    """What of a proof the stored cores do not show; nothing when all is proved again.

    The obligations are counted out anew from rules and lemmas, so a missing one cannot hide.
    """
    expected = list(proof.list_obligations())
    reasons = {o: _find_reason(proof, o, cores.get(o)) for o in expected}
    reasons |= dict.fromkeys(cores.keys() - set(expected), "there is no such obligation")
    return tuple(CoreFailure(o, reason) for o, reason in reasons.items() if reason)


def _find_reason(proof: Proof, obligation: Obligation, core: Core | None) -> str:
    """Why a core does not prove an obligation; empty where it does."""
    if core is None:
        return "no core is stored"
    question = proof.pose(obligation)
    if unknown := [fact for fact in core.facts if fact not in question.facts]:
        return f"there is no {unknown[0]}"
    if not follows_from(question, core.facts):
        return "it does not follow from its core"
    return ""


def save_cores(
    structure: Structure, cores: Mapping[Obligation, Core], folder: Path = CORE_FOLDER
) -> Path:
    """Write the cores of a structure, one obligation per line; facts are numbered."""
    facts = sorted({str(fact) for core in cores.values() for fact in core.facts})
    numbers = {fact: number for number, fact in enumerate(facts)}
    lines = [
        f"  {json.dumps(str(o))}: {json.dumps([core.work, [numbers[str(f)] for f in core.facts]])}"
        for o, core in cores.items()
    ]
    head = {"structure": structure.name, "digest": compute_digest(structure), "facts": facts}
    text = json.dumps(head, indent=1).removesuffix("\n}")
    path = get_path(structure, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + ',\n "obligations": {\n' + ",\n".join(lines) + "\n }\n}\n")
    return path


def load_cores(structure: Structure, folder: Path = CORE_FOLDER) -> dict[Obligation, Core]:
    """The stored cores of a structure.

    Raises InternalDisagreementError when there are none for these rules, or they are malformed.
    """
    try:
        document = json.loads(get_path(structure, folder).read_text())
        is_current = document["digest"] == compute_digest(structure)
        facts = [Fact.parse(text) for text in document["facts"]]
        cores = {
            Obligation.parse(name): Core(int(work), tuple(facts[number] for number in numbers))
            for name, (work, numbers) in document["obligations"].items()
        }
    except (OSError, KeyError, IndexError, TypeError, ValueError, AttributeError) as problem:
        raise InternalDisagreementError(
            f"the cores of {structure.name} are missing or malformed ({problem!r}); "
            "run `python -m properties.z3.cores`"
        ) from problem
    if not is_current:
        raise InternalDisagreementError(
            f"the cores of {structure.name} were made from other rules; "
            "run `python -m properties.z3.cores`"
        )
    return cores


def main(names: Iterable[str]) -> None:
    """Find the cores of these structures anew, of all that are stored where none is named.

    Raises KeyError for the name of a structure that does not exist.
    """
    structures = [CERTIFIED_BY_NAME[n] for n in names] or STORED_STRUCTURES
    for structure in structures:
        cores = find_cores(load_proof(structure))
        path = save_cores(structure, cores)
        work = sum(core.work for core in cores.values())
        print(f"{path.name}: {len(cores)} obligations, {work} units of work")


if __name__ == "__main__":
    main(sys.argv[1:])
