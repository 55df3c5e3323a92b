"""The generated parts of ``spec/lemmas.md``: each lemma with the counterexample that demanded it.

``rmqspec docs --write spec/lemmas.md`` writes them anew after lemmas or their data have changed.
"""

from __future__ import annotations

from collections.abc import Mapping

from book.model.code_page import LEMMA_SHELF, CodePage, mark
from properties.generated_text import SPEC, set_apart
from properties.schedules.possible_steps import find_access
from properties.worlds.replication.world import LEMMAS
from properties.z3.induction import get_leaf_names
from properties.z3.lemma_counterexamples import LemmaCounterexample, load_counterexamples
from reference.language.leaves import flatten, is_parameter
from reference.language.machine import record_machine, record_predicate
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from reference.worlds.replication.state import PHASE_NAMES, STATUS_NAMES


def render_lemmas(entries: Mapping[str, LemmaCounterexample] | None = None) -> str:
    """A section for each lemma: sentence, reason, and the counterexample as a table."""
    found = load_counterexamples() if entries is None else entries
    return "\n\n".join(_render_lemma(name, found[name]) for name in LEMMAS if name in found)


def _render_lemma(name: str, entry: LemmaCounterexample) -> str:
    lines = [
        f"### `{name}`",
        f"> {LEMMAS[name].sentence.replace('``', '`')}",
        f"Demanded by: {LEMMAS[name].why}",
        _render_lead(entry),
        _render_table(entry),
        f"Breaks {_join(entry.breaks)}.",
        mark(name),
    ]
    return "\n\n".join(lines)


def _render_lead(entry: LemmaCounterexample) -> str:
    faults = "no fault" if entry.fault_model.name == "none" else entry.fault_model.name
    where = f"{entry.structure.name}, {faults}"
    if entry.action is None:
        return f"A state, no step needed ({where}):"
    step = str(entry.action).removesuffix("()")
    return f"A state and the step `{step}` ({where}):"


def _render_table(entry: LemmaCounterexample) -> str:
    before, end = flatten(entry.make_state()), flatten(entry.make_end())
    initial = flatten(entry.structure.make_initial(SMALL_PARAMETERS))
    shown = [
        path
        for path in before
        if path in compute_support(entry)
        and not is_parameter(path)
        and not initial[path] == before[path] == end[path]
    ]
    if entry.action is None:
        rows = [["Leaf", "Value"], ["---", "---"]]
        rows += [[f"`{path}`", describe_value(path, before[path])] for path in shown]
    else:
        rows = [["Leaf", "Before", "After"], ["---", "---", "---"]]
        rows += [_render_change(path, before[path], end[path]) for path in shown]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _render_change(path: str, before: int | bool, end: int | bool) -> list[str]:
    after = describe_value(path, end)
    changed = after if before == end else f"**{after}**"
    return [f"`{path}`", describe_value(path, before), changed]


def compute_support(entry: LemmaCounterexample) -> set[str]:
    """The relevant leaves: those of the lemma, of the broken properties, and of the step."""
    candidates = entry.structure.world.get_candidates(entry.structure)
    properties = (candidates[name] for name in (entry.lemma, *entry.breaks))
    terms = (record_predicate(entry.structure, p.predicate) for p in properties)
    support = set().union(*map(get_leaf_names, terms))
    if entry.action is not None:
        name = entry.action.instance
        recorded = next(r for r in record_machine(entry.structure) if r.instance.name == name)
        support |= find_access(recorded).reads | set(recorded.effects)
    return support


def describe_value(path: str, value: int | bool) -> str:
    """A leaf's value for readers: truth values as yes and no, codes with their names."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if path.endswith(".phase"):
        return f"{value} ({PHASE_NAMES[value]})"
    if path.endswith(".status"):
        return f"{value} ({STATUS_NAMES[value]})"
    return str(value)


def _join(names: tuple[str, ...]) -> str:
    quoted = [f"`{name}`" for name in names]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if quoted[1:] else quoted)


PAGE = CodePage(
    SPEC / "lemmas.md",
    {"lemmas": set_apart(render_lemmas)},
    LEMMA_SHELF,
)
"""The chapter."""
