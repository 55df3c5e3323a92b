"""The system's C compiler, and what it has compiled, kept by the hash of the source.

Where there is no compiler, or where RMQSPEC_KERNEL says ``numba``, kernels are compiled by numba
instead, with the same rows and states.
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

from attrs import frozen

from spark_fuzz.campaign.store import put_in_place
from spark_fuzz.kernel.cache import get_cache_folder

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
