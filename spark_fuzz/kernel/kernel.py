"""Compiled kernels: C for each structure, generated once, kept on disk by its hash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any

import attrs
import numpy as np
from attrs import frozen

from properties.language.world import ClaimedStructure
from properties.z3.induction import LIMIT_PREFIX
from reference.language.leaves import flatten
from reference.language.machine import Action
from spark_fuzz.campaign.coverage import make_observations
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.ancestry import Parent, encode_paths
from spark_fuzz.kernel.layout import Layout
from spark_fuzz.kernel.native.search import NativeModule, load_search
from spark_fuzz.kernel.native.walk import SMALL_BITS, NativeWalk, choose_bits, load_walk
from spark_fuzz.kernel.scheduler import SCHEDULERS
from spark_fuzz.kernel.swarm import compute_usual_weights
from spark_fuzz.kernel.walk import NUMBER_MAX, WORD_BITS, BatchPlan, Observations, WalkResults


class NumberOverflowError(ArithmeticError):
    """Raised when a leaf exceeds the safe range of the compiled numbers."""


@frozen
class BatchResults:
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
        self._walks: dict[int, NativeWalk] = {}

    @cached_property
    def module(self) -> NativeModule:
        """The compiled functions of states and of breadth-first search."""
        return load_search(self.layout)

    def get_walk(self, bits: int) -> NativeWalk:
        """The compiled walk with numbers of so many bits. Raises MissingCompilerError."""
        if bits not in self._walks:
            self._walks[bits] = load_walk(self.layout, bits)
        return self._walks[bits]

    def describe_engine(self) -> str:
        """What walks this kernel's schedules on this machine, in small numbers."""
        return f"C, {self.get_walk(SMALL_BITS).lanes} schedules at once"

    def run(  # noqa: PLR0913
        self,
        options: CampaignOptions,
        first_schedule: int,
        count: int,
        *,
        parents: Sequence[Parent] = (),
        observations: Observations | None = None,
        begin: Any = None,
    ) -> BatchResults:
        """Walk ``count`` schedules of a campaign from number ``first_schedule`` on.

        With ``parents`` each continues from one of these paths. Observations are added to
        ``observations``. They begin in the first state, or in ``begin`` and under its parameters.
        Raises NumberOverflowError.
        """
        record = self.make_record(count)
        plan = self.make_plan(options, first_schedule, parents, begin)
        met = make_observations(self.layout) if observations is None else observations
        self.get_walk(choose_bits(self.layout, plan)).run(plan, record, met)
        if record.overflow[0]:
            raise NumberOverflowError(
                f"a number of schedules {first_schedule} to {first_schedule + count - 1} of "
                f"{options.format_identifier(first_schedule)} outgrew {NUMBER_MAX}; use smaller "
                "sizes or fewer steps"
            )
        return BatchResults(first_schedule, *record[: len(attrs.fields(BatchResults)) - 1])

    def make_plan(
        self, options: CampaignOptions, first_schedule: int, parents: Sequence[Parent], begin: Any
    ) -> BatchPlan:
        """The common data of all schedules of a batch."""
        initial = self.structure.make_initial(options.parameters) if begin is None else begin
        profiles = self.encode_profiles(options)
        if begin is not None:
            profiles = np.array([self.encode_parameters(begin)], np.int64)
        return BatchPlan(
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

    def make_record(self, count: int) -> WalkResults:
        """Memory for the results of this many schedules."""
        words = -(-len(self.names) // WORD_BITS)
        return WalkResults(
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
