"""The generated part of ``spec/fault_sets.md``, rendered from the stored borders without a solver.

``python -m properties.fault_set_page`` writes it anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from properties.claims import CLAIMS
from properties.fault_set_certificates import BORDERED_STRUCTURES, load_borders
from properties.fault_sets import Border, FaultSet
from properties.generated_text import render_table, replace_parts
from reference.structure import Structure

CHAPTER = Path(__file__).parents[1] / "spec" / "fault_sets.md"


def update(text: str) -> str:
    """The chapter with its generated part as it should be.

    Raises InternalDisagreementError where borders are missing or were made from other rules.
    """
    return replace_parts(text, {"borders": render_borders()}.__getitem__)


def render_borders() -> str:
    """For each guarantee the smallest fatal sets, and in how many steps they strike."""
    return "\n\n".join("\n".join(_render_guarantee(name)) for name in CLAIMS)


def _render_guarantee(name: str) -> Iterator[str]:
    yield f"### What ends {name}\n"
    yield f"> {CLAIMS[name].sentence}\n"
    borders = {s: _load(s)[name] for s in BORDERED_STRUCTURES}
    fatal = {r.faults for b in borders.values() for r in b.refuted}
    if not fatal:
        yield "No mixture of faults does, in any structure."
    else:
        ordered = sorted(fatal, key=lambda f: (len(f), sorted(f)))
        head = ["Smallest fatal set", *(_abbreviate(s) for s in BORDERED_STRUCTURES)]
        rows = [[_quote(f), *(_tell_steps(b, f) for b in borders.values())] for f in ordered]
        yield render_table(head, rows)
    for structure, border in borders.items():
        for faults in border.undecided:
            yield f"\n{structure.name}: nothing is known of {_quote(faults)}."


@cache
def _load(structure: Structure) -> dict[str, Border]:
    return {b.guarantee: b for b in load_borders(structure)}


def _tell_steps(border: Border, faults: FaultSet) -> str:
    """The length of the schedule, or what another set already says of this one."""
    for refutation in border.refuted:
        if refutation.faults == faults:
            return str(len(refutation.schedule))
    if any(r.faults < faults for r in border.refuted):
        return "fewer do"
    return "survived" if any(faults <= p for p in border.proved) else "open"


def _abbreviate(structure: Structure) -> str:
    """For example ``SYNC/ASYNC, 1``: role, flush, slaves."""
    role = structure.role.name.removesuffix("_MASTER")
    flush = structure.flush_disk_type.name.removesuffix("_FLUSH")
    return f"{role}/{flush}, {structure.slaves}"


def _quote(faults: FaultSet) -> str:
    return " + ".join(f"`{name}`" for name in sorted(faults)) or "no fault at all"


def main() -> None:
    """Write the generated part of the chapter anew."""
    CHAPTER.write_text(update(CHAPTER.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
