"""Checks that can find a mistake in the judges: claims, ghosts, faults, premises, prover.

None of them compares a digest or a stored text: each checks the meaning of the judges. ``python -m
spark_fuzz.judges.planted_run`` plants mistakes one at a time and runs these checks.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from properties.judges.byte_observer import UNHEALING, compare_along
from properties.judges.foundations import (
    UnsoundFoundationError,
    check_foundations,
    find_wrong_premises,
)
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import follow_while_possible
from properties.schedules.known_schedules import load_known_schedules
from properties.verdicts.certificates import get_path, get_world_folder, recheck
from properties.verdicts.expectations import find_expectation
from properties.verdicts.verdict import InternalDisagreementError
from properties.walks.steps import choose_evenly
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import CLAIMS, ClaimedGroup
from properties.z3.induction import prove_lemmas
from properties.z3.ranking import rank_steps
from properties.z3.vacuity import find_unwitnessed, load_open_questions
from reference.language.machine import Action, Enabled, compute_machine
from reference.language.rule import Rule
from reference.roles import FlushDiskType
from reference.worlds.replication.state import Cluster

Way: TypeAlias = Iterator[tuple[Action | None, Cluster]]
"""Each step with the state after it; the first state has no step."""

PROVED_STRUCTURES = (
    "SYNC_MASTER/SYNC_FLUSH/1 slave",
    "SYNC_MASTER/ASYNC_FLUSH/1 slave",
    "ASYNC_MASTER/ASYNC_FLUSH/0 slaves",
    "SYNC_MASTER/ASYNC_FLUSH/0 slaves",
    "reading/closed/no offset check/first",
    "reading/open slow/no offset check/last",
    "tables/topics/4.4.0",
    "delay/4.4.0",
)
"""One of each kind: every mistake has an effect in one of these."""

OBSERVED_STRUCTURES = (
    ClaimedGroup(flush_disk_type=FlushDiskType.ASYNC_FLUSH),
    ClaimedGroup(flush_disk_type=FlushDiskType.SYNC_FLUSH),
    ClaimedGroup(messages=2),
    ClaimedGroup(slaves=0),
)
"""Groups that are compared with bytes."""

WANDERING_STEPS = 20
"""The number of random steps after the beginning of a known schedule."""
FAULT_SHARE = 0.15
"""The share of faults among such steps, where faults may happen."""

PREMISE_SCHEDULES = 80
"""Premises are checked in the states of about this many known schedules of a world."""

REST_STEPS = 60
"""The number of steps that a group may need to come to rest after a known schedule."""


def check_meaning() -> str:
    """Simplification, translation, remainders."""
    try:
        check_foundations()
    except UnsoundFoundationError as problem:
        return str(problem)
    return ""


def check_bytes() -> str:
    """Ghosts, claims and power losses of the log, compared with bytes."""
    claims = {name: claim.predicate for name, claim in CLAIMS.items()}
    for structure in OBSERVED_STRUCTURES:
        machine = compute_machine(structure)
        for way in list_ways(structure):
            if told := compare_along(machine, claims, way):
                return told
    return ""


def list_ways(structure: ClaimedGroup) -> Iterator[Way]:
    """Known schedules as far as they are possible in this group, and continuations of them.

    Each is followed to its end and then to rest, and once left at some place for random steps; from
    the first state alone such steps seldom get far.
    """
    sizes = structure.world.make_search_parameters(structure.world.everything)
    for number, schedule in enumerate(load_known_schedules()):
        chance = random.Random(f"{structure.name}/{number}")
        yield come_to_rest(follow_while_possible(structure, sizes, schedule), chance)
        left_at = chance.randint(0, len(schedule))
        begun = follow_while_possible(structure, sizes, schedule[:left_at])
        yield wander(begun, chance)


def come_to_rest(way: Way, chance: random.Random) -> Way:
    """The schedule, and the steps a group then takes by itself until rest, or for some time."""

    def choose(enabled: list[Enabled]) -> list[Enabled]:
        return [e for e in enabled if is_undisturbed(e.instance.rule)]

    return go_on(way, choose, REST_STEPS, chance)


def is_undisturbed(rule: Rule) -> bool:
    """A step of a broker by itself, or of an operator who restarts a broker."""
    is_of_broker = rule.who in ("master", "slave") and rule.name not in UNHEALING
    return is_of_broker or rule.name.startswith("restart")


def wander(way: Way, chance: random.Random) -> Way:
    """The schedule, and then random steps, occasionally a fault."""

    def choose(enabled: list[Enabled]) -> list[Enabled]:
        faults = [e for e in enabled if e.instance.rule.is_fault]
        others = [e for e in enabled if not e.instance.rule.is_fault]
        is_struck = bool(faults) and (not others or chance.random() < FAULT_SHARE)
        return faults if is_struck else others

    return go_on(way, choose, WANDERING_STEPS, chance)


def go_on(
    way: Way,
    choose: Callable[[list[Enabled]], list[Enabled]],
    steps: int,
    chance: random.Random,
) -> Way:
    """The schedule, and up to this many random steps, each from those that ``choose`` leaves."""
    cluster: Any = None
    for action, cluster in way:
        yield action, cluster
    machine = compute_machine(cluster.structure)
    for _ in range(steps):
        chosen = choose(machine.enabled(cluster))
        if not chosen:
            return
        step = choose_evenly(chosen, chance)
        cluster = machine.step(cluster, step).cluster
        yield step, cluster


def check_proofs() -> str:
    """The checks of `rmqspec prove`: certificates, expectations, witnesses, how rest is reached."""
    for name in PROVED_STRUCTURES:
        structure = STRUCTURES[name]
        document = read_certificate(structure)
        try:
            cells = recheck(structure, structure.world.sizes.search, document)
            missing = set(find_unwitnessed(structure)) - set(load_open_questions(structure))
        except InternalDisagreementError as problem:
            return str(problem)
        for cell in cells:
            expected = find_expectation(cell.guarantee, structure, cell.fault)
            if cell.word is not expected.verdict:
                return f"{cell.guarantee} of {name} under {cell.fault} is {cell.word.value}"
        if missing:
            return f"{name}: nothing shows that {min(missing)} is reachable"
        healing = structure.healing
        steps = rank_steps(structure, prove_lemmas(structure)) if healing else ()
        endless = {s.instance for s in steps if not s.is_smaller}
        if healing and endless != set(healing.endless):
            return f"{name}: {min(endless ^ set(healing.endless))} does not end as expected"
    return ""


def read_certificate(structure: ClaimedStructure) -> dict[str, Any]:
    """The stored certificate with any digest, as if it were made anew from the judged rules."""
    document: dict[str, Any] = json.loads(get_path(structure).read_text())
    return document


def check_premises() -> str:
    """Premises hold where their claims are not vacuous."""
    for name in PROVED_STRUCTURES:
        structure = STRUCTURES[name]
        sizes = structure.world.make_search_parameters(structure.world.everything)
        known = load_known_schedules(get_world_folder(structure))
        states = [
            state
            for schedule in known[:: max(1, len(known) // PREMISE_SCHEDULES)]
            for _, state in follow_while_possible(structure, sizes, schedule)
        ]
        for told in find_wrong_premises(structure, prove_lemmas(structure), states):
            return told
    return ""
