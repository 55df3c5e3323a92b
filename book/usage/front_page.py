"""The generated parts of the front chapter: what stock brokers lose, and the table of contents.

A cell of the first table names the weakest faults that break a guarantee. ``rmqspec docs --write
spec/README.md`` writes these parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from book.contents import FRONT, render_contents
from book.links import find_chapter
from properties.generated_text import Page, render_table
from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.scenarios.counterexamples.cases import find_case
from properties.verdicts.certificates import load_cells
from properties.verdicts.certified_cells import list_vacuous
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged
from properties.worlds.replication.fault_models import FAULT_MODELS
from properties.worlds.replication.structures import STOCK_FOLDERS, STOCK_WORLDS
from properties.worlds.replication.world import CLAIMS, ClaimedGroup

GUARANTEE = "Guarantee"
"""The head of the column with the sentences."""

NEVER_BROKEN = "**never broken** (proved)"
"""What a guarantee is that is proved under every fault model."""

NOT_APPLICABLE = "not applicable"
"""What a guarantee is that speaks of something that a deployment does not have."""

SPOKEN = {
    "none": "always broken",
    "late join": "a slave that joins without a log",
    "slave outrun by retention": "retention that outruns a slave",
    "nearly full disk": "a disk that is more than 85 % full",
    "link cut": "a broken connection",
    "slave without a new file": "a slave that cannot make a file",
    "overlong wait": "a wait beyond its limit",
    "master kill in a roll": "a kill while a file rolls over",
    "disk errors": "disk errors",
    "every fault": "several faults together",
    "stop": "a clean stop",
    "kill": "a kill",
    "power loss": "a power loss",
    "role change": "a role change",
    "promotion": "a promotion",
}
"""Fault models in an operator's words; the names of the others are clear by themselves."""


def find_weakest(structure: ClaimedStructure, cells: Iterable[Verdict]) -> list[str]:
    """The fault models under which verdicts are refuted, without those that contain another one."""
    refuted = [
        structure.world.get_fault_model(v.fault) for v in cells if v.word is VerdictWord.REFUTED
    ]
    return [
        one.name
        for one in refuted
        if not any(other != one and other.is_contained_in(one) for other in refuted)
    ]


def describe_falls(structure: ClaimedStructure, claim: str) -> str:
    """What breaks a claim: nothing, no failure at all, or which; disputed; or not applicable."""
    cells = [v for v in load_cells(structure).values() if v.guarantee == claim]
    weakest = find_weakest(structure, cells)
    dispute = next((v.dispute for v in cells if v.disputed), "")
    if weakest:
        falls = ", ".join(SPOKEN.get(name, name) for name in weakest)
        return f"{falls}; otherwise {dispute}" if dispute else falls
    if not all(v.word is VerdictWord.PROVED for v in cells):
        return "undecided"
    if is_vacuous(structure, claim):
        return NOT_APPLICABLE
    return dispute or NEVER_BROKEN


def is_vacuous(structure: ClaimedStructure, claim: str) -> bool:
    """What the claim speaks of does not exist in a deployment, under any fault model."""
    if not isinstance(structure, ClaimedGroup):
        return False
    vacuous = list_vacuous(structure)
    return all((claim, fault_model.name) in vacuous for fault_model in FAULT_MODELS)


def render_stock() -> str:
    """A row for each guarantee, a column for each stock deployment."""
    head = (GUARANTEE, *(f"`{folder}`" for folder in STOCK_FOLDERS))
    structures = list(STOCK_FOLDERS.values())
    rows = [
        (link_sentence(structures[-1], claim), *(describe_falls(s, claim) for s in structures))
        for claim in CLAIMS
    ]
    return render_table(head, rows)


def render_beside_the_log() -> str:
    """A row for each guarantee of the other worlds."""
    return render_table((GUARANTEE, "Broken by"), _list_rows())


def _list_rows() -> Iterator[tuple[str, str]]:
    for name in STOCK_WORLDS:
        structure = STRUCTURES[name]
        for claim in structure.world.claims:
            yield link_sentence(structure, claim), describe_falls(structure, claim)


def link_sentence(structure: ClaimedStructure, claim: str) -> str:
    """A claim's sentence, leading to its counterexample, or to its section if it has none."""
    sentence = structure.world.claims[claim].sentence.replace("``", "`")
    if find_case(claim) is not None:
        return f"[{sentence}](counterexamples/{claim}.md)"
    return f"[{sentence}]({find_chapter(claim)}#{claim})"


def render_harmless() -> str:
    """The faults that break no guarantee that holds without faults, in no stock deployment."""
    admitting = [c for c in FAULT_MODELS if c.admitted]
    names = [c.name for c in admitting if all(is_harmless(c, s) for s in STOCK_FOLDERS.values())]
    return f"These faults break nothing in these three: {', '.join(names or ['none'])}."


def is_harmless(fault_model: FaultModel, structure: ClaimedGroup) -> bool:
    """Every claim has the verdict that it has without faults, and none is disputed."""
    cells = load_cells(structure)
    return all(
        cells[c, fault_model.name].word is cells[c, "none"].word
        and not cells[c, fault_model.name].disputed
        for c in CLAIMS
    )


def render_shortest() -> str:
    """A row for each kind of structure: how many refuted verdicts are known to be the shortest."""
    found: dict[str, list[Verdict]] = {}
    for structure in list_tagged(Tag.USUAL, Tag.SYSTEM):
        refuted = [v for v in load_cells(structure).values() if v.word is VerdictWord.REFUTED]
        found.setdefault(name_kind(structure), []).extend(refuted)
    rows = [
        (kind, str(len(cells)), str(sum(v.is_shortest for v in cells)))
        for kind, cells in found.items()
    ]
    return render_table(("Structures", "Refuted", "Known to be the shortest"), rows)


def name_kind(structure: ClaimedStructure) -> str:
    """``a log, 1 slave``, or the world of a structure."""
    if isinstance(structure, ClaimedGroup):
        return f"a log, {structure.name.rpartition('/')[2]}"
    return structure.world.topic


PAGE = Page(
    FRONT,
    {
        "shortest": render_shortest,
        "stock": render_stock,
        "harmless": render_harmless,
        "beside the log": render_beside_the_log,
        "contents": render_contents,
    },
)
"""The chapter."""
