"""The set ``log``: schedules of the replication world, with what each step changes.

The schedules are the evidence for the verdicts of a release: those that refute a guarantee, or
reach a rule, a premise or a witness; each again with a last step that one condition forbids.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import attrs
from attrs import evolve

from properties.schedules.judgement import judge
from properties.vectors import schema
from properties.vectors.question import RELEASES, Ask, Data, ExpectedAnswer, VectorSet
from properties.vectors.schedules import find_forbidden_step, list_scenarios
from properties.vectors.sets import distinguishing, log_boundaries
from properties.vectors.sets.log_boundaries import list_boundary_schedules
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import ClaimedGroup
from reference.decisions.reading.question import QuestionError
from reference.language.leaves import compute_leaf_sorts, flatten, is_parameter
from reference.language.machine import Action, compute_machine
from reference.language.operator_table import Sort
from reference.language.parameters import BaseParameters
from reference.releases.versions import USUAL, parse_version
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.parameters import FaultCounts, Parameters
from reference.worlds.replication.rules import RULES

GROUPS = tuple(
    ClaimedGroup(role=role, flush_disk_type=flush, slaves=slaves)
    for slaves in (0, 1)
    for role in (Role.ASYNC_MASTER, Role.SYNC_MASTER)
    for flush in FlushDiskType
)
"""Groups of 4.4.0: more slaves take over schedules of these."""
BOUNDARY_GROUPS = (
    ClaimedGroup(role=Role.SYNC_MASTER, flush_disk_type=FlushDiskType.SYNC_FLUSH, messages=2),
    ClaimedGroup(role=Role.SYNC_MASTER, flush_disk_type=FlushDiskType.ASYNC_FLUSH, messages=2),
)
"""Groups in which every rule's boundaries are asked."""
LATER_RULES = "versions.md#the-changes"
HIDDEN_GROUP = "faults"
"""Counters that no broker has; nor has it a leaf whose name begins with ``ghost_``."""


def is_visible(path: str) -> bool:
    """A leaf that a broker has too."""
    names = path.split(".")
    return names[0] != HIDDEN_GROUP and not any(name.startswith("ghost_") for name in names)


def make_structure(release: str, ask: Data) -> ClaimedGroup:
    """The group of a question, under the rules of a release. Raises QuestionError."""
    told = ask["group"]
    try:
        plain = ClaimedGroup(
            role=Role[told["brokerRole"]],
            flush_disk_type=FlushDiskType[told["flushDiskType"]],
            slaves=told["slaves"],
            messages=told["messages"],
            lives=told["lives"],
        )
    except (KeyError, TypeError) as problem:
        raise QuestionError(f"group: {problem}") from problem
    return parse_version(release).apply(plain)


def make_parameters(ask: Data) -> Parameters:
    """The sizes and the limits of faults of a question."""
    sizes = dict(ask["sizes"])
    return Parameters(**sizes, limits=FaultCounts(**ask["limits"]))


def answer(release: str, ask: Data) -> ExpectedAnswer:
    """What each step changes, up to the first that is refused."""
    told, cluster = replay(release, ask)
    refused = told["refusedStep"]
    told["violatedGuarantees"] = [] if refused is not None else list(judge(cluster))
    last = get_rule(ask["steps"][-1 if refused is None else refused])
    return ExpectedAnswer(told, last, get_section(last))


def replay(release: str, ask: Data) -> tuple[Data, Any]:
    """The answer without judgement, and the last state. Raises QuestionError."""
    structure = make_structure(release, ask)
    machine = compute_machine(structure)
    cluster: Any = structure.make_initial(make_parameters(ask))
    before = _get_state(cluster)
    told: Data = {"refusedStep": None, "steps": [], "ghosts": [], "failedConditions": []}
    for index, step in enumerate(ask["steps"]):
        if step["rule"] not in machine.instances:
            raise QuestionError(f"{structure.name} has no rule {step['rule']}")
        outcome = machine.step(cluster, Action(step["rule"], step["arguments"]))
        if outcome.is_refused:
            told |= {"refusedStep": index, "failedConditions": list(outcome.failed)}
            break
        cluster = outcome.cluster
        after = _get_state(cluster)
        changes = {path: v for path, v in after.items() if v != before[path]}
        told["steps"].append({path: v for path, v in changes.items() if is_visible(path)})
        told["ghosts"].append({path: v for path, v in changes.items() if not is_visible(path)})
        before = after
    return told, cluster


def get_rule(step: Data) -> str:
    """The rule of a step, without what it is for."""
    return str(step["rule"]).partition("[")[0]


def get_section(rule: str) -> str:
    """Where the book has a rule; those of later releases alone are in the table of changes."""
    return f"{RULES[rule].topic}.md#{rule}" if rule in RULES else LATER_RULES


def list_sections(release: str) -> dict[str, str]:
    """Where the book has each rule of a release."""
    found = [parse_version(release).apply(each) for each in GROUPS]
    return {rule: get_section(rule) for structure in found for rule in structure.rules}


@cache
def _list_all(release: str) -> tuple[Ask, ...]:
    """Schedules of certificates and of mutants, those of 4.4.0 under later rules, boundaries."""
    asks: dict[str, Ask] = {}
    for group in GROUPS:
        for each in _list_certified(parse_version(release).apply(group)):
            asks.setdefault(make_key(each.ask), each)
    if release == USUAL:
        for each in _list_distinguishing():
            asks.setdefault(make_key(each.ask), each)
    else:
        for each in _list_all(USUAL):
            cut = cut_at_refusal(release, each.ask)
            if cut["steps"]:
                asks.setdefault(make_key(cut), Ask(f"{each.name} at {USUAL}", cut))
    for group in BOUNDARY_GROUPS:
        for each in _list_at_boundaries(parse_version(release).apply(group), asks.values()):
            asks.setdefault(make_key(each.ask), each)
    return tuple(asks.values())


def _list_certified(structure: ClaimedGroup) -> Iterator[Ask]:
    for name, parameters, schedule in list_scenarios(structure):
        forbidden = find_forbidden_step(structure, parameters, schedule)
        if schedule:
            yield Ask(name, make_ask(structure, parameters, schedule))
        if forbidden is not None:
            ask = make_ask(structure, parameters, (*schedule, forbidden))
            yield Ask(f"{name}, then forbidden", ask)


def _list_distinguishing() -> Iterator[Ask]:
    """The shortest schedules known in which a rule differs from one of its mutants."""
    for each in distinguishing.load():
        structure = find_structure(each.instance)
        if structure is None:
            continue
        world = structure.world
        parameters = world.make_search_parameters(world.everything)
        ask = make_ask(structure, parameters, each.schedule)
        if cut_at_refusal(USUAL, ask) == ask:
            yield Ask(f"{each.rule}, {each.kind}", ask)


def find_structure(instance: str) -> ClaimedGroup | None:
    """The group of an instance that was searched; None: it has none of the usual shape."""
    name, _, more = instance.partition(", ")
    structure = STRUCTURES.get(name)
    if not isinstance(structure, ClaimedGroup) or structure.variants:
        return None
    return evolve(structure, messages=2) if more.startswith("2 messages") else structure


def _list_at_boundaries(structure: ClaimedGroup, known: Iterable[Ask]) -> Iterator[Ask]:
    """With every fault allowed; the known schedules that begin are those of any group."""
    world = structure.world
    parameters = world.make_search_parameters(world.everything)
    schedules = dict.fromkeys(
        tuple((step["rule"], tuple(step["arguments"].items())) for step in each.ask["steps"])
        for each in known
    )
    actions = [
        tuple(Action(rule, dict(arguments)) for rule, arguments in schedule)
        for schedule in schedules
        if all(rule in compute_machine(structure).instances for rule, _ in schedule)
    ]
    for name, schedule in list_boundary_schedules(structure, parameters, actions):
        yield Ask(name, make_ask(structure, parameters, schedule))


def cut_at_refusal(release: str, ask: Data) -> Data:
    """The schedule up to the first step that the release refuses, or has no rule for."""
    structure = make_structure(release, ask)
    machine = compute_machine(structure)
    cluster = structure.make_initial(make_parameters(ask))
    for index, step in enumerate(ask["steps"]):
        if step["rule"] not in machine.instances:
            return {**ask, "steps": ask["steps"][:index]}
        outcome = machine.step(cluster, Action(step["rule"], step["arguments"]))
        if outcome.is_refused:
            return {**ask, "steps": ask["steps"][: index + 1]}
        cluster = outcome.cluster
    return ask


def list_asks(release: str) -> Iterator[Ask]:
    """The schedules of a release; one that serves several ends comes once."""
    yield from _list_all(release)


def make_key(ask: Data) -> str:
    """Equal for questions that differ in limits alone."""
    return json.dumps([ask["group"], ask["sizes"], ask["steps"]], sort_keys=True)


def make_ask(
    structure: ClaimedGroup, parameters: BaseParameters, schedule: tuple[Action, ...]
) -> Data:
    """A schedule as a question."""
    sizes = attrs.asdict(parameters)
    limits = sizes.pop("limits")
    return {
        "group": {
            "brokerRole": structure.role.name,
            "flushDiskType": structure.flush_disk_type.name,
            "slaves": structure.slaves,
            "messages": structure.messages,
            "lives": structure.lives,
        },
        "sizes": sizes,
        "limits": {name: count for name, count in limits.items() if count},
        "steps": [{"rule": a.instance, "arguments": dict(a.arguments)} for a in schedule],
    }


def list_leaves() -> Mapping[str, Sort]:
    """The visible leaves of a group with one slave, and their sorts."""
    found = compute_leaf_sorts(ClaimedGroup())
    return {p: sort for p, sort in found.items() if not is_parameter(p) and is_visible(p)}


def _get_state(cluster: Any) -> Data:
    return {path: v for path, v in flatten(cluster).items() if not is_parameter(path)}


def make_ask_schema() -> Data:
    """The schema of a question."""
    group = {
        "brokerRole": schema.make_choice("ASYNC_MASTER", "SYNC_MASTER"),
        "flushDiskType": schema.make_choice(*FlushDiskType.__members__),
        **dict.fromkeys(("slaves", "messages", "lives"), schema.COUNT),
    }
    sizes = [field.name for field in attrs.fields(Parameters) if field.name != "limits"]
    step = {"rule": schema.TEXT, "arguments": schema.make_table(schema.LEAF)}
    return schema.make_object(
        {
            "group": schema.make_object(group),
            "sizes": schema.make_object(dict.fromkeys(sizes, schema.COUNT)),
            "limits": schema.describe(schema.make_table(schema.COUNT), "Faults that may happen."),
            "steps": schema.make_list(schema.make_object(step)),
        }
    )


def make_answer_schema() -> Data:
    """The schema of an answer: for each step the leaves that it has changed."""
    changes = schema.make_list(schema.make_table(schema.LEAF))
    names = schema.make_list(schema.TEXT)
    return schema.make_object(
        {"refusedStep": schema.OPTIONAL_INTEGER, "steps": changes},
        optional={"ghosts": changes, "failedConditions": names, "violatedGuarantees": names},
    )


LOG = VectorSet(
    "log",
    "A schedule of puts, frames, reports, flushes, stops and faults: what each step changes in the "
    "brokers, and which step is refused.",
    list_asks,
    answer,
    make_ask_schema(),
    make_answer_schema(),
    {release: release for release in RELEASES},
    log_boundaries.SEED,
)
