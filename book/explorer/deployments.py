"""Which structures the explorer has, under which headings, and how releases are called there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import evolve, frozen

from properties.scenarios.counterexamples.cases import load_cases
from properties.scenarios.known_issues.catalogue import load_scenarios
from properties.worlds import KNOWN_STRUCTURES
from properties.worlds.system.world import SYSTEM
from reference.releases.versions import list_versions

PAIR = "SYNC_MASTER/ASYNC_FLUSH/1 slave"

GROUPS = (
    PAIR,
    "SYNC_MASTER/SYNC_FLUSH/1 slave",
    "ASYNC_MASTER/ASYNC_FLUSH/1 slave",
    "ASYNC_MASTER/SYNC_FLUSH/1 slave",
    "SYNC_MASTER/ASYNC_FLUSH/0 slaves",
    "SYNC_MASTER/SYNC_FLUSH/0 slaves",
    "ASYNC_MASTER/ASYNC_FLUSH/0 slaves",
    "ASYNC_MASTER/SYNC_FLUSH/0 slaves",
    "SYNC_MASTER/ASYNC_FLUSH/2 slaves",
    "ASYNC_MASTER/ASYNC_FLUSH/2 slaves",
)
RELEASES = ("4.5.1", "4.9.3", "5.0.0", "5.0.0-controller", "5.3.0")
LATER = (
    *(f"{PAIR} at {release}" for release in RELEASES),
    "ASYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3",
    f"{PAIR} with transient_store_pool",
)
SYSTEMS = ("system/sync master/async flush/closed/no offset check/first",)
"""One of twelve: its text is as long as those of eight groups without readers."""

READERS = (
    "reading/closed/no offset check/last",
    "reading/closed/no offset check/first",
    "reading/open slow/no offset check/last",
    "reading/open all/no offset check/last",
)
TABLES = ("tables/topics/4.4.0", "tables/groups/4.4.0", "tables/topics/4.5.0")
DELAYS = ("delay/4.4.0", "delay/corrected at start")

SHELVES = {
    "A master and its slaves, 4.4.0": GROUPS,
    "A master and its slaves, other releases": LATER,
    "The system, with a consumer": SYSTEMS,
    "A consumer and two queues": READERS,
    "Copied tables": TABLES,
    "Delayed messages": DELAYS,
}
"""The structures that are always offered, by heading."""

OTHERS = "For counterexamples and issues"
"""The heading of structures that only they need."""


@frozen
class Deployment:
    """A structure of the explorer."""

    structure: Any
    shelf: str
    """The heading under which it can be chosen."""

    @property
    def key(self) -> str:
        """Its name in addresses: the structure's, with the messages if there are more than one."""
        return name_structure(self.structure)

    @property
    def label(self) -> str:
        """How it is offered: the name, with all releases that have its rules."""
        releases = [name for name, first in find_aliases().items() if first != name]
        first = self.key.partition(" at ")[2]
        alike = [name for name in releases if first and find_aliases()[name] == first]
        return f"{self.key} to {alike[-1]}" if alike else self.key


def name_structure(structure: Any) -> str:
    """The unique name of a structure, with the messages if there are more than one."""
    messages = getattr(structure, "messages", 1)
    return str(structure.name) + (f", {messages} messages" if messages > 1 else "")


def find_aliases() -> dict[str, str]:
    """For each release and mode the one whose name is used for its rules."""
    return {version.name: version.rule_set for version in list_versions() if version.rule_set}


def list_deployments() -> Iterator[Deployment]:
    """Every structure once, those of the shelves first, in reading order."""
    known: set[str] = set()
    listed = [
        Deployment(KNOWN_STRUCTURES[name], shelf)
        for shelf, names in SHELVES.items()
        for name in names
    ]
    told = (*(case.structure for case in load_cases()), *(s.structure for s in load_scenarios()))
    for deployment in (*listed, *(Deployment(structure, OTHERS) for structure in told)):
        if deployment.key not in known:
            known.add(deployment.key)
            yield deployment


def has_parts(structure: Any) -> bool:
    """It is a system, whose rules are those of other worlds, lifted."""
    return isinstance(structure, SYSTEM.kind)


def get_plain(structure: Any) -> Any:
    """The structure with one followed message, as it is among all structures."""
    return evolve(structure, messages=1) if getattr(structure, "messages", 1) > 1 else structure
