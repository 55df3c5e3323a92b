"""Compiled kernels: one per structure, generated once, cached on disk by the hash of its source."""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from types import ModuleType
from typing import Any

import attrs
import numba
import numpy as np
from attrs import frozen
from numba.extending import register_jitable

from properties.language.world import ClaimedStructure
from properties.z3.induction import LIMIT_PREFIX
from reference.language.leaves import flatten
from reference.language.machine import Action
from spark_fuzz.campaign.coverage import make_observations
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.store import put_in_place
from spark_fuzz.kernel import observation, scheduler, walk
from spark_fuzz.kernel.ancestry import Parent, encode_paths
from spark_fuzz.kernel.cache import get_cache_folder
from spark_fuzz.kernel.lowering import Layout, lower
from spark_fuzz.kernel.native.search import load_search
from spark_fuzz.kernel.native.walk import SMALL_BITS, NativeWalk, choose_bits, load_walk
from spark_fuzz.kernel.scheduler import SCHEDULERS
from spark_fuzz.kernel.swarm import compute_usual_weights
from spark_fuzz.kernel.walk import NUMBER_MAX, WORD_BITS, Desk, Observations, Plan, Record
from spark_fuzz.search import frontier, packing

_LOOPS = {
    observation: "\ndef note_observation",
    walk: "\ndef run_schedules",
    frontier: "\ndef unpack_state",
}
"""The modules whose text follows the lowered rules, and the beginning of that text."""

_IMPORTED = (scheduler, packing, observation, walk, frontier)
"""The modules whose names the generated text uses."""

_OPTIONS = "cache=True, _nrt=False, nogil=True"
"""No allocation, so no reference counts: with them a call costs more than its work.

The interpreter's lock is released, so that other threads can report progress meanwhile.
"""

_INLINED = ("take_step",)
"""Functions that every step calls with so many arrays that passing them takes most of the time."""

for _function in (
    scheduler.mix,
    scheduler.pick_below,
    scheduler.compute_schedule_key,
    scheduler.draw,
    scheduler.pick_weighted,
    scheduler.find_first,
    scheduler.choose_instance,
    scheduler.pick_argument,
    scheduler.pick_limit,
    scheduler.pick_weight,
    scheduler.draw_weight,
):
    register_jitable(_nrt=False)(_function)


class NumberOverflowError(ArithmeticError):
    """Raised when a leaf exceeds the safe range of the compiled numbers."""


@frozen
class Batch:
    """A kernel's results for consecutive schedules."""

    first_schedule: int
    steps: Any
    """int64, shape (schedules,): steps taken before healing."""
    violations: Any
    """int64, shape (schedules, guarantees): first violating step, -1 for none."""
    used: Any
    """int64, shape (schedules, words): bit set of the instances that fired, WORD_BITS a word."""
    healing_steps: Any
    """int64, shape (schedules,): steps taken while healing."""
    ends: Any
    """int64, shape (schedules,): AT_REST and so on of ``walk``; -1 without healing."""
    stuck: Any
    """int64, shape (schedules,): bit set of the convergence claims that the end violates."""


SIZE_MAX = 2**60
"""The largest size: offsets are below it, and an offset plus a few sizes fits into 64 bits."""


class SizeError(ValueError):
    """Raised for a size with which the kernel's 64-bit numbers could overflow; one line."""


class Kernel:
    """The compiled reading of one structure."""

    def __init__(self, structure: ClaimedStructure) -> None:
        self.structure = structure
        self.layout = Layout(structure)
        self.names = [r.instance.name for r in self.layout.instances]
        self._native: dict[int, NativeWalk | None] = {}

    @cached_property
    def module(self) -> Any:
        """The functions of ``lowering`` and ``frontier``, by the fastest engine of this machine."""
        return load_search(self.layout) or self.numba_module

    @cached_property
    def numba_module(self) -> Any:
        """The same, and those of ``walk``, compiled by numba."""
        return _load(_generate(self.layout))

    def get_native(self, bits: int) -> NativeWalk | None:
        """The walk compiled by a C compiler, with numbers of so many bits; None without one."""
        if bits not in self._native:
            self._native[bits] = load_walk(self.layout, bits)
        return self._native[bits]

    def describe_engine(self) -> str:
        """What walks this kernel's schedules on this machine, in small numbers."""
        native = self.get_native(SMALL_BITS)
        return "numba" if native is None else f"C, {native.lanes} schedules at once"

    def walk(self, plan: Plan, record: Record, observations: Observations) -> None:
        """Walk the schedules of a plan, by the fastest engine that this machine has."""
        native = self.get_native(choose_bits(self.layout, plan))
        if native is None:
            parts = plan.parents.shape[1] // 2 + 1
            self.numba_module.run_schedules(plan, self.make_desk(parts), record, observations)
        else:
            native.run(plan, record, observations)

    def run(  # noqa: PLR0913
        self,
        options: CampaignOptions,
        first_schedule: int,
        count: int,
        *,
        parents: Sequence[Parent] = (),
        observations: Observations | None = None,
        begin: Any = None,
    ) -> Batch:
        """Walk ``count`` schedules of a campaign from number ``first_schedule`` on.

        With ``parents`` each continues from one of these paths. Observations are added to
        ``observations``. They begin in the first state, or in ``begin`` and under its parameters.
        Raises NumberOverflowError.
        """
        record = self.make_record(count)
        plan = self.make_plan(options, first_schedule, parents, begin)
        met = make_observations(self.layout) if observations is None else observations
        self.walk(plan, record, met)
        if record.overflow[0]:
            raise NumberOverflowError(
                f"a number of schedules {first_schedule} to {first_schedule + count - 1} of "
                f"{options.format_identifier(first_schedule)} outgrew {NUMBER_MAX}; use smaller "
                "sizes or fewer steps"
            )
        return Batch(first_schedule, *record[: len(attrs.fields(Batch)) - 1])

    def make_plan(
        self, options: CampaignOptions, first_schedule: int, parents: Sequence[Parent], begin: Any
    ) -> Plan:
        """The common data of all schedules of a batch."""
        initial = self.structure.make_initial(options.parameters) if begin is None else begin
        profiles = self.encode_profiles(options)
        if begin is not None:
            profiles = np.array([self.encode_parameters(begin)], np.int64)
        return Plan(
            options.campaign_seed,
            first_schedule,
            SCHEDULERS.index(options.scheduler),
            options.is_swarm,
            options.steps,
            options.healing_steps,
            self.encode_state(initial),
            profiles,
            self.find_limits(options),
            np.array(compute_usual_weights(self.structure), np.int64),
            np.array(self.layout.is_decisive, np.int64),
            encode_paths(parents),
        )

    def make_desk(self, parts: int) -> Desk:
        """Working memory, for paths of this many parts."""
        instances, arguments = len(self.names), max(1, self.layout.arguments_max)
        return Desk(
            state=np.empty(len(self.layout.state_paths), np.int64),
            parameters=np.empty(len(self.layout.parameter_paths), np.int64),
            weights=np.empty(instances, np.int64),
            enabled=np.empty(instances + 1, np.int64),
            ranges=np.empty(2 * arguments, np.int64),
            arguments=np.zeros(arguments, np.int64),
            numbers=np.zeros(parts, np.int64),
            ends=np.zeros(parts, np.int64),
            outcomes=np.zeros(len(self.layout.watched), np.int64),
        )

    def make_record(self, count: int) -> Record:
        """Memory for the results of this many schedules."""
        words = -(-len(self.names) // WORD_BITS)
        return Record(
            steps=np.empty(count, np.int64),
            violations=np.empty((count, len(self.layout.guarantees)), np.int64),
            used=np.empty((count, words), np.int64),
            healing_steps=np.empty(count, np.int64),
            ends=np.empty(count, np.int64),
            stuck=np.empty(count, np.int64),
            overflow=np.zeros(1, np.int64),
        )

    def encode_profiles(self, options: CampaignOptions) -> Any:
        """The parameters that schedules choose from: int64, shape (profiles, parameters)."""
        profiles = self.structure.world.sizes.swarm if options.is_swarm else (options.parameters,)
        limited = (p.limit(options.limits) for p in profiles)
        states = (self.structure.make_initial(p) for p in limited)
        return np.array([self.encode_parameters(s) for s in states], np.int64)

    def find_limits(self, options: CampaignOptions) -> Any:
        """The indexes of the fault limits in such a row, in their order: int64, shape (faults,)."""
        names = attrs.fields_dict(type(options.limits))
        paths = self.layout.parameter_paths
        return np.array([paths.index(f"{LIMIT_PREFIX}{name}") for name in names], np.int64)

    def find_enabled(self, cluster: Any) -> list[str]:
        """The names of the enabled instances, as the kernel sees them."""
        enabled = np.empty(len(self.names) + 1, np.int64)
        state, parameters = self.encode_state(cluster), self.encode_parameters(cluster)
        count = self.module.find_enabled(state, parameters, enabled)
        return [self.names[i] for i in enabled[:count]]

    def find_ranges(self, cluster: Any, name: str) -> list[tuple[int, int]]:
        """The ranges of an enabled instance's arguments, as the kernel sees them."""
        ranges = np.empty(2 * self.layout.arguments_max, np.int64)
        state, parameters = self.encode_state(cluster), self.encode_parameters(cluster)
        index = self.names.index(name)
        count = self.module.find_ranges(state, parameters, index, ranges)
        return [(int(ranges[2 * i]), int(ranges[2 * i + 1])) for i in range(count)]

    def fire(self, cluster: Any, action: Action) -> Mapping[str, int]:
        """The leaves after an enabled action, as the kernel sees them."""
        index = self.names.index(action.instance)
        arguments = np.zeros(self.layout.arguments_max, np.int64)
        for i, (name, *_) in enumerate(self.layout.instances[index].arguments):
            arguments[i] = action.arguments[name]
        state = self.encode_state(cluster)
        self.module.fire(state, self.encode_parameters(cluster), index, arguments)
        return dict(zip(self.layout.state_paths, map(int, state), strict=True))

    def judge(self, cluster: Any) -> tuple[str, ...]:
        """The guarantees that a state violates, as the kernel sees them."""
        word = self.module.judge(self.encode_state(cluster), self.encode_parameters(cluster))
        return tuple(g for bit, g in enumerate(self.layout.guarantees) if word >> bit & 1)

    def encode_state(self, cluster: Any) -> Any:
        """The changing leaves of a state: int64, shape (leaves,)."""
        values = flatten(cluster)
        return np.array([int(values[p]) for p in self.layout.state_paths], np.int64)

    def encode_parameters(self, cluster: Any) -> Any:
        """The constant leaves of a state: int64, shape (parameters,). Raises SizeError."""
        values = flatten(cluster)
        row = {path: int(values[path]) for path in self.layout.parameter_paths}
        for path, value in row.items():
            if abs(value) > SIZE_MAX:
                raise SizeError(
                    f"{path.removeprefix('parameters.')} is {value}; the kernel computes with "
                    f"64 bits and takes sizes from -2**60 to 2**60"
                )
        return np.array([*row.values()], np.int64)

    def unpack_used(self, used: Any) -> Any:
        """The instances that fired: bool, shape (schedules, instances)."""
        words = np.ascontiguousarray(used, "<i8").view(np.uint8)
        bits = np.unpackbits(words, axis=1, bitorder="little").view(np.bool_)
        indexes = np.arange(len(self.names))
        return bits[:, indexes // WORD_BITS * 64 + indexes % WORD_BITS]

    def unpack_stuck(self, stuck: Any) -> Any:
        """The violated convergence claims: bool, shape (schedules, claims)."""
        return (stuck[:, None] >> np.arange(len(self.layout.claims_about_rest)) & 1) > 0


@cache
def compile_kernel(structure: ClaimedStructure) -> Kernel:
    """The kernel of a structure; compiled on first use on a machine, then loaded from disk."""
    return Kernel(structure)


def _generate(layout: Layout) -> str:
    """One module: imports, the lowered rules, the loops around them; each function compiled."""
    texts = {inspect.getsource(module): begin for module, begin in _LOOPS.items()}
    functions = "\n".join(text[text.index(begin) :] for text, begin in texts.items())
    imports = [f"from {m.__name__} import {', '.join(_list_names(m))}" for m in _IMPORTED]
    head = "\n".join(["import numba", "import numpy as np", *imports, "", ""])
    body = head + lower(layout.structure) + functions.replace(": Any", "")
    return re.sub(r"^def (\w+)", _decorate, body, flags=re.MULTILINE)


def _decorate(definition: re.Match[str]) -> str:
    inlined = ", forceinline=True" if definition[1] in _INLINED else ""
    return f"@numba.njit({_OPTIONS}{inlined})\n{definition[0]}"


def _list_names(module: ModuleType) -> list[str]:
    """The names that a module defines: functions, constants and classes."""
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, int) or getattr(value, "__module__", None) == module.__name__
    ]


def _load(source: str) -> ModuleType:
    """The generated module, from a file named by its content: numba caches beside that file."""
    versions = f"{sys.version}{numba.__version__}{np.__version__}"
    imported = "".join(inspect.getsource(module) for module in _IMPORTED)
    stamp = source + imported + versions
    name = f"kernel_{hashlib.sha256(stamp.encode()).hexdigest()[:20]}"
    path = get_cache_folder() / f"{name}.py"
    if not path.exists():
        with put_in_place(path) as temporary:
            temporary.write_text(source)
    specification = importlib.util.spec_from_file_location(name, path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module
