"""The generated parts of ``spec/assumptions.md``: every assumption, and the kinds of conditions.

``rmqspec docs --write spec/assumptions.md`` writes them anew.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from book.merged_table import group_equal
from properties.generated_text import SPEC, Page, render_table
from properties.scenarios.analysis.log import compute_structure
from properties.timed.durations import CALM_PAIR, STRUCK_PAIR, measure
from reference.assumptions.assumption import Assumption
from reference.assumptions.condition_kinds import ConditionKind, load_condition_kinds
from reference.assumptions.register import ASSUMPTIONS, list_unmet
from reference.configuration.deployments import sample_group
from reference.configuration.influence import InfluenceKind, count_kinds, load_influences
from reference.releases.releases import RELEASES
from reference.releases.versions import Version, parse_version
from reference.worlds.replication.changes import VARIANTS

TIMED_VERSIONS = ("4.4.0", "4.7.0", "4.8.0", "4.9.8", "5.3.3-quorum")
"""One of each way in which a put's time for a slave is measured."""

KINDS = tuple(InfluenceKind)
"""The columns of the table of keys."""

WORLDS = ("replication", "consumption", "tables", "delay", "starts", "system")
"""The worlds whose conditions have kinds."""


def render_assumptions() -> str:
    """A section for each assumption."""
    return "\n\n".join(f"### {a.name}\n\n{_describe(a)}" for a in ASSUMPTIONS.values())


def _describe(assumption: Assumption) -> str:
    summary = (assumption.is_met.__doc__ or "").split("\n\n")[0]
    lines = [
        " ".join(summary.split()),
        f"Without it {assumption.without_it}.",
        _say_change(assumption),
        _say_unmet_releases(assumption),
        f"Conditions: {', '.join(f'`{name}`' for name in assumption.conditions)}.",
        f"Source: {assumption.source}",
        *_list_runs(assumption),
    ]
    return "\n\n".join(filter(None, lines))


def _say_change(assumption: Assumption) -> str:
    """What is decided of groups that do not meet it."""
    if not assumption.change:
        return ""
    sentence = VARIANTS[assumption.change].sentence
    more = " It only refutes: every proof stays open." * assumption.is_about_every_step
    return f"Such groups are judged by the rules of `{assumption.change}`: {sentence}{more}"


def _say_unmet_releases(assumption: Assumption) -> str:
    """The releases whose stock pair does not meet it."""
    names = [
        release
        for release in RELEASES
        if any(each.assumption is assumption for each in list_unmet(sample_group(Version(release))))
    ]
    return f"A stock pair does not meet it at {', '.join(names)}." if names else ""


def _list_runs(assumption: Assumption) -> Iterator[str]:
    for run in assumption.runs:
        moments = "\n".join(f"- seq {number}: {what}" for number, what in run.moments)
        yield f"Recorded on RocketMQ {run.release}, `{run.name}`:\n\n{moments}"


def render_kinds() -> str:
    """The number of conditions of each kind, by world, and what rests on assumptions."""
    head = ("World", *(kind.value for kind in ConditionKind))
    rows = []
    for world in WORLDS:
        counts = Counter(entry.kind for entry in load_condition_kinds(world).values())
        rows.append((world, *(str(counts[kind]) for kind in ConditionKind)))
    return render_table(head, rows)


def render_key_counts() -> str:
    """How many keys are dealt with in each way, once for releases with the same counts."""
    counts = {release: count_kinds(release) for release in RELEASES}
    rows = []
    for releases in group_equal(RELEASES, lambda release: tuple(counts[release][k] for k in KINDS)):
        told = counts[releases[0]]
        rows.append((say_releases(releases), *(str(told[k]) for k in KINDS), str(told.total())))
    return render_table(("RocketMQ", *(kind.value for kind in KINDS), "all"), rows)


def say_releases(releases: Sequence[str]) -> str:
    """``4.5.1 to 4.5.2``, or one release."""
    return releases[0] if len(releases) == 1 else f"{releases[0]} to {releases[-1]}"


def render_keys() -> str:
    """Every key by what is known of it."""
    found: dict[tuple[str, str], list[str]] = {}
    for key, influence in load_influences().items():
        found.setdefault((influence.kind.value, influence.because), []).append(f"`{key}`")
    rows = [(kind, why, ", ".join(sorted(keys))) for (kind, why), keys in found.items()]
    return render_table(("Kind", "Because", "Keys"), rows)


SCENES = {"calm": CALM_PAIR, "failures": STRUCK_PAIR}


def render_waits() -> str:
    """How long puts and slaves of stock pairs take in a simulation, without and with failures."""
    rows = []
    for name, (scene, surroundings) in itertools.product(TIMED_VERSIONS, SCENES.items()):
        group = sample_group(parse_version(name))
        measured = measure(group, compute_structure(group), surroundings)
        for what, waits in measured.items():
            times = (waits.median_ms, waits.late_ms, waits.longest_ms)
            told = (f"{ms / 1000:.1f} s" for ms in times)
            label = f"a put until `{what}`" if what.isupper() else what
            rows.append((name, scene, label, str(waits.count), *told))
    return render_table(
        ("RocketMQ", "Runs", "What", "Times", "Median", "19 of 20", "Longest"), rows
    )


PAGE = Page(
    SPEC / "assumptions.md",
    {
        "assumptions": render_assumptions,
        "kinds": render_kinds,
        "key counts": render_key_counts,
        "keys": render_keys,
        "waits": render_waits,
    },
)
"""The chapter."""
