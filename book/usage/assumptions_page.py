"""The generated parts of ``spec/assumptions.md``: every assumption, and the kinds of conditions.

``rmqspec docs --write spec/assumptions.md`` writes them anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from properties.generated_text import SPEC, Page, render_table
from reference.assumptions.assumption import Assumption
from reference.assumptions.condition_kinds import ConditionKind, load_condition_kinds
from reference.assumptions.register import ASSUMPTIONS, list_unmet
from reference.configuration.deployments import sample_group
from reference.releases.releases import RELEASES
from reference.releases.versions import Version

WORLDS = ("replication", "consumption", "tables", "delay", "system")
"""The worlds whose conditions have kinds."""


def render_assumptions() -> str:
    """A section for each assumption."""
    return "\n\n".join(f"### {a.name}\n\n{_describe(a)}" for a in ASSUMPTIONS.values())


def _describe(assumption: Assumption) -> str:
    summary = (assumption.is_met.__doc__ or "").split("\n\n")[0]
    lines = [
        " ".join(summary.split()),
        f"Without it {assumption.without_it}.",
        _say_unmet_releases(assumption),
        f"Conditions: {', '.join(f'`{name}`' for name in assumption.conditions)}.",
        f"Source: {assumption.source}",
        *_list_runs(assumption),
    ]
    return "\n\n".join(filter(None, lines))


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


PAGE = Page(SPEC / "assumptions.md", {"assumptions": render_assumptions, "kinds": render_kinds})
"""The chapter."""
