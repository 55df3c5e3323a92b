"""A second opinion on the length of the counterexamples: breadth-first search over all states.

Z3 has found that no schedule is shorter; a table of all states, which shares nothing with Z3 but
the rules, must come to the same number of steps. ``python -m spark_fuzz.shortest_counts`` writes
the file that the counterexample pages quote.
"""

from __future__ import annotations

from collections.abc import Iterator

from properties.refutations.cases import Case, load_cases
from properties.refutations.shortest import Shortest, save_shortest
from properties.worlds import find_world
from spark_fuzz.breadth_first import BreadthFirstSearch

STATES_MAX = 20_000_000
"""More than the longest search needs."""


class UnfinishedSearchError(Exception):
    """Raised when a search ends before it has found a violation."""


def is_searched(case: Case) -> bool:
    """Claims of convergence are judged in states of rest, which this search does not know."""
    return case.claim in find_world(case.structure).guarantees


def search(case: Case) -> Shortest:
    """How many steps a first violation takes, and how many states are within that distance.

    Raises UnfinishedSearchError.
    """
    fault_class = find_world(case.structure).get_column(case.fault)
    engine = BreadthFirstSearch(case.structure, fault_class, guarantees=[case.claim])
    result = engine.search(STATES_MAX)
    schedule = result.answers[0].schedule
    if schedule is None:
        raise UnfinishedSearchError(f"{case.claim}: {STATES_MAX} states are not enough")
    return Shortest(case.claim, len(schedule), result.states)


def search_all() -> Iterator[Shortest]:
    """Every counterexample page's guarantee, one after another."""
    for case in filter(is_searched, load_cases()):
        found = search(case)
        print(f"{found.claim}: {found.steps} steps, {found.states:,} states", flush=True)
        yield found


if __name__ == "__main__":
    save_shortest(search_all())
