"""The generated parts of ``spec/versions.md``: releases, what each changes, and what that means.

``rmqspec docs --write spec/versions.md`` writes them anew after certificates have changed.
"""

from __future__ import annotations

import inspect
import itertools
from collections import Counter
from collections.abc import Collection
from importlib import import_module
from itertools import groupby

from book.links import link_variant
from book.merged_table import render_in_order
from properties.comparison.difference_search import (
    REPAIRS,
    RULE_SET_NAMES,
    ObservableDifference,
    get_released,
    load_differences,
)
from properties.comparison.repairs import REPAIRED_CLAIM, Repair, load_all_repairs
from properties.comparison.upgrades import VersionDifference, compute_difference
from properties.generated_text import SPEC, Page, render_table
from properties.verdicts.certificates import load_cells
from properties.verdicts.certified_cells import describe
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.catalogue import Tag, list_tagged_groups
from properties.worlds.replication.world import DIFFERENCES
from reference.language.variant import Variant
from reference.releases.known_differences import KNOWN_DIFFERENCES, PUBLISHED
from reference.releases.method_changes import ChangeKind, load_method_changes
from reference.releases.releases import CLASSIC, Span, is_since, sort_release
from reference.releases.timing_differences import TIMING_DIFFERENCES, TimingDifference
from reference.releases.versions import USUAL, Version, list_versions, parse_version
from reference.worlds.replication.changes import controller_mode

FALSE_ACKNOWLEDGEMENTS = {
    "late join": "an empty slave joins at a rollover, nothing fails",
    "master power loss": "a slave is ahead of a master that lost its tail",
    "master kill in a roll": "a slave is ahead by the blank that its master's restart cuts off",
}
"""The fault models in which an answer may be false though every broker is correct."""


def render_releases() -> str:
    """One row per run of versions with the same rules and timing, known from the same texts."""
    rows = []
    for _, group in groupby(
        list_in_order(), key=lambda v: (v.mode, v.changes, v.timing_differences, is_tagged(v))
    ):
        versions = list(group)
        first, last = versions[0], versions[-1]
        difference = compute_difference(find_before(first), first)
        rows.append(
            [
                first.name if first == last else f"{first.name} to {last.name}",
                _list_new(difference, Variant),
                _list_new(difference, TimingDifference),
                first.rule_set or USUAL,
                _say_known_from(versions),
            ]
        )
    head = ["Releases", "New in the rules", "New in time, size, default", "Rules of", "Known from"]
    return render_table(head, rows)


def is_tagged(version: Version) -> bool:
    """The source of this release was read at its tag."""
    return all(version.release != release.name for release in PUBLISHED)


def _say_known_from(versions: Collection[Version]) -> str:
    if any(v.is_recorded for v in versions):
        return "recordings"
    return "source" if all(map(is_tagged, versions)) else "[later texts](#after-533)"


def render_published() -> str:
    """One row per release whose tag was not at hand, with its date and what tells of it."""
    rows = [[r.name, r.published, r.describe()] for r in PUBLISHED]
    return render_table(["Release", "Published", "Known from"], rows)


def render_known_differences() -> str:
    """One row per known difference that no rule of replication has."""
    rows = [
        [
            f"`{d.name}`",
            _describe_span(d.span),
            d.sentence,
            f"{d.comes_from.rstrip('.')}; {d.evidence.value}",
            d.treatment,
        ]
        for d in KNOWN_DIFFERENCES.values()
    ]
    head = ["Known difference", "Since", "What it does", "Source", "In the model"]
    return render_table(head, rows)


def _list_new(difference: VersionDifference, kind: type[Variant | TimingDifference]) -> str:
    gained = [f"`{c.name}`" for c in difference.gained if isinstance(c, kind)]
    lost = [f"no longer `{c.name}`" for c in difference.lost if isinstance(c, kind)]
    return ", ".join((*gained, *lost))


def list_in_order() -> list[Version]:
    """Every version, mode by mode."""
    return sorted(list_versions(), key=lambda v: v.mode)


def find_before(version: Version) -> Version:
    """The version before it in its mode, else the last one before there were modes; or itself."""
    earlier = [v for v in list_versions() if not is_since(v.release, version.release)]
    alike = [v for v in earlier if v.mode == version.mode] or earlier
    return alike[-1] if alike else version


def render_changes() -> str:
    """One row per change of the rules, with the lines of code that say it."""
    rows = [
        [
            f"`{v.name}`",
            _describe_span(v.span),
            v.sentence,
            v.comes_from.rstrip("."),
            ", ".join(f"`{n}`" for n in (*v.rules, *v.conditions)) or "-",
            ", ".join(f"`{n}`" for n in v.removes) or "-",
            str(count_lines(v)),
        ]
        for v in list_released()
    ]
    head = ["Change", "Since", "What it does", "Source", "Overrides or adds", "Removes", "Lines"]
    return render_table(head, rows)


def list_released() -> list[Variant]:
    """The variants that some release has, oldest first."""
    found = [v for version in list_versions() for v in version.changes[::-1]]
    return list(dict.fromkeys(found))


def count_lines(variant: Variant) -> int:
    """Lines of code of a variant, without its docstrings, comments and blank lines."""
    module = import_module(f"reference.worlds.replication.changes.{variant.name}")
    parts = [module, *getattr(module, "PARTS", ())]
    return sum(count_lines_of_code(inspect.getsource(part)) for part in parts)


def count_lines_of_code(source: str) -> int:
    """The lines of a module that are neither blank nor in a docstring or comment."""
    is_text, count = False, 0
    for line in map(str.strip, source.splitlines()):
        quotes = line.count('"""')
        if not is_text and not quotes and line and not line.startswith("#"):
            count += 1
        if quotes == 1:
            is_text = not is_text
    return count


def _describe_span(span: Span | None) -> str:
    if span is None:
        return "never"
    modes = "" if len(span.modes) > 2 else f", {' and '.join(m or 'classic' for m in span.modes)}"
    return span.since + (f", until {span.until}" if span.until else "") + modes


def render_timing_differences() -> str:
    """One row per change of time, size or default."""
    rows = [
        [f"`{h.name}`", _describe_span(h.span), h.sentence, h.comes_from]
        for h in TIMING_DIFFERENCES.values()
    ]
    return render_table(["Timing difference", "Since", "What it does", "Source"], rows)


def render_verdicts() -> str:
    """The numbers of proved, disputed and refuted verdicts, per set of rules and structure."""
    rows = []
    for structure in list_tagged_groups(Tag.RELEASED):
        cells = [load_cells(get_released(name, structure)) for name in RULE_SET_NAMES]
        rows.append([structure.name, *(_count(each.values()) for each in cells)])
    return render_in_order("Structure", RULE_SET_NAMES, rows)


def render_turned() -> str:
    """One row for each claim and each pair of successive releases between which verdicts change."""
    classic = [name for name in RULE_SET_NAMES if parse_version(name).mode == CLASSIC]
    rows = []
    for before, after in itertools.pairwise(classic):
        turned: Counter[tuple[str, str, str]] = Counter()
        for structure in list_tagged_groups(Tag.RELEASED):
            old, new = (load_cells(get_released(name, structure)) for name in (before, after))
            turned.update((c, _word(v), _word(new[c, f])) for (c, f), v in old.items())
        rows += [
            [f"{before} to {after}", f"`{claim}`", f"{one} to {other}", str(count)]
            for (claim, one, other), count in turned.items()
            if one != other
        ]
    return render_table(["Releases", "Guarantee", "Verdict", "Cells"], rows)


def _word(verdict: Verdict) -> str:
    return "disputed" if verdict.disputed else verdict.word.value


def _count(cells: Collection[Verdict]) -> str:
    words = list(map(_word, cells))
    counts = " / ".join(str(words.count(word)) for word in ("proved", "disputed", "refuted"))
    is_open = words.count(VerdictWord.UNDECIDED.value)
    return counts + (f" / {is_open} open" if is_open else "")


def render_differences() -> str:
    """One row per observable difference, one column per set of rules; a dash: impossible."""
    known = {name: {s.name: s for s in load_differences(name)} for name in RULE_SET_NAMES}
    rows = []
    for name, difference in DIFFERENCES.items():
        cells = [known[release][name] for release in RULE_SET_NAMES]
        steps = ("-" if s.is_impossible else _count_steps(s) for s in cells)
        rows.append([difference.sentence, *steps])
    return render_in_order("Observable difference", RULE_SET_NAMES, rows)


def _count_steps(difference: ObservableDifference) -> str:
    return "?" if difference.schedule is None else str(len(difference.schedule))


def render_false_acknowledgements() -> str:
    """The verdicts on false acknowledgements, in all sets of rules."""
    structure = list_tagged_groups(Tag.COMPARED)[0]
    rows = []
    for column, cause in FALSE_ACKNOWLEDGEMENTS.items():
        row = [f"{cause} (*{column}*)"]
        for name in RULE_SET_NAMES:
            cells = load_cells(get_released(name, structure))
            row.append(describe(cells[REPAIRED_CLAIM, column]))
        rows.append(row)
    return render_in_order("False acknowledgement", RULE_SET_NAMES, rows)


def render_repairs() -> str:
    """One row per repair: the verdicts gained on top of each release, and the cost."""
    rows, every = [], load_all_repairs()
    for name in REPAIRS:
        own = [r for r in every if r.variant == name]
        by_effect: dict[tuple[object, ...], list[Repair]] = {}
        for repair in own:
            by_effect.setdefault((repair.gained, repair.lost, repair.endless), []).append(repair)
        for alike in by_effect.values():
            first = alike[0]
            rows.append(
                [
                    link_variant(name),
                    f"all {len(own)}" if alike == own else ", ".join(r.release for r in alike),
                    ", ".join(first.repaired_columns) or "no fault model",
                    _list_claims(first.gained),
                    _list_claims(first.lost),
                    ", ".join(f"`{step}`" for step in first.endless) or "no",
                ]
            )
    head = [
        "Repair",
        "On top of",
        "Makes answers truthful under",
        "Other verdicts proved",
        "Verdicts no longer proved",
        "May never rest",
    ]
    return render_table(head, rows)


def _list_claims(cells: tuple[tuple[str, ...], ...]) -> str:
    claims = [claim for claim, _ in cells if claim != REPAIRED_CLAIM]
    return ", ".join(f"`{c}` ({claims.count(c)})" for c in dict.fromkeys(claims)) or "none"


def render_repair_differences() -> str:
    """The observable differences that a repair on top of 4.4.0 adds or removes."""
    usual = {s.name: s for s in load_differences("4.4.0")}
    rows = []
    for name in REPAIRS:
        for found in load_differences(name):
            before = usual[found.name]
            if before.is_impossible != found.is_impossible:
                told = (before.describe(), found.describe())
                rows.append([f"`{name}`", DIFFERENCES[found.name].sentence, *told])
    return render_table(["Repair", "Observable difference", "4.4.0", "with the repair"], rows)


def render_abstracted() -> str:
    """What controller mode leaves out."""
    return "\n".join(f"- {sentence}" for sentence in controller_mode.ABSTRACTED)


def render_methods() -> str:
    """Per release how many of the methods that rules cite have a new text, and what that means."""
    head = ["RocketMQ", *(kind.value for kind in ChangeKind)]
    found = {
        release: Counter(c.kind for c in changes)
        for release, changes in groupby(
            sorted(load_method_changes(), key=lambda c: sort_release(c.release)),
            key=lambda c: c.release,
        )
    }
    rows = [[release, *(str(each[k]) for k in ChangeKind)] for release, each in found.items()]
    total = sum(found.values(), Counter[ChangeKind]())
    return render_table(head, [*rows, ["all", *(str(total[k]) for k in ChangeKind)]])


PAGE = Page(
    SPEC / "versions.md",
    {
        "methods": render_methods,
        "releases": render_releases,
        "changes": render_changes,
        "timing differences": render_timing_differences,
        "published": render_published,
        "known differences": render_known_differences,
        "turned": render_turned,
        "verdicts": render_verdicts,
        "differences": render_differences,
        "false acknowledgements": render_false_acknowledgements,
        "repairs": render_repairs,
        "repair differences": render_repair_differences,
        "abstracted": render_abstracted,
    },
)
"""The chapter."""
