"""Procedures after a fault, tried out in the reference: the advised one, and mistakes.

A procedure begins with a failure. Then either the advised acts follow or those of a mistake. After
them the group runs without faults until it is at rest, one more message is put, and it comes to
rest again. Every state from the acts on is judged.

The machine has an administrator's manual steps beside those of brokers. No verdict of the tables
admits such steps; a proof shows that copying the master's store preserves everything that the
verdicts depend on.

A group is *as good as new* if every lemma of the proofs holds once its past is forgotten: all that
was proved of a group with empty logs is then true of it from there on.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from attrs import evolve, fields, frozen

from properties.generated_text import compute_anchor
from properties.language.property import Predicate
from properties.language.world import ClaimedStructure
from properties.scenarios.known_issues.scenario import as_actions
from properties.schedules.judgement import ScheduleError
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.convergence import (
    CONNECTION_STEPS,
    FLUSH_STEPS,
    PUT_STEPS,
    REPLICATION_STEPS,
    get_added_steps,
    leave_out_unawaited,
)
from properties.worlds.replication.guarantees import is_on_some_slave, slave_is_prefix_of_master
from properties.worlds.replication.world import REPLICATION, ClaimedGroup
from reference.language.machine import Action, Instance, Machine, probe
from reference.language.operators import choose
from reference.worlds.replication.lineage import has_message
from reference.worlds.replication.parameters import FaultCounts
from reference.worlds.replication.state import NOT_SENT, Cluster, CommitLog, Message


class OperatedMachine(Machine):
    """The rules of a structure, and manual steps."""

    def __init__(self, structure: ClaimedStructure) -> None:
        super().__init__(structure)
        sizes = structure.index_counts
        for each in structure.world.manual_rules.values():
            numbers = [(n,) for n in range(sizes[each.indexes[0]])] if each.indexes else [()]
            for instance in (Instance(each, number) for number in numbers):
                self.instances[instance.name] = instance


@cache
def compute_operated_machine(structure: ClaimedStructure) -> OperatedMachine:
    """The machine of a structure with manual steps, made once."""
    return OperatedMachine(structure)


PROCEDURES_FILE = Path(__file__).parent / "procedures.toml"

GUIDE = "operators.md"
OUTAGE_PAGE = "after_the_master_is_gone.md"
"""The texts of the book with recipes: for every failure, and for a master that is gone."""

OUTAGE_RECIPES = (
    "a-slave-is-made-the-master-by-hand",
    "the-master-comes-back-after-a-power-loss",
    "the-masters-disk-is-lost",
    "a-master-returns-after-an-outage",
)
"""The recipes of procedures that the latter has, as links name them."""


def find_page(recipe: str) -> str:
    """The text that has a recipe, which is given by its heading or as links name it."""
    return OUTAGE_PAGE if compute_anchor(recipe) in OUTAGE_RECIPES else GUIDE


def link_recipe(recipe: str, page: str = "") -> str:
    """The address of a recipe in the book; in a text that has the recipe, the heading alone."""
    own = find_page(recipe)
    return f"{'' if own == page else own}#{compute_anchor(recipe)}"


HURRIED = ("give_up_disk_wait", "time_out_disk_wait", "give_up_slave_wait", "time_out_slave_wait")
"""Steps that end a put by time-out; a group without faults never needs them."""

ANSWERS = tuple(name for name in PUT_STEPS if name not in (*HURRIED, "wait_one_second"))
"""Steps that lead a put to its answer."""

PEACE = (*CONNECTION_STEPS, *REPLICATION_STEPS, *FLUSH_STEPS)
"""The other steps that a group takes by itself once faults stop."""

ORDERS = ((*PEACE, *ANSWERS), (*ANSWERS, *PEACE))
"""Orders of urgency: brokers that are faster than the answer, and slower ones."""


STEPS_MAX = 200
"""More steps than a group of a few bytes needs to come to rest."""


class RestlessError(ScheduleError):
    """A group takes steps without end, as where a slave is refused and connects again."""

    def __init__(self) -> None:
        super().__init__(f"the group does not come to rest within {STEPS_MAX} steps")


REPLACED = {
    "copy_store_to_slave": "slave",
    "wipe_slave": "slave",
    "copy_store_to_master": "master",
}
"""Acts that replace or empty the store of a broker."""

STORE_CHECK = "store MASTER SLAVE"
"""The verb that names each record which one store alone has."""


@frozen(eq=False)
class Course:
    """A course of action after the fault."""

    title: str
    acts: tuple[Action, ...]

    @property
    def replaced(self) -> str:
        """The broker whose store is replaced or emptied: ``master`` or ``slave``; empty for none.

        No state of the model is a damaged store on disk: what the store holds alone, ``store``
        tells.
        """
        return next((REPLACED[a.rule_name] for a in self.acts if a.rule_name in REPLACED), "")


@frozen(eq=False)
class Procedure:
    """A fault, the advised course after it, and mistakes."""

    name: str
    recipe: str
    """The heading of its recipe on the page."""
    structure_name: str
    fault: str
    """The fault model that admits the failure."""
    claim: str
    """The claim at stake."""
    harm: tuple[Action, ...]
    """The steps of the failure, by the environment and the brokers."""
    advice: Course
    mistakes: tuple[Course, ...]

    @property
    def structure(self) -> ClaimedStructure:
        """The group, with one more followed message, which is put after the acts."""
        structure = STRUCTURES[self.structure_name]
        return evolve(structure, messages=2) if isinstance(structure, ClaimedGroup) else structure


@frozen(eq=False)
class Trial:
    """The outcome of a course of action."""

    rested: tuple[Any, ...]
    """The states in which the group rests, one for each choice that the acts leave open."""
    ends: tuple[tuple[Any, ...], ...]
    """The states that follow when one more message is put, in either order of urgency."""
    claim: Predicate
    is_restless: bool = False
    """The group takes steps without end, so it never comes to what the claim says."""

    @property
    def is_claim_kept(self) -> bool:
        """The claim holds at rest, and in every state after that."""
        return not self.is_restless and all(
            self.claim(state) for states in self.ends for state in states
        )

    @property
    def is_as_good_as_new(self) -> bool:
        """Whatever was proved of a new group is true of this one from now on."""
        ends = (*self.rested, *(e[-1] for e in self.ends))
        return not self.is_restless and all(map(is_as_good_as_new, ends))


@cache
def fit(procedure: Procedure, structure_name: str) -> Procedure:
    """The procedure in another group, the steps of its failure in the order of that release.

    From 4.7.0 on a put waits for a slave right after its append, before its disk step (V-10).
    """
    fitting = evolve(procedure, structure_name=structure_name)
    swapped = evolve(fitting, harm=tuple(put_disk_step_last(procedure.harm)))
    return swapped if not is_possible(fitting) and is_possible(swapped) else fitting


SLAVE_FIRST = ("request_slave_wait", "answer_slave_wait", "answer_disk_wait")
"""How a put is answered from 4.7.0 on."""


def put_disk_step_last(harm: Sequence[Action]) -> Iterator[Action]:
    """The steps, those that answer a put in their later order."""
    left = list(harm)
    while left:
        answers = {each.rule_name: each for each in left[: len(SLAVE_FIRST)]}
        is_answer = answers.keys() == set(SLAVE_FIRST)
        yield from [answers[name] for name in SLAVE_FIRST] if is_answer else left[:1]
        del left[: len(SLAVE_FIRST) if is_answer else 1]


def is_possible(procedure: Procedure) -> bool:
    """The failure can happen in its group."""
    try:
        take_all(make_start(procedure.structure), procedure.harm)
    except (ScheduleError, KeyError):
        return False
    return True


@cache
def load_procedures() -> tuple[Procedure, ...]:
    """Every procedure, in the order of the page."""
    entries: list[dict[str, Any]] = tomllib.loads(PROCEDURES_FILE.read_text())["procedure"]
    return tuple(map(_decode, entries))


def _decode(entry: dict[str, Any]) -> Procedure:
    return Procedure(
        structure_name=entry.pop("structure"),
        harm=as_actions(entry.pop("harm")),
        advice=_decode_course(entry.pop("advice")),
        mistakes=tuple(map(_decode_course, entry.pop("mistakes"))),
        **entry,
    )


def _decode_course(entry: dict[str, Any]) -> Course:
    return Course(entry["title"], as_actions(entry["acts"]))


def take(state: Any, action: Action) -> Any:
    """The state after a step. Raises ScheduleError for one that is refused."""
    outcome = compute_operated_machine(state.structure).step(state, action)
    if outcome.is_refused:
        raise ScheduleError(f"{action} is refused: {', '.join(outcome.failed)} does not hold")
    return outcome.cluster


def take_all(state: Any, actions: Iterable[Action]) -> list[Any]:
    """The states after all of these steps: one for each choice that an act leaves open.

    Raises ScheduleError.
    """
    states = [state]
    for action in actions:
        states = [take(s, each) for s in states for each in list_choices(s, action)]
    return states


def list_choices(state: Any, action: Action) -> list[Action]:
    """The step itself if its arguments are given, else one for each of their values."""
    instance = compute_operated_machine(state.structure).instances[action.instance]
    failed, ranges = probe(instance, state)
    if failed or action.arguments:
        return [action]
    values = itertools.product(*(range(r.low, r.high + 1) for r in ranges))
    names = [r.name for r in ranges]
    return [Action(action.instance, dict(zip(names, v, strict=True))) for v in values]


def settle(state: Any, order: Sequence[str] = ORDERS[0]) -> Iterator[Any]:
    """Every state of a group without faults, until it rests; empty in other worlds.

    Raises RestlessError for one that does not come to rest.
    """
    order = (*order, *list_added_healing(state.structure))
    if isinstance(state, Cluster):
        order = leave_out_unawaited(state.structure, order)
    for _ in range(STEPS_MAX):
        if not isinstance(state, Cluster) or (action := find_next_step(state, order)) is None:
            return
        state = take(state, action)
        yield state
    raise RestlessError


def list_added_healing(structure: ClaimedStructure) -> tuple[str, ...]:
    """The healing steps that variants add; no broker is started by them, and none elected."""
    if not isinstance(structure, ClaimedGroup):
        return ()
    rules = structure.rules
    added = [name for name in get_added_steps(structure) if rules[name].who != "controller"]
    return tuple(name for name in added if rules[name].heals not in ("", "recovery"))


def find_next_step(cluster: Cluster, order: Sequence[str]) -> Action | None:
    """The most urgent step that a group takes by itself, as large as possible; None at rest."""
    enabled = compute_operated_machine(cluster.structure).enabled(cluster)
    for name in order:
        for each in enabled:
            if each.instance.rule.name == name:
                return Action(each.instance.name, {r.name: r.high for r in each.ranges})
    return None


def make_put(cluster: Cluster) -> Action:
    """The next followed message is put, by a producer that waits."""
    number = next(i for i, m in enumerate(cluster.messages) if m.phase == NOT_SENT)
    return Action(f"append_message[{number}]", {"size_bytes": 1, "waits_for_store": 1})


@cache
def try_out(procedure: Procedure, course: Course) -> Trial:
    """The outcome of these acts. Raises ScheduleError for one that is impossible."""
    structure = procedure.structure
    claim = structure.world.claims[procedure.claim].predicate
    (harmed,) = take_all(make_start(structure), procedure.harm)
    try:
        rested = tuple(rest(treated) for treated in take_all(harmed, course.acts))
        ends = tuple(tuple(put_and_settle(s, order)) for s in rested for order in ORDERS)
    except RestlessError:
        return Trial((), (), claim, is_restless=True)
    return Trial(rested, ends, claim)


def make_start(structure: ClaimedStructure) -> Any:
    """The initial state in the sizes of searches, in which anything may happen."""
    limits = structure.world.everything.search_limits
    return structure.make_initial(structure.world.sizes.search.limit(limits))


def rest(state: Any) -> Any:
    """The state in which a group rests once faults stop."""
    *_, rested = (state, *settle(state))
    return rested


def put_and_settle(state: Any, order: Sequence[str]) -> Iterator[Any]:
    """Every state of a resting group after one message is put; itself in other worlds."""
    yield state
    if isinstance(state, Cluster):
        state = take(state, make_put(state))
        yield state
        yield from settle(state, order)


def forget_past(cluster: Cluster) -> Cluster:
    """The group without its past: no fault has happened, one log epoch has written all bytes.

    Its future is the same if no slave holds a byte that its master does not have. A message that
    the master does not have is no longer owed; one that it has is, even if another broker once
    deleted it.
    """
    master = cluster.master
    return evolve(
        cluster,
        master=evolve(master, log=merge_epochs(master.log), ghost_life=0),
        slaves=tuple(evolve(s, log=merge_epochs(s.log)) for s in cluster.slaves),
        messages=tuple(follow_anew(cluster, message) for message in cluster.messages),
        faults=FaultCounts(),
    )


def merge_epochs(log: CommitLog) -> CommitLog:
    """The log as if one epoch had written it; of damage only what it still holds."""
    begins = {name: getattr(log, f"ghost_{name}_start_offset") for name in ("foreign", "torn")}
    ends = {name: getattr(log, f"ghost_{name}_end_offset") for name in begins}
    is_left = {n: (begins[n] < ends[n]) & (log.start_offset < ends[n]) for n in begins}
    bounds = {
        f"ghost_{name}_{side}_offset": choose(is_left[name], bound, 0)
        for name in begins
        for side, bound in (("start", begins[name]), ("end", ends[name]))
    }
    return evolve(log, ends=(log.max_offset,) * len(log.ends), **bounds)


def follow_anew(cluster: Cluster, message: Message) -> Message:
    """A message as if it was put just now, or one that was never put if the master lacks it."""
    is_there = has_message(cluster.master.log, message)
    kept = evolve(
        message,
        ghost_life=0,
        ghost_is_received=message.ghost_is_received | is_on_some_slave(cluster, message),
        ghost_is_expired=False,
        ghost_is_deleted_early=False,
    )
    none = Message()
    names = (each.name for each in fields(Message))
    return Message(**{n: choose(is_there, getattr(kept, n), getattr(none, n)) for n in names})


def find_missing_lemmas(cluster: Cluster) -> tuple[str, ...]:
    """The lemmas that do not hold for this group once its past is forgotten."""
    if not slave_is_prefix_of_master(cluster):
        return ("slave_is_prefix_of_master",)
    forgotten = forget_past(cluster)
    lemmas = REPLICATION.get_lemmas(cluster.structure)
    return tuple(name for name, each in lemmas.items() if not each.predicate(forgotten))


def is_as_good_as_new(cluster: Cluster) -> bool:
    """Whatever was proved of a group without a past is true of this one from now on."""
    return not find_missing_lemmas(cluster)
