"""The page about upgrades for operators: what gets better, what gets worse, what to do.

Every sentence is that of a change, an advice or a verdict, which ``rmqspec upgrade`` prints too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen

from properties.comparison.advice import Advice, load_advice, say_known
from properties.comparison.upgrades import (
    ReleaseChange,
    Turn,
    VerdictChange,
    compute_changes,
    compute_difference,
    list_turned,
)
from properties.generated_text import SPEC, Page, render_table
from properties.scenarios.summary.words import FailureKind, load_words
from properties.verdicts.certificates import load_cells
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import ClaimedGroup
from reference.releases.releases import CLASSIC, CONTROLLER, QUORUM, RELEASES
from reference.releases.versions import Version, parse_version

NEWEST = RELEASES[-1]
"""The release that is upgraded to."""

STARTS = ("4.4.0", "4.9.8", "5.1.4")
"""The releases that are upgraded from: the last ones of their lines, and the model's own."""

FAULTS_MAX = 3
"""How many failures of a fear are named; the others are counted."""


@frozen
class UpgradedGroup:
    """A stock group before an upgrade, and how it runs after it."""

    title: str
    structure: ClaimedGroup
    mode: str = CLASSIC
    """The mode that it runs in afterwards; before, too, where the release has it."""

    def compute_versions(self, start: str) -> tuple[Version, Version]:
        """The versions before and after."""
        before = Version(start, self.mode if start.startswith("5.") else CLASSIC)
        return before, Version(NEWEST, self.mode)


ASYNC_PAIR, SYNC_PAIR, SYNC_FLUSH_PAIR = (
    CERTIFIED_BY_NAME[name]
    for name in (
        "ASYNC_MASTER/ASYNC_FLUSH/1 slave",
        "SYNC_MASTER/ASYNC_FLUSH/1 slave",
        "SYNC_MASTER/SYNC_FLUSH/1 slave",
    )
)

GROUPS = (
    UpgradedGroup("`ASYNC_MASTER`, `ASYNC_FLUSH`, one slave", ASYNC_PAIR),
    UpgradedGroup("`SYNC_MASTER`, `ASYNC_FLUSH`, one slave", SYNC_PAIR),
    UpgradedGroup("the same, then with `inSyncReplicas=2`", SYNC_PAIR, QUORUM),
    UpgradedGroup(
        "the same, then with a controller and `allAckInSyncStateSet=true`", SYNC_PAIR, CONTROLLER
    ),
    UpgradedGroup("`SYNC_MASTER`, `SYNC_FLUSH`, one slave", SYNC_FLUSH_PAIR),
    UpgradedGroup("the same, then with `inSyncReplicas=2`", SYNC_FLUSH_PAIR, QUORUM),
    UpgradedGroup(
        "the same, then with a controller and `allAckInSyncStateSet=true`",
        SYNC_FLUSH_PAIR,
        CONTROLLER,
    ),
)
"""The rows of each table."""


def render_verdicts(start: str) -> str:
    """What an upgrade from a release makes better and worse for each group."""
    return render_table(("Your group", "Better", "Worse"), list_rows(start))


def list_rows(start: str) -> Iterator[tuple[str, ...]]:
    """A row for each group."""
    for group in GROUPS:
        changes = compute_group_changes(group, start)
        better, worse = (say_turned(list_turned(changes, t)) for t in (Turn.BETTER, Turn.WORSE))
        yield (group.title, better, worse)


def compute_group_changes(group: UpgradedGroup, start: str) -> list[VerdictChange]:
    """The verdicts on a group that differ."""
    structures = (v.apply(group.structure) for v in group.compute_versions(start))
    before, after = (load_cells(s).values() for s in structures)
    return compute_changes(before, after)


def say_turned(changes: Iterable[VerdictChange]) -> str:
    """The fears of an operator that the verdicts are about, with the failures that matter."""
    found = list(changes)
    told = []
    for row in load_words().rows:
        claims = {claim.name for claim in row.claim}
        faults = {c.after.fault for c in found if c.after.guarantee in claims}
        if faults:
            told.append(f"{row.title}: {say_faults(faults)}")
    return "; ".join(told) or "nothing"


def say_faults(names: Iterable[str]) -> str:
    """The commonest failures in words, the others counted."""
    fault_models = load_words().fault_models
    kinds = list(FailureKind)
    found = sorted((fault_models[n] for n in names), key=lambda c: (kinds.index(c.kind), c.number))
    more = len(found) - FAULTS_MAX
    told = ", ".join(column.words for column in found[:FAULTS_MAX])
    return told + (f" and {more} more" if more > 0 else "")


def render_advice() -> str:
    """What to do, before and after, from which releases, and how it is known."""
    rows = []
    for each in sorted(load_advice(), key=lambda a: a.when != "before"):
        starts = [s for s in STARTS if is_for_any(each, s)]
        rows.append((each.when, ", ".join(starts), each.do, each.why, each.known_from))
    return render_table(("When", "From", "Do", "Because", "Known from"), rows)


def is_for_any(advice: Advice, start: str) -> bool:
    """An upgrade of some group from this release gives reason to do it."""
    return any(advice.is_for(*g.compute_versions(start)) for g in GROUPS)


def render_changes() -> str:
    """What else an upgrade changes, by the release that it begins at."""
    brought = {
        start: {c.name: c for g in GROUPS for c in list_gained(g, start)} for start in STARTS
    }
    known: dict[str, ReleaseChange] = {n: c for found in brought.values() for n, c in found.items()}
    rows = (
        (change.sentence, *("yes" if name in brought[s] else "" for s in STARTS), say_known(change))
        for name, change in known.items()
    )
    return render_table(("What changes", *(f"From {s}" for s in STARTS), "Known from"), rows)


def list_gained(group: UpgradedGroup, start: str) -> Iterable[ReleaseChange]:
    """What the upgrade of a group brings."""
    return compute_difference(*group.compute_versions(start)).gained


def render_known() -> str:
    """What the answers about the newest release rest on."""
    newest = parse_version(NEWEST)
    return (
        f"{NEWEST} has the rules of {newest.rule_set}, which are compared with recordings of "
        f"5.3.3. Of {NEWEST} itself is known: {newest.known_from}."
    )


PAGE = Page(
    SPEC / "upgrading.md",
    {
        "known": render_known,
        "from 4.4": lambda: render_verdicts("4.4.0"),
        "from 4.9": lambda: render_verdicts("4.9.8"),
        "from 5.1": lambda: render_verdicts("5.1.4"),
        "advice": render_advice,
        "changes": render_changes,
    },
)
"""The chapter."""
