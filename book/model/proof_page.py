"""The generated parts of ``spec/proofs.md``, rendered from the stored cores without any solver.

``rmqspec docs --write spec/proofs.md`` writes them anew after cores have changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

from book.links import link_claim
from properties.generated_text import SPEC, Page, leave_to_site, render_table
from properties.worlds.catalogue import Tag, list_tagged
from properties.worlds.replication.fault_models import EVERYTHING
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import CLAIMS, LEMMAS, ClaimedGroup
from properties.z3.cores import DependencyNode, NodeKind, PropertyGraph, load_cores
from properties.z3.obligations import ObligationKind
from reference.language.machine import record_machine

SHOWN = CERTIFIED_BY_NAME["SYNC_MASTER/SYNC_FLUSH/1 slave"]
"""The structure whose proof the page shows: the smallest one in which everything matters."""

SLOWEST = 10

FAULTS = EVERYTHING.admitted


@cache
def load_graph(structure: ClaimedGroup) -> PropertyGraph:
    """The graph of a structure, from its stored cores."""
    return PropertyGraph(load_cores(structure))


def render_obligations() -> str:
    """The obligations of each stored structure, their work, and the lemmas that they need."""
    kinds = [kind.value for kind in ObligationKind]
    rows = []
    for structure in list_tagged(Tag.CORES):
        graph = load_graph(structure)
        counts = Counter(obligation.kind.value for obligation in graph.cores)
        lemmas = len(structure.world.get_lemmas(structure))
        rows.append(
            [
                structure.name,
                *(str(counts[kind]) for kind in kinds),
                str(len(graph.cores)),
                f"{sum(core.work for core in graph.cores.values()):,}",
                f"{lemmas - len(graph.find_unused_lemmas())} of {lemmas}",
            ]
        )
    return render_table(["Structure", *kinds, "all", "work", "lemmas needed"], rows)


def render_slowest() -> str:
    """The obligations of the shown structure that took most work, with their cores."""
    ordered = sorted(load_graph(SHOWN).cores.items(), key=lambda item: -item[1].work)
    rows = [
        [f"{core.work:,}", o.kind.value, f"`{o.claim}`", o.where, ", ".join(map(str, core.facts))]
        for o, core in ordered[:SLOWEST]
    ]
    return render_table(["Work", "Kind", "Claim", "Where", "Core"], rows)


def render_flowchart() -> str:
    """Guarantees and the lemmas that they depend on, as a Mermaid flowchart; no sanity checks."""
    graph = load_graph(SHOWN)
    guarantees = [node for node in map(_get_guarantee, CLAIMS) if node in graph.edges]
    reached = sorted(graph.compute_reached_lemmas(guarantees))
    lines = ["```mermaid", "flowchart LR"]
    lines += [f"  {node.name}[[{node.name}]]" for node in guarantees]
    for node in [*guarantees, *filter(_is_lemma, reached)]:
        targets = filter(_is_lemma, graph.get_targets(node, NodeKind.LEMMA))
        lines += [f"  {node.name} --> {target.name}" for target in targets]
    return "\n".join([*lines, "```"])


def render_foundations() -> str:
    """For each guarantee its lemmas, the faults that must be absent, and those that may mix."""
    return "\n\n".join("\n".join(_render_foundation(name)) for name in CLAIMS)


def _render_foundation(name: str) -> Iterator[str]:
    graph, node = load_graph(SHOWN), _get_guarantee(name)
    columns = graph.get_columns_by_absent_faults(name)
    yield f"### Why {name} holds\n"
    yield f"> {CLAIMS[name].sentence}\n"
    if not columns:
        yield "It is proved under no fault model."
        return
    direct = graph.get_targets(node, NodeKind.LEMMA)
    reached = sorted(graph.compute_reached_lemmas([node]))
    conditions = graph.compute_conditions(name)
    rules = {condition.partition(".")[0] for condition in conditions}
    yield f"- **Depends on** {_link(n for n in direct if n.name in LEMMAS)}."
    yield f"- **These depend on** {_link(n for n in reached if _is_lemma(n) and n not in direct)}."
    yield f"- **Sanity checks below:** {_link(n for n in reached if not _is_lemma(n))}."
    yield f"- **Conditions and arguments used:** {len(conditions)} of {len(rules)} rules.\n"
    yield render_table(
        ["Fault models", "Faults that must be absent", "Faults that may happen, in any mixture"],
        [
            [", ".join(names), _quote(absent), _quote(f for f in FAULTS if f not in absent)]
            for absent, names in columns.items()
        ],
    )


def render_conditions() -> str:
    """For each rule the conditions that the proofs use, and those that no proof uses."""
    used = {name: load_graph(SHOWN).compute_conditions(name) for name in CLAIMS}
    proved = [conditions for conditions in used.values() if conditions]
    by_all, by_any = set.intersection(*proved), set.union(*proved)
    rows = []
    for rule, names in _list_conditions().items():
        taken = [name for name in names if f"{rule}.{name}" in by_any]
        by_each = [name for name in taken if f"{rule}.{name}" in by_all]
        by_some = [name for name in taken if name not in by_each]
        others = [name for name in names if name not in taken and not _is_of_range(name)]
        rows.append([f"`{rule}`", *map(_quote, (by_each, by_some, others))])
    return render_table(["Rule", "all take", "some take", "none takes"], rows)


def _list_conditions() -> dict[str, list[str]]:
    """Conditions and arguments of each rule."""
    return {
        recorded.instance.rule.name: [*recorded.conditions, *(n for n, *_ in recorded.arguments)]
        for recorded in record_machine(SHOWN)
    }


def _is_of_range(condition: str) -> bool:
    """The condition says only that an argument has a range, as the argument says too."""
    return condition.startswith("is_range_of_") and condition.endswith("_not_empty")


def render_unused() -> str:
    """The lemmas that no guarantee of the shown structure needs."""
    unused = Counter(
        node
        for structure in list_tagged(Tag.CORES)
        for node in load_graph(structure).find_unused_lemmas()
    )
    rows = [
        [_link([node]), f"{unused[node]} of {len(list_tagged(Tag.CORES))}"]
        for node in load_graph(SHOWN).find_unused_lemmas()
    ]
    return render_table(["No guarantee rests on", "so in"], rows)


def _get_guarantee(name: str) -> DependencyNode:
    return DependencyNode(NodeKind.GUARANTEE, name)


def _is_lemma(node: DependencyNode) -> bool:
    """It is a lemma in the narrow sense, not a sanity check."""
    return node.name in LEMMAS


def _link(nodes: Iterable[DependencyNode]) -> str:
    return ", ".join(link_claim(node.name) for node in nodes) or "nothing"


def _quote(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


CHAPTER = SPEC / "proofs.md"

PAGE = Page(
    CHAPTER,
    {
        "obligations": render_obligations,
        "slowest": render_slowest,
        "flowchart": render_flowchart,
        "foundations": render_foundations,
        "conditions": render_conditions,
        "unused": render_unused,
    },
    site_only=leave_to_site(CHAPTER, ("foundations",)),
)
"""The chapter."""
