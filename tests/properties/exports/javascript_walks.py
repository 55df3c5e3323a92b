"""Random walks on which the reference and the JavaScript reading are compared after each step.

Both keep a state of their own and take the same actions. Each says by itself which instances are
enabled, with which ranges, what refuses the others, which claims do not hold, and what the next
state is.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from attrs import evolve, frozen

from properties.exports.javascript import (
    ENGINE_FILE,
    StructureSource,
    encode_leaf,
    write_structures,
)
from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.verdicts.certificates import load_schedules
from properties.worlds.catalogue import STRUCTURES
from reference.language.leaves import flatten
from reference.language.machine import Action, compute_machine, probe

try:
    from quickjs import Context

    MISSING = ""
except ImportError:
    MISSING = "no JavaScript engine: quickjs-ng, a package of the extra `test`, is not installed"

BRIDGE = """
let machine, state;
const encode = (value) => JSON.stringify(value, (_, v) => (typeof v === "bigint" ? `${v}` : v));
function load(place) { machine = new Machine(STRUCTURES[place], LINES); }
function begin(size, column) { state = machine.begin(machine.parametersOf(size, column)); }
function tell() { return encode({ ...machine.look(state), state }); }
function take(name, chosen) {
  const outcome = machine.step(state, name, JSON.parse(chosen));
  state = outcome.state;
  return encode(outcome.failed);
}
"""
"""What the tests call: the engine with a state that it keeps."""


class DisagreementError(AssertionError):
    """Both readings say something else of a state."""


@frozen
class Combination:
    """A structure and its sizes; what may strike, each walk chooses."""

    structure: ClaimedStructure
    size: str
    """``small`` or ``usual``."""

    @property
    def name(self) -> str:
        """For messages and test names."""
        return f"{self.structure.name}, {self.size}"

    def make_initial(self, column: FaultModel) -> Any:
        """The reference's first state."""
        small = self.structure.world.sizes.search
        sizes = small if self.size == "small" else self.structure.usual_parameters
        return self.structure.make_initial(evolve(sizes, limits=column.search_limits))


class Peer:
    """The JavaScript reading, in an engine of its own."""

    def __init__(self, source: StructureSource) -> None:
        self.context = Context()
        self.context.eval(ENGINE_FILE.read_text(encoding="utf-8") + BRIDGE)
        self.context.eval(
            write_structures([StructureSource(find_neighbour(source.structure)), source])
        )
        self.context.get("load")(1)
        self._tell, self._take = self.context.get("tell"), self.context.get("take")

    def begin(self, combination: Combination, column: FaultModel) -> None:
        """The first state."""
        self.context.get("begin")(combination.size, column.name)

    def tell(self) -> Any:
        """All that it says of its state."""
        return json.loads(self._tell())

    def take(self, action: Action) -> list[str]:
        """Let it take a step; what refuses that."""
        chosen = {name: str(value) for name, value in action.arguments.items()}
        failed: list[str] = json.loads(self._take(action.instance, json.dumps(chosen)))
        return failed


def find_neighbour(structure: ClaimedStructure) -> Any:
    """Another structure of its kind: what is compared shares its text, as on the page."""
    alike = (s for s in STRUCTURES.values() if type(s) is type(structure))
    return next(each for each in alike if each != structure)


def tell_reference(source: StructureSource, cluster: Any) -> Any:
    """What the reference says of a state, in the same form."""
    steps = []
    for name, instance in compute_machine(source.structure).instances.items():
        failed, ranges = probe(instance, cluster)
        ends = [{"name": r.name, "low": str(r.low), "high": str(r.high)} for r in ranges]
        steps.append({"name": name, "ranges": ends, "failed": failed})
    return {
        "steps": steps,
        "fallen": [name for name, holds in source.predicates.items() if not holds(cluster)],
        "state": [encode_leaf(value) for value in flatten(cluster).values()],
    }


def compare(source: StructureSource, peer: Peer, cluster: Any, way: list[Action]) -> Any:
    """What both say of a state. Raises DisagreementError where that is not the same."""
    said, expected = peer.tell(), tell_reference(source, cluster)
    if said != expected:
        differences = "\n".join(list_differences(source, said, expected))
        told = ", ".join(map(str, way))
        raise DisagreementError(f"{source.structure.name} after [{told}]:\n{differences}")
    return expected


def list_differences(source: StructureSource, said: Any, expected: Any) -> Iterator[str]:
    """A line for each place in which the two differ."""
    for one, other in zip(said["steps"], expected["steps"], strict=True):
        if one != other:
            yield f"  JavaScript {one}, reference {other}"
    if said["fallen"] != expected["fallen"]:
        yield f"  fallen: JavaScript {said['fallen']}, reference {expected['fallen']}"
    for path, one, other in zip(source.paths, said["state"], expected["state"], strict=True):
        if one != other:
            yield f"  {path}: JavaScript {one}, reference {other}"


UNIFORM_SHARE = 0.2
"""How often a step is chosen without regard to the rules' weights, so that faults come often."""


def choose_action(dice: random.Random, source: StructureSource, told: Any) -> Action:
    """An enabled step; each argument at an end of its range, near its low end, or anywhere."""
    instances = compute_machine(source.structure).instances
    steps = [step for step in told["steps"] if not step["failed"]]
    is_uniform = dice.random() < UNIFORM_SHARE
    weights = [1 if is_uniform else instances[step["name"]].rule.weight for step in steps]
    (step,) = dice.choices(steps, weights)
    chosen = {}
    for each in step["ranges"]:
        low, high = int(each["low"]), int(each["high"])
        near = min(high, low + 3)
        chosen[each["name"]] = dice.choice((low, high, near, dice.randint(low, high)))
    return Action(step["name"], chosen)


def choose_plan(dice: random.Random, structure: ClaimedStructure) -> list[Action]:
    """How a walk begins: every other one with a part of a stored counterexample.

    Random steps rarely find what is behind these.
    """
    stored = load_schedules(structure)
    if not stored or dice.random() < 0.5:
        return []
    schedule = dice.choice(stored)
    return list(schedule[: dice.randint(1, len(schedule))])


def choose_column(dice: random.Random, structure: ClaimedStructure) -> FaultModel:
    """Everything in every other walk, else one of the columns."""
    world = structure.world
    return dice.choice((*world.fault_models, *[world.everything] * len(world.fault_models)))


def make_forbidden(dice: random.Random, told: Any) -> Action | None:
    """A step that is refused: one that is not enabled, or an argument beyond its range."""
    step = dice.choice(told["steps"])
    if step["failed"]:
        return Action(step["name"])
    if step["ranges"]:
        each = step["ranges"][0]
        return Action(step["name"], {each["name"]: int(each["high"]) + 1})
    return None


def walk(combination: Combination, steps: int, *, seed: int = 0, length: int = 60) -> int:
    """Compare this many steps of walks of a length; returns how many were taken.

    Raises DisagreementError.
    """
    source = StructureSource(combination.structure)
    peer, dice, taken = Peer(source), random.Random(seed), 0
    while taken < steps:
        taken += walk_once(combination, source, peer, dice, min(length, steps - taken))
    return taken


def walk_once(
    combination: Combination, source: StructureSource, peer: Peer, dice: random.Random, length: int
) -> int:
    """One walk from the first state; it ends early where nothing is enabled."""
    column = choose_column(dice, combination.structure)
    cluster = combination.make_initial(column)
    peer.begin(combination, column)
    plan = choose_plan(dice, combination.structure)
    way: list[Action] = []
    told = compare(source, peer, cluster, way)
    while len(way) < length and not all(step["failed"] for step in told["steps"]):
        forbidden = make_forbidden(dice, told)
        if forbidden is not None:
            cluster, is_refused = take_both(peer, cluster, forbidden)
            assert is_refused
        action = plan.pop(0) if plan else choose_action(dice, source, told)
        cluster, is_refused = take_both(peer, cluster, action)
        if not is_refused:
            way.append(action)
            told = compare(source, peer, cluster, way)
    return len(way)


def take_both(peer: Peer, cluster: Any, action: Action) -> tuple[Any, bool]:
    """The reference's state after a step, and whether both refuse it.

    Raises DisagreementError where they do so for other reasons, or only one of them does.
    """
    outcome = compute_machine(cluster.structure).step(cluster, action)
    said, expected = peer.take(action), list(outcome.failed)
    if said != expected:
        raise DisagreementError(f"{action} is refused: JavaScript {said}, reference {expected}")
    return outcome.cluster, outcome.is_refused
