"""The walk compiled by the system's C compiler, once for a structure and a machine.

Where there is no compiler, or where RMQSPEC_KERNEL says ``numba``, kernels walk by numba instead,
with the same rows.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen

from spark_fuzz.campaign.store import put_in_place
from spark_fuzz.kernel.cache import get_cache_folder
from spark_fuzz.kernel.lowering import Layout
from spark_fuzz.kernel.lowering_c import list_sizes, lower_to_c
from spark_fuzz.kernel.walk import Observations, Plan, Record

HERE = Path(__file__).parent

ENGINE = "RMQSPEC_KERNEL"
"""The environment's choice of an engine: ``c`` or ``numba``; ``c`` where there is a compiler."""

FLAGS = (
    "-O2",
    "-ftree-vectorize",
    "-march=native",
    "-fno-strict-aliasing",
    "-fno-semantic-interposition",
    "-shared",
    "-fPIC",
)

FLAGS_BY_MACHINE = {"x86_64": ("-mprefer-vector-width=512",)}
"""More of them by kind of processor."""

SMALL_BITS, LARGE_BITS = 32, 64
"""Bits of a number; with the small ones twice as many schedules are walked at once."""

SMALL_MAX = 2**30
"""No number of 32 bits comes to be as large."""

CLAIMS_MAX = 31
"""So many claims fit into a set of 32 bits."""

GROWTH = 4
"""So many sizes at most are added to a leaf in one step, or to each other in a condition."""


class Batch(ctypes.Structure):
    """What ``walk.c`` is given."""

    _numbers_ = (
        *("campaign_seed", "first_schedule", "count", "scheduler", "is_swarm", "steps_max"),
        *("healing_steps_max", "profiles", "limits", "parents", "parent_cells", "situations"),
    )
    _arrays_ = (
        *("initial", "profile_values", "limit_places", "usual_weights", "is_decisive"),
        *("parent_paths", "steps", "violations", "used", "healing_steps", "ends", "stuck"),
        *("overflow", "rule_table", "pair_table", "situation_table", "outcome_table", "marks"),
        "lost",
    )
    _fields_ = (
        *((name, ctypes.c_int64) for name in _numbers_),
        *((name, ctypes.c_void_p) for name in _arrays_),
    )


@frozen
class Compiler:
    """A C compiler of this machine."""

    path: str
    version: str
    processor: str
    """What the machine's processor can do: code for one may stop on another."""


@cache
def find_compiler() -> Compiler | None:
    """The system's C compiler, CC if that is set; None: there is none, or it is not wanted."""
    if os.environ.get(ENGINE, "c") != "c":
        return None
    path = shutil.which(os.environ.get("CC", "cc"))
    if path is None:
        return None
    try:
        asked = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return Compiler(path, asked.stdout, describe_processor())


def describe_processor() -> str:
    """The kind of processor, and where Linux tells it the instructions that it has."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    flags = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return f"{platform.machine()} {platform.processor()} {flags}"


@frozen
class NativeWalk:
    """The compiled walk of one structure, with numbers of so many bits."""

    run_schedules: Any
    list_used: Any
    lanes: int
    """How many schedules are walked at once."""

    def run(self, plan: Plan, record: Record, observations: Observations) -> None:
        """Fill the rows of ``record`` and add to ``observations``. Raises MemoryError."""
        batch = make_batch(plan, record, observations)
        if self.run_schedules(ctypes.byref(batch)):
            raise MemoryError("there is no memory for the walk of these schedules")

    def list_instances(self, used: Any, count: int) -> Any:
        """The ``count`` instances in these sets, one list behind the other: int16."""
        instances = np.empty(count, np.int16)
        self.list_used(used.ctypes.data, len(used), instances.ctypes.data)
        return instances


def make_batch(plan: Plan, record: Record, observations: Observations) -> Batch:
    """The arguments of the compiled function; the arrays must outlive its call."""
    numbers = {
        "campaign_seed": plan.campaign_seed,
        "first_schedule": plan.first_schedule,
        "count": len(record.steps),
        "scheduler": plan.scheduler,
        "is_swarm": int(plan.is_swarm),
        "steps_max": plan.steps_max,
        "healing_steps_max": plan.healing_steps_max,
        "profiles": len(plan.profiles),
        "limits": len(plan.limits),
        "parents": len(plan.parents),
        "parent_cells": plan.parents.shape[1],
        "situations": len(observations.situations),
    }
    arrays = {
        "initial": plan.initial,
        "profile_values": plan.profiles,
        "limit_places": plan.limits,
        "usual_weights": plan.usual_weights,
        "is_decisive": plan.is_decisive,
        "parent_paths": plan.parents,
        **record._asdict(),
        "rule_table": observations.rules,
        "pair_table": observations.pairs,
        "situation_table": observations.situations,
        "outcome_table": observations.outcomes,
        "marks": observations.marks,
        "lost": observations.lost,
    }
    return Batch(**numbers, **{name: array.ctypes.data for name, array in arrays.items()})


def choose_bits(layout: Layout, plan: Plan) -> int:
    """How large numbers are that no leaf and no sum of a walk exceeds."""
    largest = max(abs(plan.initial).max(initial=0), abs(plan.profiles).max(initial=0))
    steps = plan.steps_max + plan.healing_steps_max
    is_small = int(largest) * (steps + 1) * GROWTH < SMALL_MAX
    claims = max(len(layout.guarantees), len(layout.claims_about_rest))
    return SMALL_BITS if is_small and claims <= CLAIMS_MAX else LARGE_BITS


def load_walk(layout: Layout, bits: int) -> NativeWalk | None:
    """The compiled walk, from the cache if it was compiled before; None without a compiler."""
    sizes = {"NUMBER_BITS": bits, **list_sizes(layout)}
    library = load_library(fill_in("walk.c", sizes, lower_to_c(layout)), "walk")
    if library is None:
        return None
    function = library.run_schedules
    function.argtypes, function.restype = (ctypes.POINTER(Batch),), ctypes.c_int
    listing = library.list_used
    listing.argtypes, listing.restype = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p), None
    return NativeWalk(function, listing, ctypes.c_int.in_dll(library, "lanes").value)


def fill_in(file: str, sizes: Mapping[str, int], rules: str) -> str:
    """A C text of this folder with the sizes and the rules of one structure."""
    head = "\n".join(f"#define {name} {value}" for name, value in sizes.items())
    text, numbers = (HERE.joinpath(name).read_text("utf-8") for name in (file, "numbers.c"))
    return f"{head}\n{text.replace('/*NUMBERS*/', numbers).replace('/*RULES*/', rules)}"


def load_library(source: str, name: str) -> Any:
    """A C text compiled, from the cache if it was compiled before; None without a compiler."""
    compiler = find_compiler()
    if compiler is None:
        return None
    flags = (*FLAGS, *FLAGS_BY_MACHINE.get(platform.machine(), ()))
    stamp = "\n".join((source, *flags, compiler.path, compiler.version, compiler.processor))
    file = f"{name}_{hashlib.sha256(stamp.encode()).hexdigest()[:20]}.so"
    path = get_cache_folder() / file
    if not path.exists() and not compile_source(compiler, flags, source, path):
        return None
    return ctypes.CDLL(str(path))


def compile_source(compiler: Compiler, flags: Iterable[str], source: str, path: Path) -> bool:
    """Compile a text into the cache; False where this compiler cannot."""
    try:
        with put_in_place(path) as temporary:
            command = [compiler.path, *flags, "-x", "c", "-", "-o", str(temporary)]
            subprocess.run(command, input=source, capture_output=True, text=True, check=True)
    except subprocess.CalledProcessError:
        return False
    return True
