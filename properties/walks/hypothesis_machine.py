"""A Hypothesis state machine made from the rules of any world.

One Hypothesis rule picks from the enabled instances and then picks each argument from its range:
that runs faster than one rule per instance. Steps picked one by one seldom get far: hence settling,
walks that begin along a stored schedule, rules that a walk leaves out (Groce and others, "Swarm
Testing", 2012), and targets. A failed walk is shortened by replay (``failed_walk``).
"""

from __future__ import annotations

import unittest
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, ClassVar, TypeAlias

from attrs import evolve, frozen
from hypothesis import HealthCheck, Phase, event, settings, target
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from properties.language.property import Predicate, Property
from properties.language.world import ClaimedStructure
from properties.schedules.related_structures import Schedule
from properties.walks.failed_walk import ViolatedClaimError, report_failure
from properties.walks.premises import PremiseTally, WalkStarts, load_starts
from properties.walks.steps import find_moving, put_off_last_resorts
from reference.language.dependencies import EnabledSteps
from reference.language.machine import Action, Enabled, compute_machine
from reference.language.parameters import BaseParameters

SETTLING_STEPS_MAX = 24
"""The maximal number of healing steps in one settling: enough for a put and its copy."""

AIMED_RUNS_MAX = 4
"""The number of additional runs for premises that were not met."""

Claim: TypeAlias = Predicate | tuple[Predicate, Predicate] | Property
"""A claim about every state: a predicate, alone or with its premise, or a property."""


@frozen(eq=False)
class WalkPlan:
    """The common plan of all walks of one state machine."""

    structure: ClaimedStructure
    parameters: BaseParameters
    claims: Mapping[str, Predicate]
    starts: WalkStarts
    tally: PremiseTally
    aims: tuple[str, ...] = ()
    """The claims at whose premises walks begin. Empty: all that have one, or any milestone if none
    has one."""

    @cached_property
    def prefixes(self) -> st.SearchStrategy[Schedule]:
        """Nothing, a stored schedule to a target milestone, or a part of any stored schedule.

        Longer schedules are drawn more often: near milestones are met without.
        """
        known = self.starts.leading_to
        aims = self.aims or self.tally.premises or known
        chosen = [known[name] for name in aims if name in known for _ in known[name][0]]
        strategies: list[st.SearchStrategy[Schedule]] = [st.just(())]
        if chosen:
            strategies += [st.sampled_from(chosen).flatmap(st.sampled_from)] * 3
        if self.starts.ways:
            strategies.append(st.sampled_from(self.starts.ways).flatmap(_cut))
        return st.one_of(strategies)

    @cached_property
    def omissions(self) -> st.SearchStrategy[set[str]]:
        """The rules that a walk leaves out: none, or any, but never more than three in four."""
        instances = compute_machine(self.structure).instances.values()
        names = sorted({instance.rule.name for instance in instances})
        some = st.sampled_from(names)
        counts = st.integers(0, len(names) * 3 // 4)
        drawn = counts.flatmap(lambda count: st.sets(some, min_size=count, max_size=count))
        return st.one_of(st.builds(set[str]), drawn)


def _cut(way: Schedule) -> st.SearchStrategy[Schedule]:
    return st.integers(0, len(way)).map(lambda length: way[:length])


class _TestCase:
    """The ``TestCase`` of a state machine: it runs the walks, and then checks their premises."""

    def __get__(self, machine: object, kind: type[ClusterMachine]) -> type[unittest.TestCase]:
        return _make_test_case(kind)


@cache
def _make_test_case(kind: type[ClusterMachine]) -> type[unittest.TestCase]:
    """One class per state machine, whose ``settings`` a tester may set."""

    class CheckedWalks(unittest.TestCase):
        settings = _make_settings()

        def runTest(self) -> None:  # noqa: N802
            run_state_machine(kind, self.settings)

    return CheckedWalks


def _make_settings() -> settings:
    """The profile's settings, but no walk counts as too slow."""
    return settings(deadline=None, suppress_health_check=list(HealthCheck))


class ClusterMachine(RuleBasedStateMachine):  # type: ignore[misc, unused-ignore]
    """Walks one structure and asserts every claim in every state; see ``make_state_machine``."""

    plan: ClassVar[WalkPlan]
    TestCase = _TestCase()  # type: ignore[assignment, unused-ignore]

    def __init__(self) -> None:
        super().__init__()
        self.walk = EnabledSteps(self.plan.structure.make_initial(self.plan.parameters))
        self.schedule: list[Action] = []
        self.left_out: set[str] = set()
        self.met: frozenset[str] = frozenset()
        self.note = self.plan.tally.begin_example()
        self.stage = 0

    @property
    def cluster(self) -> Any:
        """The state that the walk has led to."""
        return self.walk.cluster

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """Choose the rules that this walk leaves out, and its beginning."""
        self.left_out = data.draw(self.plan.omissions, "rules left out")
        self.arrive()
        for action in data.draw(self.plan.prefixes, "prefix"):
            self.take(action)

    @rule(data=st.data())
    def fire(self, data: st.DataObject) -> None:
        """Take one step of those that are possible and not left out."""
        enabled = self.walk.list_enabled()
        kept = [e for e in enabled if e.instance.rule.name not in self.left_out]
        if (action := draw_action(data, kept)) is not None:
            self.take(action)

    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        """Take several healing steps in any order, none left out, until nothing moves.

        Half of the settlings are patient: no wait times out while another step is possible. In a
        world without healing steps all steps but faults are taken.
        """
        is_patient = data.draw(st.booleans(), "patient")
        for _ in range(data.draw(st.integers(1, SETTLING_STEPS_MAX), "healing steps")):
            action = draw_action(data, self.find_healing(is_patient=is_patient))
            if action is None:
                return
            self.take(action)

    def find_healing(self, *, is_patient: bool) -> list[Enabled]:
        """The steps that are possible without faults."""
        healing = self.plan.structure.healing
        if healing is None:
            enabled = self.walk.list_enabled()
            return [e for e in enabled if not e.instance.rule.is_fault]
        moving = find_moving(self.walk.list_enabled(), self.cluster)
        return put_off_last_resorts(moving, healing) if is_patient else moving

    def take(self, action: Action) -> None:
        """Let one step take place, and judge the state after it."""
        failed = self.walk.take(action)
        assert not failed, f"{action} was offered, then refused: {failed}"
        self.schedule.append(action)
        self.arrive()

    def arrive(self) -> None:
        """Note what the state meets, and assert the claims."""
        self.met = self.note(self.cluster)
        self.stage = max(self.stage, self.cluster.structure.world.compute_stage(self.cluster))
        claims = self.plan.claims.items()
        violated = tuple(name for name, holds in claims if not holds(self.cluster))
        if violated:
            raise ViolatedClaimError(f"{violated} violated by: {self}", violated, self.schedule)

    def __str__(self) -> str:
        """The steps so far, and what they met."""
        steps = "; ".join(map(str, self.schedule))
        return f"{steps}\nmet on the way: {', '.join(sorted(self.met))}"

    def teardown(self) -> None:
        """Report this walk's stage to Hypothesis: the next walks begin with its draws."""
        target(len(self.met), label="milestones met")
        target(self.stage, label="stage of what is followed")
        for name in sorted({action.rule_name for action in self.schedule}):
            event(name)
        for name in sorted(self.met):
            event(f"met {name}")


def make_state_machine(
    structure: ClaimedStructure, parameters: BaseParameters, claims: Mapping[str, Claim]
) -> type[ClusterMachine]:
    """A state machine class that walks a structure and asserts claims in every state.

    ``claims`` maps names to predicates over states. A claim that is trivial in most states comes
    with its premise, as a pair or as a ``Property``; ``run_state_machine`` (and the class's
    ``TestCase``) fails if no walk has met the premise. A walk keeps its steps in ``schedule``.
    ``parameters`` are sizes and, in ``limits``, how often each fault may happen; with small sizes
    walks reach every boundary. Write premises with ``&``, ``|`` and ``negate``; otherwise they
    cannot be proved unreachable. Raises TypeError for an unknown world.

    Your own claim about a synchronous pair whose slave may be killed:

    >>> from hypothesis import settings
    >>> from properties.walks.hypothesis_machine import make_state_machine, run_state_machine
    >>> from properties.worlds.replication.world import ClaimedGroup
    >>> from reference.language.operators import all_of, any_of, implies
    >>> from reference.worlds.replication.put import is_acknowledged
    >>> def is_any_acknowledged(cluster):
    ...     return any_of(*(is_acknowledged(m) for m in cluster.messages))
    >>> def acknowledged_is_copied(cluster):
    ...     end = cluster.slaves[0].log.max_offset
    ...     return all_of(*(implies(is_acknowledged(m), m.end_offset <= end)
    ...                     for m in cluster.messages))
    >>> pair = ClaimedGroup()
    >>> world = pair.world
    >>> parameters = world.make_search_parameters(world.get_fault_model("slave kill"))
    >>> claims = {"acknowledged_is_copied": (acknowledged_is_copied, is_any_acknowledged)}
    >>> machine = make_state_machine(pair, parameters, claims)
    >>> chosen = settings(max_examples=50, stateful_step_count=20, derandomize=True, deadline=None)
    >>> tally = run_state_machine(machine, chosen)
    >>> tally.met["acknowledged_is_copied"] > 0
    True

    ``print(tally)`` shows the share of the examples in which each premise was met.
    """
    premises = {name: premise for name, claim in claims.items() if (premise := _get_premise(claim))}
    tally = PremiseTally(structure, parameters, premises)
    predicates = {name: _get_predicate(claim) for name, claim in claims.items()}
    starts = load_starts(structure, parameters, tally.milestones)
    plan = WalkPlan(structure, parameters, predicates, starts, tally)
    return type("ClusterMachine", (ClusterMachine,), {"plan": plan})


def _get_premise(claim: Claim) -> Predicate | None:
    if isinstance(claim, Property):
        return claim.premise
    return claim[1] if isinstance(claim, tuple) else None


def _get_predicate(claim: Claim) -> Predicate:
    if isinstance(claim, Property):
        return claim.predicate
    return claim[0] if isinstance(claim, tuple) else claim


def run_state_machine(
    machine: type[ClusterMachine], chosen: settings | None = None
) -> PremiseTally:
    """Run walks, and count in how many of them each premise was met.

    Premises that no walk meets get more runs, which begin where stored schedules meet them, and
    have no target. The default settings are the profile's, except deadline and health checks.
    Raises ViolatedClaimError, an AssertionError, if a claim is violated: its message has the claim,
    the step, and the timeline of a shortened schedule, which is also its ``schedule``. Raises
    UnmetPremiseError with the claim's name if its premise was never met, unless induction proves it
    unreachable.
    """
    plan = machine.plan
    try:
        return _run_walks(machine, chosen or _make_settings())
    except ViolatedClaimError as failure:
        found = failure
    # Hypothesis notes the draws of the whole walk on its error; the schedule replaces them.
    raise report_failure(found, plan.structure, plan.parameters, plan.claims)


def _run_walks(machine: type[ClusterMachine], chosen: settings) -> PremiseTally:
    tally = machine.plan.tally
    # Shortening by replay takes the place of both phases, and is minutes faster.
    used = _leave_out(chosen, Phase.shrink, Phase.explain)
    run_state_machine_as_test(machine, settings=used)
    for number in range(AIMED_RUNS_MAX):
        if aims := tally.list_missing():
            # A derandomized run takes its seed from the name of the class.
            name = f"{machine.__name__}{number}"
            aimed = type(name, (machine,), {"plan": evolve(machine.plan, aims=aims)})
            run_state_machine_as_test(aimed, settings=_leave_out(used, Phase.target))
    tally.check()
    return tally


def _leave_out(chosen: settings, *phases: Phase) -> settings:
    return settings(chosen, phases=[p for p in chosen.phases if p not in phases])


def find_earliest_violations(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    claims: Mapping[str, Predicate],
    examples: int,
    steps: int,
) -> dict[str, int]:
    """The fewest steps after which each claim is violated in some walks; seeded.

    A claim that no walk violates is missing. There is no target: near one walk that gets far all
    others are alike, and violations elsewhere would stay unseen.
    """
    earliest: dict[str, int] = {}
    base = make_state_machine(structure, parameters, {})

    class ViolationRecorder(base):  # type: ignore[misc, valid-type, unused-ignore]
        """Records violations and continues."""

        def arrive(self) -> None:
            super().arrive()
            taken = len(self.schedule)
            for name, claim in claims.items():
                if not claim(self.cluster):
                    earliest[name] = min(taken, earliest.get(name, taken))

    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(ViolationRecorder, settings=chosen)
    return earliest


def draw_action(data: st.DataObject, enabled: list[Enabled]) -> Action | None:
    """One of the enabled actions with arguments from its ranges; None if nothing is enabled."""
    if not enabled:
        return None
    by_name = {e.instance.name: e for e in enabled}
    name = data.draw(st.sampled_from(list(by_name)), "rule")
    ranges = by_name[name].ranges
    return Action(name, {r.name: data.draw(st.integers(r.low, r.high), r.name) for r in ranges})


def draw_walk(
    data: st.DataObject, structure: ClaimedStructure, parameters: BaseParameters, steps: int
) -> list[tuple[Any, Action]]:
    """The states of a random walk that Hypothesis draws, as (cluster, action taken there) pairs."""
    machine = compute_machine(structure)
    cluster = structure.make_initial(parameters)
    walk = []
    for _ in range(data.draw(st.integers(1, steps), "steps")):
        action = draw_action(data, machine.enabled(cluster))
        if action is None:
            break
        walk.append((cluster, action))
        cluster = machine.step(cluster, action).cluster
    return walk
