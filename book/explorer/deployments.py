"""Which structures the explorer has, under which headings, and how releases are called there."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from properties.language.world import ClaimedStructure
from properties.scenarios.counterexamples.cases import load_cases
from properties.scenarios.known_issues.catalogue import load_scenarios
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.system.world import SYSTEM
from reference.releases.versions import list_versions

PAIR = "SYNC_MASTER/ASYNC_FLUSH/1 slave"

GROUPS = tuple(
    f"{role}/{flush}/{slaves}"
    for slaves in ("1 slave", "0 slaves", "2 slaves", "3 slaves")
    for role in ("SYNC_MASTER", "ASYNC_MASTER")
    for flush in ("ASYNC_FLUSH", "SYNC_FLUSH")
)
"""The stock pair comes first, because the page opens with it."""

LATER = (
    *(name for name in STRUCTURES if name.startswith(f"{PAIR} at ")),
    "ASYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3",
    f"{PAIR} with transient_store_pool",
)
"""Every release that has rules of its own, for the stock pair."""

SHELVES = {
    "A master and its slaves, 4.4.0": GROUPS,
    "A master and its slaves, other releases": LATER,
    "The system, with a consumer": tuple(structure.name for structure in SYSTEM.structures),
    **{
        heading: tuple(name for name in STRUCTURES if name.startswith(f"{world}/"))
        for world, heading in (
            ("reading", "A consumer and two queues"),
            ("tables", "Copied tables"),
            ("delay", "Delayed messages"),
            ("starts", "A broker that starts again"),
        )
    },
}
"""The structures that are always offered, by heading."""

OTHERS = "For counterexamples and issues"
"""The heading of structures that only they need."""


@frozen
class ExplorerStructure:
    """A structure of the explorer."""

    structure: ClaimedStructure
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


def name_structure(structure: ClaimedStructure) -> str:
    """The unique name of a structure, with the messages if there are more than one."""
    messages = structure.messages
    return str(structure.name) + (f", {messages} messages" if messages > 1 else "")


def find_aliases() -> dict[str, str]:
    """For each release and mode the one whose name is used for its rules."""
    return {version.name: version.rule_set for version in list_versions() if version.rule_set}


def list_deployments() -> Iterator[ExplorerStructure]:
    """Every structure once, those of the shelves first, in reading order."""
    known: set[str] = set()
    listed = [
        ExplorerStructure(STRUCTURES[name], shelf)
        for shelf, names in SHELVES.items()
        for name in names
    ]
    told = (*(case.structure for case in load_cases()), *(s.structure for s in load_scenarios()))
    for deployment in (*listed, *(ExplorerStructure(structure, OTHERS) for structure in told)):
        if deployment.key not in known:
            known.add(deployment.key)
            yield deployment


def get_plain(structure: ClaimedStructure) -> ClaimedStructure:
    """The structure with one followed message, as it is among all structures."""
    return structure.follow_messages(1)
