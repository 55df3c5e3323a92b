"""A Hypothesis state machine made from the rules of any world.

Each rule of the world is a ``@rule`` under its own name, with its own conditions as precondition;
each claim is an ``@invariant``; what the rules are about, such as slaves and followed messages, is
named in bundles. Only the choice of the next step is not Hypothesis' own (``weighted_rules``).
Shrinking, the example database, ``@reproduce_failure``, statistics and observability are.
"""

from __future__ import annotations

import unittest
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import Any, ClassVar, TypeAlias

from attrs import evolve, field, frozen
from hypothesis import HealthCheck, Phase, event, settings
from hypothesis import strategies as st
from hypothesis.control import current_build_context
from hypothesis.database import (
    InMemoryExampleDatabase,
    ReadOnlyDatabase,
    choices_to_bytes,
)
from hypothesis.internal.reflection import function_digest
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    get_state_machine_test,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)

from properties.language.fault_model import FaultModel
from properties.language.property import Predicate, Property
from properties.language.world import ClaimedStructure
from properties.walks.beginnings import Beginnings
from properties.walks.compiled_predicates import CompiledPredicates
from properties.walks.failed_walk import (
    ViolatedClaimError,
    draw_failure,
    keep_schedule,
    make_error_classes,
)
from properties.walks.flat_walk import FlatWalk, encode_initial
from properties.walks.premises import PremiseTally
from properties.walks.shortening import FoundWalks, Head
from properties.walks.weighted_choice import ChoosableSteps, compute_choosable_steps
from properties.walks.weighted_rules import WeightedRules
from reference.language.machine import Action
from reference.language.parameters import BaseParameters

AIMED_RUNS_MAX = 3
"""The number of additional runs for claims that were not tested."""

STEPS = 64
"""The number of steps of a walk, unless settings say otherwise."""

SECONDARY = b".secondary"
"""What Hypothesis adds to the key of walks that have not been shrunk."""

Claim: TypeAlias = Predicate | tuple[Predicate, Predicate] | Property
"""A claim about every state: a predicate, alone or with its premise, or a property."""

Sizes: TypeAlias = BaseParameters | FaultModel | str
"""One size with its limits; or a fault model or its name, under which sizes are drawn."""


@frozen(eq=False)
class WalkPlan:
    """The common plan of all walks of one state machine."""

    structure: ClaimedStructure
    sizes: tuple[BaseParameters, ...]
    """The sizes that a walk draws from; all have the same limits of faults."""
    claims: CompiledPredicates
    tally: PremiseTally
    beginnings: Beginnings
    steps: ChoosableSteps
    found: FoundWalks = field(factory=FoundWalks)
    """What violated claims in these walks."""


class ClusterMachine(RuleBasedStateMachine):  # type: ignore[misc, unused-ignore]
    """Walks one structure and checks every claim in every state; see ``make_state_machine``."""

    plan: ClassVar[WalkPlan]

    def __init__(self) -> None:
        super().__init__()
        self.chooser = self._rules_strategy = WeightedRules(
            self, self.plan.steps, self.plan.beginnings
        )
        self.walk = FlatWalk.begin(self.plan.structure, self.plan.sizes[0])
        self.violated: str | None = None
        self.is_led = False
        self.size_place: int | None = None
        self.note = self.plan.tally.begin_example()

    @property
    def cluster(self) -> Any:
        """The state that the walk has led to."""
        return self.walk.cluster

    @property
    def schedule(self) -> tuple[Action, ...]:
        """The steps that have led to it."""
        return tuple(self.walk.schedule)

    def begin(self, parameters: BaseParameters) -> None:
        """Begin in a size."""
        if len(self.plan.sizes) > 1:
            self.size_place = len(current_build_context().data.nodes) - 1
        self.walk = FlatWalk.begin(self.plan.structure, parameters)
        self.look(None)

    def make_head(self) -> Head:
        """The draws before the first step."""
        begins = [encode_initial(self.plan.structure, each) for each in self.plan.sizes]
        choices = self.chooser.head_choices or ()
        return Head(choices, self.plan.steps, self.size_place, begins)

    def stand_still(self) -> None:
        """Nothing is possible, or nothing was chosen."""

    def take(self, action: Action) -> None:
        """Let one step take place, and look at the state after it."""
        self.walk.take(action)
        self.look(action.instance)

    def look(self, instance: str | None) -> None:
        """Note what a state meets, and which claim it violates; None: it is the first one."""
        claims, state = self.plan.claims, self.walk.state
        asked = claims.predicates if instance is None else claims.touched[instance]
        self.violated = claims.find_false(state, asked)
        self.note.look(state, instance, is_stored=self.is_led)

    def check_invariants(self, *arguments: Any) -> None:
        """Check only a claim that the last steps have violated: the others were looked at."""
        if self.violated is not None:
            super().check_invariants(*arguments)

    def teardown(self) -> None:
        """Report to Hypothesis what this walk met.

        Nothing is a target: half of all walks would then stay near one that is as good as others. A
        subclass may call ``hypothesis.target`` here.
        """
        for name in sorted({action.rule_name for action in self.walk.schedule}):
            event(name)
        for name in sorted(self.note.met):
            event(f"met {name}")

    @classmethod
    def _to_test_case(cls) -> type[unittest.TestCase]:  # type: ignore[override, unused-ignore]
        """Hypothesis' own test case, which then checks that the claims were tested."""
        case: Any = super()._to_test_case()  # type: ignore[arg-type, unused-ignore]
        return _add_premise_check(case, cls)


@cache
def _add_premise_check(
    case: type[unittest.TestCase], machine: type[ClusterMachine]
) -> type[unittest.TestCase]:
    def run(self: Any) -> None:
        run_state_machine(machine, self.settings)

    vars(run).update(vars(case.runTest))  # type: ignore[attr-defined]
    return type(case.__name__, (case,), {"runTest": run})


def make_state_machine(
    structure: ClaimedStructure, sizes: Sizes, claims: Mapping[str, Claim]
) -> type[ClusterMachine]:
    """A state machine class that walks a structure and checks claims in every state.

    ``claims`` maps names to predicates over states. A claim that is trivial in most states comes
    with its premise, as a pair or as a ``Property``; ``run_state_machine`` (and the class's
    ``TestCase``) fails if no walk has tested it. ``sizes`` is a fault model or its name: each walk
    draws its sizes from those of campaigns and their swarms. With parameters, every walk has these,
    and their ``limits`` say how often each fault may happen. Write claims and premises with ``&``,
    ``|`` and ``negate``: others are slower, and cannot be proved vacuous. Raises ClaimError with
    the name of a claim that fails or names what no state has, KeyError for an unknown fault model.

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
    >>> claims = {"acknowledged_is_copied": (acknowledged_is_copied, is_any_acknowledged)}
    >>> machine = make_state_machine(ClaimedGroup(), "slave kill", claims)
    >>> chosen = settings(max_examples=50, derandomize=True, deadline=None)
    >>> tally = run_state_machine(machine, chosen)
    >>> tally.tested["acknowledged_is_copied"] > 0
    True

    ``print(tally)`` shows the share of the examples in which each claim was tested.
    """
    drawn = list_sizes(structure, sizes)
    premises = {name: premise for name, claim in claims.items() if (premise := _get_premise(claim))}
    walked = structure.world.follow_more(structure)
    compiled = CompiledPredicates(walked, {n: _get_predicate(c) for n, c in claims.items()})
    plan = WalkPlan(
        walked,
        drawn,
        compiled,
        PremiseTally(structure, drawn[0], compiled, premises),
        Beginnings(structure),
        compute_choosable_steps(walked),
    )
    return make_machine_class("ClusterMachine", plan)


def list_sizes(structure: ClaimedStructure, sizes: Sizes) -> tuple[BaseParameters, ...]:
    """The sizes that walks draw from: half of them have those of a campaign."""
    if isinstance(sizes, BaseParameters):
        return (sizes,)
    world = structure.world
    fault_model = world.get_fault_model(sizes) if isinstance(sizes, str) else sizes
    usual, swarm = world.sizes.campaign, world.sizes.swarm
    every = (*(usual for _ in swarm), *swarm)
    return tuple(each.limit(fault_model.search_limits) for each in every)


def make_machine_class(name: str, plan: WalkPlan) -> type[ClusterMachine]:
    """The class with a rule for each rule, an invariant for each claim, a bundle for each index."""
    rules = {each.name: each for each in plan.steps.rules.values()}
    members: dict[str, Any] = {"plan": plan}
    bundles = {index: Bundle(index) for r in rules.values() for index in r.indexes}
    for index, bundle in bundles.items():
        members[f"name_{index}"] = make_naming(plan, index, bundle)
    for each in rules.values():
        members[each.name] = make_rule(each.name, {n: bundles[n] for n in each.indexes})
    errors = make_error_classes(plan.claims.predicates)
    for claim, error in errors.items():
        members[f"claim_{claim}"] = make_invariant(plan, claim, error)
    sizes = st.sampled_from(plan.sizes)
    members["begin"] = initialize(parameters=sizes)(ClusterMachine.begin)
    members["stand_still"] = rule()(ClusterMachine.stand_still)
    return type(name, (ClusterMachine,), members)


def make_naming(plan: WalkPlan, index: str, bundle: Any) -> Any:
    """The step that names what an index counts: ``slave_0, slave_1 = state.name_slave()``."""
    numbers = range(plan.structure.index_counts[index])

    def name(self: ClusterMachine) -> Any:
        return multiple(*numbers)

    name.__name__ = f"name_{index}"
    return initialize(target=bundle)(name)  # type: ignore[no-untyped-call, unused-ignore]


def make_rule(name: str, bundles: Mapping[str, Any]) -> Any:
    """A rule of the world as a rule of the machine."""

    def step(self: ClusterMachine, **values: int) -> None:
        inside = ",".join(str(values.pop(index)) for index in bundles)
        self.take(Action(f"{name}[{inside}]" if inside else name, values))

    def is_possible(self: ClusterMachine) -> bool:
        rules, enabled = self.plan.steps.rules, self.walk.enabled
        return any(r is not None and rules[n].name == name for n, r in enabled.items())

    step.__name__, is_possible.__name__ = name, f"is_{name}_possible"
    made: Any = rule(**bundles)(step)  # type: ignore[no-untyped-call, unused-ignore]
    return precondition(is_possible)(made)


def make_invariant(plan: WalkPlan, name: str, error: type[ViolatedClaimError]) -> Any:
    """A claim as an invariant of the machine."""
    compiled, predicate = plan.claims.compiled[name], plan.claims.predicates[name]

    def check(self: ClusterMachine) -> None:
        if compiled.holds(self.walk.state):
            return
        parameters = self.cluster.parameters
        message = ""
        if self.chooser.head_choices is not None and name not in plan.found.by_claim:
            example = plan.tally.examples
            plan.found.add(name, self.walk, compiled.holds, self.make_head(), example)
        if current_build_context().is_final:
            drawn = draw_failure(plan.structure, parameters, (name, predicate), self.schedule)
            message = f"{drawn}\n{keep_schedule(plan.structure, parameters, name, self.schedule)}"
        raise error(message, parameters, self.schedule)

    check.__name__ = name
    return invariant(check_during_init=True)(check)


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
    """Run walks, and count in how many of them each claim was tested.

    Claims that no walk tests get more runs, which begin where stored schedules meet their premises.
    The default settings are the profile's, except deadline, health checks and STEPS. Raises
    ViolatedClaimError, an AssertionError, if a claim is violated: its message has the timeline of
    the shrunk walk and a file for ``rmqspec replay``, its notes are Hypothesis' own steps. Raises
    UnmetPremiseError with the claim's name if it was never tested, unless induction proves that it
    cannot be.
    """
    used = chosen or make_settings()
    walk_and_shrink(machine, used)
    aim_at_untested(machine, used)
    return machine.plan.tally


def make_settings() -> settings:
    """The profile's settings, but no walk counts as too slow, and each has STEPS steps."""
    return settings(
        deadline=None, suppress_health_check=list(HealthCheck), stateful_step_count=STEPS
    )


def run_walks(machine: type[ClusterMachine], chosen: settings) -> None:
    """Let Hypothesis walk, at least half of the steps each time.

    Hypothesis tries every draw's other values once it has seen one. The draw that ends a walk would
    end a third of them at once.
    """
    steps_min = chosen.stateful_step_count // 2
    run_state_machine_as_test(machine, settings=chosen, _min_steps=steps_min)


def walk_and_shrink(machine: type[ClusterMachine], chosen: settings) -> None:
    """Walk; let Hypothesis shrink what violates a claim, from a walk that is short already."""
    plan = machine.plan
    plan.found.by_claim.clear()
    plan.found.first = None
    late = {Phase.shrink, Phase.explain}.intersection(chosen.phases)
    phases = [p for p in chosen.phases if p not in late]
    known = ReadOnlyDatabase(chosen.database) if chosen.database else None
    early = settings(chosen, phases=phases, database=known)
    try:
        run_walks(machine, early)
    except (ViolatedClaimError, BaseExceptionGroup):
        if Phase.shrink not in late or not plan.found.by_claim:
            raise
        if chosen.report_multiple_bugs:
            find_others(machine, early)
        # What the primary key has counts as shrunk before; Hypothesis goes on from the secondary.
        database = chosen.database or InMemoryExampleDatabase()
        again = settings(chosen, derandomize=False, database=database, phases=[Phase.reuse, *late])
        test = get_state_machine_test(machine, settings=again)
        key = function_digest(test.hypothesis.inner_test)  # type: ignore[attr-defined]
        test._hypothesis_internal_database_key = key  # type: ignore[attr-defined]
        for choices in plan.found.by_claim.values():
            database.save(key + SECONDARY, choices_to_bytes(choices))
        test()
        raise


def find_others(machine: type[ClusterMachine], chosen: settings) -> None:
    """Walk on for the claims that no walk has violated so far.

    Without its shrink phase Hypothesis stops at the first one.
    """
    plan = machine.plan
    known = 0
    while known < len(plan.found.by_claim) < len(plan.claims.predicates):
        known = len(plan.found.by_claim)
        predicates = plan.claims.predicates.items()
        left = {name: p for name, p in predicates if name not in plan.found.by_claim}
        others = evolve(plan, claims=CompiledPredicates(plan.structure, left))
        with suppress(ViolatedClaimError, BaseExceptionGroup):
            run_walks(make_machine_class(machine.__name__, others), chosen)


def aim_at_untested(machine: type[ClusterMachine], chosen: settings) -> None:
    """Walk on where the premises of untested claims hold. Raises UnmetPremiseError."""
    plan = machine.plan
    for number in range(AIMED_RUNS_MAX):
        untested = plan.tally.list_missing()
        aimed = [
            schedule
            for name in untested
            for schedule in plan.beginnings.aim(
                dict.fromkeys(plan.sizes), plan.tally.premises[name]
            )
        ]
        if not aimed:
            break
        # A derandomized run takes its seed from the name of the class.
        beginnings = Beginnings(plan.structure, tuple(aimed))
        again = make_machine_class(
            f"{machine.__name__}{number}", evolve(plan, beginnings=beginnings)
        )
        walk_and_shrink(again, chosen)
    plan.tally.check()
