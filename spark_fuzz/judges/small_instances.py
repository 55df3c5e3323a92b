"""Small instances of every world, all of whose states can be listed up to some depth."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from attrs import evolve, field, frozen

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import follow
from properties.verdicts.certificates import decode_cells, load
from properties.worlds.catalogue import WORLD_BY_TOPIC
from properties.worlds.judged_instances import TINY
from properties.worlds.replication.world import ClaimedGroup
from properties.z3.vacuity import load_witnesses
from reference.language.machine import Action
from reference.language.parameters import BaseParameters
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.parameters import SMALL_PARAMETERS, Parameters
from reference.worlds.replication.put import TRANSFER_WAKE_UPS_MAX
from spark_fuzz.search.state_graph import StateGraph, collect_graph

ROOMY: Parameters = evolve(TINY, mapped_file_size_bytes=4, ghost_log_size_max_bytes=8)
"""Messages of one byte, and room for several in a file."""

PAIR = ClaimedGroup(Role.SYNC_MASTER, FlushDiskType.ASYNC_FLUSH, slaves=1)
FLUSHING_PAIR = evolve(PAIR, flush_disk_type=FlushDiskType.SYNC_FLUSH)

STATES_MAX = 12_000
"""The size at which the graph of an instance stops: the depth that reaches it is its last."""

STATES_MORE = 60_000
"""The size for mutants that no other judge kills."""

STATES_NEAR = 5_000
"""The size around the place where one rule may fire."""

STATES_LIVING = 30_000
"""The size in a later log epoch of the master."""

STATES_BEHIND = 1_000
"""The size after a refuting schedule."""

GRAPHS_KEPT = 400
"""The number of graphs kept in memory, most of them small."""

MAY_FIRE = " may fire"
"""The suffix of the name of a place where a rule may fire."""


@frozen
class ListedInstance:
    """One structure under one fault model, whose states are listed from a first state on."""

    structure: ClaimedStructure
    fault_model: FaultModel = field(repr=False)
    sizes: BaseParameters = field(repr=False)
    fault_max: int = 1
    start: tuple[Action, ...] = field(default=(), repr=False, eq=False)
    """The steps from the initial state to the first state of the graph."""
    start_name: str = ""
    """The situation there: ``stop_master may fire``."""

    def is_without(self, rule: str) -> bool:
        """The path to the first state does not use the rule, so a mistake in it changes nothing."""
        return all(action.rule_name != rule for action in self.start)

    @property
    def name(self) -> str:
        """For example ``SYNC_MASTER/ASYNC_FLUSH/1 slave, link cut``."""
        more = ""
        if self.structure.messages > 1:
            more += f", {self.structure.messages} messages"
        if self.start_name:
            more += f", from where {self.start_name}" if self.start else f", {self.start_name}"
        return f"{self.structure.name}{more}, {self.fault_model.name}"

    def make_begin(self) -> Any:
        """The first state of the graph."""
        limits = dict.fromkeys(self.fault_model.admitted, self.fault_max)
        parameters = self.sizes.limit(self.fault_model.counts(**limits))
        *_, (_, begin) = follow(self.structure, parameters, self.start)
        return begin


@lru_cache(maxsize=GRAPHS_KEPT)
def get_graph(instance: ListedInstance, states_max: int) -> StateGraph:
    """The graph of an instance, collected once."""
    return collect_graph(instance.make_begin(), states_max)


def list_small_instances(world: str) -> tuple[ListedInstance, ...]:
    """The instances of a world that begin with the initial state."""
    if world == "replication":
        return _list_replication()
    return tuple(
        ListedInstance(s, fault_model, s.world.sizes.search)
        for s in WORLD_BY_TOPIC[world].mutated_structures
        for fault_model in (s.world.get_fault_model("none"), s.world.every_fault)
    )


def _list_replication() -> tuple[ListedInstance, ...]:
    pair, alone = PAIR, evolve(FLUSHING_PAIR, slaves=0)
    asked = [
        (pair, "none"),
        (pair, "link cut"),
        (pair, "slave wiped"),
        (pair, "master kill in a roll"),
        (pair, "disk errors and power losses"),
        (pair, "every fault"),
        (FLUSHING_PAIR, "none"),
        (alone, "none"),
        (alone, "every fault"),
        (evolve(pair, slaves=2), "none"),
        (evolve(pair, messages=2), "none"),
        (evolve(alone, messages=2), "none"),
    ]
    return tuple(ListedInstance(s, s.world.get_fault_model(fault), TINY) for s, fault in asked)


def list_instances_near(world: str, rule: str) -> tuple[ListedInstance, ...]:
    """Instances that begin after a stored witness, in a state in which the rule may fire.

    A shortest witness does not use the rule before, so a mistake in it changes nothing on the path.
    """
    structures = (
        WORLD_BY_TOPIC[world].mutated_structures
        if world != "replication"
        else (PAIR, FLUSHING_PAIR)
    )
    having = [s for s in structures if rule in s.rules]
    if world == "replication":
        having = [s for s in having if _list_near(s, rule)][:1]
    return tuple(instance for structure in having for instance in _list_near(structure, rule))


@cache
def _list_near(structure: ClaimedStructure, rule: str) -> tuple[ListedInstance, ...]:
    everything = structure.world.everything
    sizes = structure.world.make_search_parameters(everything)
    found = []
    for answer in load_witnesses(structure):
        name = answer.question.removeprefix("rule ")
        if name.partition("[")[0] != rule or not answer.schedule:
            continue
        start = name + MAY_FIRE
        found.append(ListedInstance(structure, everything, sizes, 2, answer.schedule, start))
    return tuple(i for i in found if i.is_without(rule))


def list_instances(world: str, rule: str) -> tuple[ListedInstance, ...]:
    """The instances in which every mutant of a rule is compared with it."""
    return (*list_small_instances(world), *list_instances_near(world, rule))


def list_further_instances(world: str, rule: str) -> Iterator[ListedInstance]:
    """More instances, for mutants that the first do not kill: other fault models and beginnings.

    They begin at the ends of stored schedules that do not use the rule.
    """
    known = list_small_instances(world)
    structures = [s for s in dict.fromkeys(i.structure for i in known) if rule in s.rules]
    for structure in structures:
        sizes = TINY if world == "replication" else structure.world.sizes.search
        listed = (ListedInstance(structure, c, sizes) for c in structure.world.fault_models)
        yield from (instance for instance in listed if instance not in known)
        if isinstance(structure, ClaimedGroup):
            roomy = structure.world.get_fault_model("none")
            yield ListedInstance(structure, roomy, ROOMY, start_name="files of four bytes")
    for structure in structures:
        yield from (i for i in _list_behind(structure) if i.is_without(rule))
        if isinstance(structure, ClaimedGroup):
            yield from (i for i in list_later_lives(structure) if i.is_without(rule))


@cache
def _list_behind(structure: ClaimedStructure) -> tuple[ListedInstance, ...]:
    """Instances that begin at the end of a refuting schedule, each beginning once."""
    document = load(structure)
    cells = decode_cells(structure, document) if document else ()
    everything = structure.world.everything
    sizes = structure.world.make_search_parameters(everything)
    found: dict[str, ListedInstance] = {}
    for cell in cells:
        if cell.schedule:
            name = f"{cell.guarantee} fails, {cell.fault}"
            begin = ListedInstance(structure, everything, sizes, 2, cell.schedule, name)
            found.setdefault("; ".join(map(str, cell.schedule)), begin)
    return tuple(found.values())


LOST = (Action("lose_master_power", {"kept_offset": 0}), Action("restart_master"))
ATTACHED = tuple(
    Action(f"{rule}[0]", {})
    for rule in ("connect_slave", "report_offset", "receive_report", "position_transfer")
)
TORN = (
    Action("append_message[0]", {"size_bytes": 3, "waits_for_store": 1}),
    Action("transfer_batch[0]", {"size_bytes": 1}),
    Action("append_to_slave[0]", {"size_bytes": 1}),
)
KEPT = (Action("append_other_message", {"size_bytes": 1}), Action("flush_master"))
LOST_BUT_ONE = (Action("lose_master_power", {"kept_offset": 1}), Action("restart_master"))
MIXED = (
    *(Action(f"{rule}[0]", {"size_bytes": 1}) for rule in ("transfer_batch", "append_to_slave")),
    Action("append_message[0]", {"size_bytes": 2, "waits_for_store": 1}),
    *(Action(f"{rule}[0]", {"size_bytes": 1}) for rule in ("transfer_batch", "append_to_slave")),
)
ROLLED = (
    Action("append_message[0]", {"size_bytes": 3, "waits_for_store": 1}),
    Action("fill_file"),
    Action("append_other_message", {"size_bytes": 1}),
)
COPIES = ("transfer_batch", "append_to_slave")
COPIED = tuple(Action(f"{rule}[0]", {"size_bytes": size}) for size in (4, 1) for rule in COPIES)
FLUSHED = (Action("flush_slave[0]"),) * 2


@cache
def list_later_lives(structure: ClaimedGroup) -> tuple[ListedInstance, ...]:
    """Instances that begin in each log epoch (``life``): empty, attached, rolled, copied.

    Messages have up to three bytes, so that a slave may hold a part of one.
    """
    found: list[ListedInstance] = []
    for losses in range(structure.lives):
        stages = [("has begun", LOST * losses)]
        if structure.slaves:
            stages.append(("has an attached slave", (*stages[-1][1], *ATTACHED)))
            found.append(_begin_at(structure, losses, "is copied in part", stages[-1][1] + TORN))
        stages.append(("has a second file", (*stages[-1][1], *ROLLED)))
        if structure.slaves:
            stages.append(("is copied", (*stages[-1][1], *COPIED)))
            stages.append(("is copied and flushed", (*stages[-1][1], *FLUSHED)))
        if losses:
            before = LOST * (losses - 1)
            stages.append(("has lost the message", (*before, TORN[0], *LOST)))
            if structure.slaves:
                ahead = (*before, *ATTACHED, *TORN, *LOST)
                stages.append(("has lost what a slave has in part", ahead))
        if losses and structure.slaves:
            kept = (*KEPT, *LOST_BUT_ONE * losses)
            stages.append(("goes on behind older bytes", (*kept, *ATTACHED, *MIXED)))
        for stage, start in stages:
            found.append(_begin_at(structure, losses, stage, start))
    if structure.slaves:
        waiting = (*ATTACHED, *put(0), *(Action("wait_one_second[0]"),) * TRANSFER_WAKE_UPS_MAX)
        copied = (Action(f"{rule}[0]", {"size_bytes": 1}) for rule in COPIES)
        found.append(_begin_at(structure, 0, "has a put without wake-ups", (*waiting, *copied)))
    if structure.slaves and structure.messages > 1:
        ready = (*ATTACHED, *put(0)[:-1], *put(1)[:-1])
        found.append(_begin_at(structure, 0, "has two puts that will wait", ready))
        two = (*ATTACHED, *put(0), *put(1))
        found.append(_begin_at(structure, 0, "has two waiting puts", two))
    return tuple(found)


def put(message: int) -> tuple[Action, ...]:
    """A message of one byte that is appended, flushed, and waits for a slave."""
    appended = Action(f"append_message[{message}]", {"size_bytes": 1, "waits_for_store": 1})
    rules = ("answer_disk_wait", "request_slave_wait")
    flushed = Action("flush_master")
    return (appended, flushed, *(Action(f"{rule}[{message}]") for rule in rules))


def _begin_at(
    structure: ClaimedGroup, losses: int, stage: str, start: tuple[Action, ...]
) -> ListedInstance:
    fault_model = structure.world.get_fault_model("master power loss")
    name = f"life {losses} {stage}"
    return ListedInstance(structure, fault_model, SMALL_PARAMETERS, losses, start, name)


def get_budget(instance: ListedInstance) -> int:
    """The number of states that suffice."""
    if instance.start_name.startswith("life"):
        return STATES_LIVING
    if not instance.start:
        return STATES_MAX
    return STATES_NEAR if instance.start_name.endswith(MAY_FIRE) else STATES_BEHIND
