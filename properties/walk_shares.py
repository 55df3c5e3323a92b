"""In which share of random walks the premise of each claim is met, structure by structure.

A walk that meets no premise tests nothing. ``python -m properties.walk_shares --fault COLUMN
--structure NAME`` prints it; repeated walks are the same.
"""

from __future__ import annotations

import argparse
from typing import Any

from hypothesis import HealthCheck, settings

from properties.hypothesis_machine import make_state_machine, run_state_machine
from properties.premises import PremiseTally
from properties.stock import STOCK_WORLDS
from properties.worlds import STRUCTURES, find_world

EXAMPLES, STEPS = 50, 20
"""How many walks are drawn, and how many settlings or single steps each has at most."""

SHOWN = (
    *(
        f"SYNC_MASTER/{flush}/{slaves}"
        for slaves in ("1 slave", "2 slaves")
        for flush in ("ASYNC_FLUSH", "SYNC_FLUSH")
    ),
    *STOCK_WORLDS,
)
"""The structures that are shown where none is named."""


def measure_premises(structure: Any, fault: str, chosen: settings | None = None) -> PremiseTally:
    """How often walks meet each premise under a column; claims themselves are not judged.

    Raises UnmetPremiseError for a premise that is never met and not proved unreachable.
    """
    parameters = find_world(structure).make_search_parameters(
        find_world(structure).get_column(fault)
    )
    claims = {
        name: (_hold_always, claim.premise)
        for name, claim in find_world(structure).claims.items()
        if claim.premise is not None
    }
    machine = make_state_machine(structure, parameters, claims)
    return run_state_machine(machine, chosen or make_settings())


def make_settings() -> settings:
    """Walks that are the same each time."""
    return settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def _hold_always(state: Any) -> bool:
    return True


def main() -> None:
    """Print the shares of some structures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--structure", choices=STRUCTURES, action="append", help="one of them")
    parser.add_argument("--fault", default="none", help="a column of its table")
    options = parser.parse_args()
    for name in options.structure or SHOWN:
        print(f"{name}, {options.fault}\n{measure_premises(STRUCTURES[name], options.fault)}\n")


if __name__ == "__main__":
    main()
