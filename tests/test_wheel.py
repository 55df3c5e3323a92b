"""A wheel is whole: installed by itself, the verbs work, and hints name what such a copy has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from properties.checkout import ROOT

ROOMS = ("reference", "brokers", "properties", "spark_fuzz", "book", "command_line")
BUILT_FROM = ("pyproject.toml", "README.md", "LICENSE", "NOTICE")
(PINNED,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
CONF = ROOT / "tests" / "data" / "conf" / "2m-2s-sync"
KEPT_OUT = shutil.ignore_patterns("__pycache__")
PAGE = re.compile(r"\bspec/[\w/]+\.md(?P<where> in a checkout)?")


def is_builder_here() -> bool:
    """Whether this environment has what builds the project; nothing is fetched."""
    try:
        return PINNED == f"setuptools=={version('setuptools')}"
    except PackageNotFoundError:
        return False


pytestmark = pytest.mark.skipif(
    not is_builder_here(), reason=f"{PINNED} is not here; ./rmqspec test --version installs it"
)


def run_pip(*words: object) -> None:
    """Run pip without an index, and without what PYTHONPATH names: it would count as installed."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    whole = (*command, *map(str, words), "--no-deps", "--no-index")
    subprocess.run(whole, check=True, env=variables)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built from a copy."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in ROOMS:
        shutil.copytree(ROOT / name, folder / "source" / name, ignore=KEPT_OUT)
    for name in BUILT_FROM:
        shutil.copy(ROOT / name, folder / "source")
    run_pip("wheel", "--no-build-isolation", "--wheel-dir", folder, folder / "source")
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path) -> Path:
    """An environment with the wheel and, of what is installed here, all but the project."""
    folder = wheel.parent / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    # What a path file of another environment names is not followed from here: no checkout is.
    (packages / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    run_pip("--python", folder / "bin" / "python", "install", wheel)
    return folder


def run(environment: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The installed program in this folder, with a home of its own."""
    (home := folder / "home").mkdir()
    return subprocess.run(
        [environment / "bin" / "rmqspec", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"},
    )


def list_files(environment: Path) -> dict[Path, int]:
    """What lies in an environment and when it was written, compiled modules left out."""
    files = (p for p in environment.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {path: path.stat().st_mtime_ns for path in files}


def test_every_file_of_the_rooms_is_in_it(wheel: Path) -> None:
    """Modules and data: certificates, words, templates, scripts."""
    found = {
        path.relative_to(ROOT).as_posix()
        for room in ROOMS
        for path in (ROOT / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert found <= set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("check --rocketmq-version 4.9.8", marks=pytest.mark.nightly),
        pytest.param("explain L12", marks=pytest.mark.nightly),
        pytest.param("explain message_is_stored_once none", marks=pytest.mark.nightly),
        pytest.param("explain message_is_stored_once none CONF", marks=pytest.mark.nightly),
        "issues 6767",
        "issues CONF",
        pytest.param("upgrade 4.4.0 4.9.8 CONF", marks=pytest.mark.nightly),
        "pull --role SLAVE --offset 2000 --max-offset 1000",
        f"trace {ROOT / 'tests' / 'data' / 'traces' / 'b_sync_no_slave.jsonl'}",
        "export itf --out issues --issues",
        pytest.param("export explorer", marks=pytest.mark.nightly),
        "prove --structure delay/4.4.0",
    ],
)
def test_verbs_work_without_a_checkout(environment: Path, tmp_path: Path, line: str) -> None:
    """They name pages as those of a checkout, the program by its name, and write nothing there."""
    before = list_files(environment)
    result = run(environment, tmp_path, *line.replace("CONF", str(CONF)).split())
    assert 0 == result.returncode, result.stderr
    assert result.stdout
    assert "./rmqspec" not in result.stdout + result.stderr
    assert all(match["where"] for match in PAGE.finditer(" ".join(result.stdout.split())))
    assert before == list_files(environment)


@pytest.mark.parametrize(
    "line",
    [
        "docs",
        pytest.param("docs --check", marks=pytest.mark.nightly),
        pytest.param("test", marks=pytest.mark.nightly),
        "test -k pull",
        pytest.param("mutants", marks=pytest.mark.nightly),
        "bench --against HEAD",
        "prove --search --structure delay/4.4.0",
        pytest.param("prove --fault-sets --search", marks=pytest.mark.nightly),
        pytest.param("prove --restrictions --search", marks=pytest.mark.nightly),
    ],
)
def test_verbs_on_the_project_ask_for_a_checkout(
    environment: Path, tmp_path: Path, line: str
) -> None:
    """In one line, with the exit code of something missing; nothing is written."""
    before = list_files(environment)
    result = run(environment, tmp_path, *line.split())
    assert 4 == result.returncode
    assert "" == result.stdout
    message = result.stderr.splitlines()[-1]  # on a slow machine progress comes before it
    assert re.fullmatch(r"rmqspec: `rmqspec .+` needs a checkout of the project.*", message)
    assert before == list_files(environment)


@pytest.mark.parametrize(
    "verb", ["fuzz", "prove", "export explorer", "export promela", "export tla", "check", "issues"]
)
def test_help_names_pages_where_they_are(environment: Path, tmp_path: Path, verb: str) -> None:
    """Pages of the book lie in a checkout, and the help of an installed copy says so."""
    result = run(environment, tmp_path, *verb.split(), "--help")
    assert 0 == result.returncode
    told = " ".join(result.stdout.split())
    assert all(match["where"] for match in PAGE.finditer(told)), told
    assert "./rmqspec" not in told


def test_help_of_the_book_says_that_it_needs_a_checkout(environment: Path, tmp_path: Path) -> None:
    """Its help names texts to write, and so begins with where they are."""
    result = run(environment, tmp_path, "docs", "--help")
    assert "This verb needs a checkout of the project." in result.stdout
