"""Finding a Java that Spark can use. Only campaigns need one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from attrs import frozen

JAVA_VERSION_MIN = 17
"""Spark 4 runs on Java 17 and later."""

REMEDY = (
    "install a whole JDK or JRE, for example the package openjdk-17-jre-headless, and put it on "
    "the PATH or name its folder in JAVA_HOME"
)
"""The Java in some Python packages is not sufficient: Spark needs the module
jdk.incubator.vector, which they leave out."""


class MissingPrerequisiteError(Exception):
    """Raised when something outside the pinned environment is missing; one line, with a remedy."""


@frozen
class Java:
    """A usable Java."""

    home: Path
    version: int


def find_java() -> Java:
    """The Java that campaigns use: JAVA_HOME, else the one on the PATH.

    Raises MissingPrerequisiteError when none is found or the first one found is too old.
    """
    executable = _find_executable()
    if executable is None:
        raise MissingPrerequisiteError(
            f"campaigns need Java {JAVA_VERSION_MIN} or later and none was found: {REMEDY}"
        )
    version = _read_version(executable)
    if version is None or version < JAVA_VERSION_MIN:
        found = "of unknown version" if version is None else f"version {version}"
        raise MissingPrerequisiteError(
            f"campaigns need Java {JAVA_VERSION_MIN} or later, {executable} is {found}: {REMEDY}"
        )
    return Java(executable.resolve().parents[1], version)


def _find_executable() -> Path | None:
    home = os.environ.get("JAVA_HOME")
    if home:
        return Path(home) / "bin" / "java"
    on_path = shutil.which("java")
    return Path(on_path) if on_path else None


def _read_version(executable: Path) -> int | None:
    """The major version that ``java -version`` prints, for example 17 or 8."""
    try:
        answer = subprocess.run(
            [str(executable), "-version"], capture_output=True, text=True, timeout=60, check=False
        )
    except OSError:
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(match.group(1)) if match else None
