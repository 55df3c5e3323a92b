"""A C compiler of this machine, and what it has compiled, kept by the hash of the source."""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from spark_fuzz.campaign.store import put_in_place
from spark_fuzz.kernel.cache import get_cache_folder

HERE = Path(__file__).parent

PACKAGE = "ziglang"
"""A package of PyPI that contains a C compiler, for machines without one."""

ADVICE = (
    "install one, for example with `apt-get install gcc`, or from PyPI: pip install "
    "'rmqspec[compiler]'; CC may name it"
)

FLAGS = (
    "-O2",
    "-ftree-vectorize",
    "-march=native",
    "-fno-strict-aliasing",
    "-fno-semantic-interposition",
    "-shared",
    "-fPIC",
)
"""Loops over lanes become vector instructions of this very processor; a compiled kernel is kept
for no other one. Arrays of one address may have two types, which strict aliasing would forbid."""

FLAGS_BY_MACHINE = {"x86_64": ("-mprefer-vector-width=512",)}
"""More of them by kind of processor: its widest vectors, which compilers avoid by default."""


class MissingCompilerError(RuntimeError):
    """Raised where no C compiler works; one line, with what to do."""


@frozen
class Compiler:
    """A C compiler of this machine."""

    command: tuple[str, ...]
    """How it is called: the program, then what CC adds."""
    version: str
    """What it says of itself."""
    processor: str
    """What the machine's processor can do: code for one may stop on another."""


@cache
def find_compiler() -> Compiler:
    """CC if that is set, else the system's C compiler, else that of PACKAGE.

    Raises MissingCompilerError.
    """
    command = find_command()
    try:
        answer = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise MissingCompilerError(
            f"`{' '.join(command)}` does not say its version ({problem}); {ADVICE}"
        ) from problem
    return Compiler(command, answer.stdout, describe_processor())


def find_command() -> tuple[str, ...]:
    """How the compiler is called. Raises MissingCompilerError."""
    asked = os.environ.get("CC", "")
    words = shlex.split(asked) or ["cc"]
    path = shutil.which(words[0])
    if path is not None:
        return (path, *words[1:])
    if asked:
        raise MissingCompilerError(f"CC is {asked}, and there is no such program; {ADVICE}")
    if importlib.util.find_spec(PACKAGE) is not None:
        return (sys.executable, "-m", PACKAGE, "cc")
    raise MissingCompilerError(f"kernels are C, and this machine has no C compiler; {ADVICE}")


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


@cache
def load_c_file(name: str) -> Any:
    """The file ``NAME.c`` of this folder, compiled and loaded. Raises MissingCompilerError."""
    return load_library(HERE.joinpath(f"{name}.c").read_text("utf-8"), name)


def load_library(source: str, name: str) -> Any:
    """A C text compiled, from the cache if it was compiled before. Raises MissingCompilerError."""
    compiler = find_compiler()
    flags = (*FLAGS, *FLAGS_BY_MACHINE.get(platform.machine(), ()))
    stamp = "\n".join((source, *flags, *compiler.command, compiler.version, compiler.processor))
    file = f"{name}_{hashlib.sha256(stamp.encode()).hexdigest()[:20]}.so"
    path = get_cache_folder() / file
    if not path.exists():
        compile_source([*compiler.command, *flags], source, path)
    return ctypes.CDLL(str(path))


def compile_source(command: list[str], source: str, path: Path) -> None:
    """Compile a text into the cache. Raises MissingCompilerError where this compiler cannot."""
    with put_in_place(path) as temporary:
        finished = subprocess.run(
            [*command, "-x", "c", "-", "-o", str(temporary)],
            input=source,
            capture_output=True,
            text=True,
            check=False,
        )
        if finished.returncode:
            told = (finished.stderr.strip().splitlines() or [f"exit code {finished.returncode}"])[0]
            raise MissingCompilerError(
                f"`{' '.join(command[:3])}` cannot compile a kernel ({told}); {ADVICE}"
            )
