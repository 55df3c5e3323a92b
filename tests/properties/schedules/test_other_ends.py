"""Schedules with other ends of brokers: possible, and with the faults that they are to have."""

from __future__ import annotations

import pytest

from properties.schedules.judgement import follow, is_refuted_by
from properties.schedules.other_ends import MASTER, SLAVE, list_ways, replace_steps, vary_ends
from properties.schedules.related_structures import Schedule
from properties.verdicts.fault_sets.certificates import load_borders
from properties.verdicts.fault_sets.search import find_refutations
from properties.worlds.catalogue import STRUCTURES
from properties.z3.fault_sets import compute_faults
from reference.language.machine import Action, compute_machine

SYSTEM = STRUCTURES["system/sync master/async flush/closed/no offset check/first"]
SIZES = SYSTEM.world.sizes.fault_sets
PARAMETERS = SIZES.limit(SYSTEM.world.everything.search_limits)
KILLED = {"torn_rolls", "master_kills", "slave_kills"}
LOST = "promotion_loses_no_acknowledged_message"


def load_refutation(claim: str, faults: set[str]) -> Schedule:
    """The stored schedule against a claim with exactly these faults."""
    (border,) = (each for each in load_borders(SYSTEM) if each.guarantee == claim)
    (found,) = (each.schedule for each in border.refuted if each.faults == faults)
    return found


def test_every_rule_is_there() -> None:
    """Of the stock pair's log and its readers; a name that no world has would change nothing."""
    known = set(compute_machine(SYSTEM).instances)
    for ends in (MASTER, SLAVE):
        assert {ends.kill, *ends.stop, ends.persist, *ends.starts} <= known
        assert all(set(list_ways(name)) == set(ends.starts) for name in ends.starts)


def test_steps_are_replaced_by_none_one_or_several() -> None:
    """The others keep their numbers."""
    schedule = (Action("a", {"n": 1}), Action("b", {}), Action("c", {}))
    changed = replace_steps(schedule, {"b": (), "c": ("d", "e")})
    assert changed == (Action("a", {"n": 1}), Action("d", {}), Action("e", {}))


@pytest.mark.parametrize("stopped", [{"master_stops"}, {"slave_stops"}, set()])
def test_kills_become_orderly_stops(stopped: set[str]) -> None:
    """A torn roll at an orderly stop loses as much as one at a kill, whoever stops."""
    known = load_refutation(LOST, KILLED)
    others = {"master_stops": "master_kills", "slave_stops": "slave_kills"}
    wanted = frozenset(KILLED - {others[name] for name in stopped} | stopped)
    varied = [known, *vary_ends(SYSTEM, PARAMETERS, [known])]
    found = find_refutations(SYSTEM, varied, SIZES, names=(LOST,))[LOST]
    assert wanted in found
    assert compute_faults(SYSTEM, found[wanted]) == wanted


def test_what_is_varied_is_possible() -> None:
    """Each step of it, and no schedule comes twice."""
    known = [load_refutation(LOST, KILLED)]
    varied = list(vary_ends(SYSTEM, PARAMETERS, known))
    assert len(set(varied)) == len(varied) > 0
    for schedule in varied:
        assert len(list(follow(SYSTEM, PARAMETERS, schedule))) == len(schedule) + 1


def test_orderly_stops_become_kills() -> None:
    """With the progress written before, or not."""
    known = load_refutation(
        "promotion_skips_no_message", {"forced_deletions", "master_stops", "slave_stops"}
    )
    varied = vary_ends(SYSTEM, PARAMETERS, [known])
    claim = "promotion_skips_no_message"
    faults = [
        compute_faults(SYSTEM, s) for s in varied if is_refuted_by(claim, SYSTEM, PARAMETERS, s)
    ]
    assert frozenset({"forced_deletions", "master_kills", "slave_kills"}) in faults
