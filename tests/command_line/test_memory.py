"""Answers that were proved before: found again by a digest, and said to be remembered."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from attrs import evolve

from command_line.answers.short.groups import summarise
from command_line.output import exit_codes
from command_line.output import memory as module
from command_line.output.memory import (
    REMEMBERED,
    Memory,
    compute_source_digest,
    get_folder,
    make_key,
    tell_remembered,
)
from command_line.output.progress import ProgressLine
from properties.scenarios.analysis import log
from properties.scenarios.summary.answer import Summary
from reference.configuration.broker_group import BrokerGroup
from reference.configuration.deployments import change_master, sample_group
from reference.releases.versions import list_versions
from tests.command_line.run import CONF, ROOT, run

PAIR = CONF / "2m-2s-sync"
ALONE = CONF / "2m-noslave" / "broker-a.properties"


@pytest.fixture(name="memory")
def make_memory(tmp_path: Path) -> Memory:
    """One that knows nothing."""
    return Memory(tmp_path / "cache")


def test_what_is_kept_is_recalled(memory: Memory) -> None:
    """As plain data; nothing else is known."""
    memory.keep("a", {"rows": [1, "x"]})
    assert {"rows": [1, "x"]} == memory.recall("a")
    assert memory.recall("b") is None
    assert Memory(memory.folder, is_recalling=False).recall("a") is None


def list_left(memory: Memory) -> list[str]:
    """The entries that are left."""
    return sorted(file.stem for file in memory.folder.iterdir())


def test_entries_that_are_not_used_are_removed(tmp_path: Path) -> None:
    """After thirty days; each use counts anew."""
    now = [1e9]
    memory = Memory(tmp_path / "cache", clock=lambda: now[0])
    for key in ("a", "b"):
        memory.keep(key, 1)
    now[0] += 20 * module.DAY_SECONDS
    assert 1 == memory.recall("a")
    now[0] += 11 * module.DAY_SECONDS
    memory.keep("c", 1)
    assert ["a", "c"] == list_left(memory)


def test_too_many_entries_lose_the_oldest(tmp_path: Path) -> None:
    """Until the rest fits; what was used last stays."""
    now = [1e9]
    memory = Memory(tmp_path / "cache", clock=lambda: now[0], bytes_max=700)
    for key in ("a", "b", "c"):
        now[0] += 1
        memory.keep(key, "x" * 200)
    assert ["b", "c"] == list_left(memory)
    now[0] += 1
    assert memory.recall("b")
    now[0] += 1
    memory.keep("d", "x" * 200)
    assert ["b", "d"] == list_left(memory)


def test_unfinished_files_are_removed_too(tmp_path: Path) -> None:
    """Those of a program that was killed."""
    now = [1e9]
    memory = Memory(tmp_path / "cache", clock=lambda: now[0])
    memory.keep("a", 1)
    left = memory.folder / "b.4711"
    left.write_text("{")
    os.utime(left, (now[0], now[0]))
    now[0] += 31 * module.DAY_SECONDS
    memory.prune()
    assert [] == list_left(memory)


@pytest.mark.parametrize("damage", ["", "{}", "[]", "null", '{"digest": "x", "content": "1"}'])
def test_a_damaged_entry_is_ignored(damage: str, memory: Memory) -> None:
    """Whatever stands in its file."""
    memory.keep("a", 1)
    (memory.folder / "a.json").write_text(damage)
    assert memory.recall("a") is None


def test_a_changed_answer_is_ignored(memory: Memory) -> None:
    """Its digest does not fit any more."""
    memory.keep("a", {"grade": "loss"})
    file = memory.folder / "a.json"
    file.write_text(file.read_text().replace("loss", "ok"))
    assert memory.recall("a") is None


def test_an_entry_answers_its_own_question_only(memory: Memory) -> None:
    """Copied to the name of another one, it is not used."""
    memory.keep("a", {"grade": "ok"})
    (memory.folder / "a.json").rename(memory.folder / "b.json")
    assert memory.recall("b") is None


def test_only_what_an_earlier_run_has_kept_is_remembered(memory: Memory) -> None:
    """Not what this run has computed itself, nor what was not used."""
    memory.keep("a", 1)
    memory.keep("b", None)
    assert (1, None) == (memory.recall("a"), memory.recall("c"))
    assert not memory.recalled
    later = Memory(memory.folder)
    assert (1, None) == (later.recall("a"), later.recall("b"))
    assert {"a"} == later.recalled


@pytest.mark.parametrize("is_quiet", [False, True])
def test_a_remembered_answer_says_so(memory: Memory, *, is_quiet: bool) -> None:
    """On one line of its own, unless the program is to be quiet."""
    memory.keep("a", 1)
    later = Memory(memory.folder)
    for expected in ("", "" if is_quiet else f"... {REMEMBERED}\n"):
        said = StringIO()
        tell_remembered(later, ProgressLine(said, is_quiet=is_quiet))
        assert expected == said.getvalue()
        later.recall("a")


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path: Path) -> None:
    """And is no error."""
    (tmp_path / "file").write_text("")
    memory = Memory(tmp_path / "file" / "cache")
    memory.keep("a", 1)
    assert memory.recall("a") is None


def test_the_folder_lies_outside_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where XDG_CACHE_HOME says; a relative one counts as none."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert Path("/somewhere/rmqspec") == get_folder()
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    assert Path.home() / ".cache" / "rmqspec" == get_folder()


def test_the_key_depends_on_every_source(tmp_path: Path) -> None:
    """A rule, a claim, a certificate that changes makes another key."""
    for room in module.ROOMS:
        (tmp_path / room).mkdir()
        (tmp_path / room / "a.py").write_text("x = 1\n")
    digests = [compute_source_digest.__wrapped__(tmp_path)]
    for name in ("reference/a.py", "properties/a.py", "properties/b.json", "properties/c.toml"):
        (tmp_path / name).write_text("x = 2\n")
        digests.append(compute_source_digest.__wrapped__(tmp_path))
    (tmp_path / "properties" / "note.md").write_text("no source")
    assert len(set(digests)) == 5
    assert digests[-1] == compute_source_digest.__wrapped__(tmp_path)
    assert make_key("a", 1) == make_key("a", 1) != make_key("a", 2)


@pytest.mark.parametrize("what", ["solver", "Python"])
def test_the_key_depends_on_what_decides(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another solver may decide otherwise; so may another Python."""
    before = compute_source_digest.__wrapped__(tmp_path)
    assert before == compute_source_digest.__wrapped__(tmp_path)
    if what == "solver":
        monkeypatch.setattr(module, "version", lambda name: f"another {name}")
    else:
        monkeypatch.setattr(module, "sys", SimpleNamespace(version="another"))
    assert before != compute_source_digest.__wrapped__(tmp_path)


def test_an_upgrade_remembers_and_proves_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `check` does, and with the same option."""
    calls, decide = [], log.decide
    monkeypatch.setattr(log, "decide", lambda *a: calls.append(1) or decide(*a))
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    words = ("upgrade", "4.4.0", "4.5.1", ALONE, "--slaves", "0", "--json")
    first = run(*words, env=env)
    assert exit_codes.ANALYSED == first.returncode
    proved = len(calls)
    assert proved
    assert first.stdout == run(*words, env=env).stdout
    assert proved == len(calls)
    assert first.stdout == run(*words, "--recheck", env=env).stdout
    assert 2 * proved == len(calls)


def test_a_remembered_answer_needs_no_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is proved again, unless that is asked for; a damaged entry is proved again."""
    calls = []
    proved = log.analyse_log
    monkeypatch.setattr(log, "analyse_log", lambda *a: calls.append(1) or proved(*a))
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    first = run("check", PAIR, env=env).stdout
    assert 1 == len(calls)
    assert first == run("check", PAIR, env=env).stdout
    assert 1 == len(calls)
    assert first == run("check", PAIR, "--recheck", env=env).stdout
    assert 2 == len(calls)
    for file in (tmp_path / "rmqspec").iterdir():
        file.write_text(json.dumps({"digest": "", "content": "{}"}))
    assert first == run("check", PAIR, env=env).stdout
    assert 3 == len(calls)


def test_no_release_answers_for_another(memory: Memory) -> None:
    """The same files under every version: each is computed once, and remembered as its own."""
    versions = list_versions()
    computed = []

    def compute(group: BrokerGroup) -> Summary:
        computed.append(group.version)
        return Summary(len(group.slaves), {"answers for": group.version.name})

    for _ in range(2):
        for version in versions:
            told = summarise(sample_group(version), {}, memory, compute)
            assert {"answers for": version.name} == told.settings
    assert list(versions) == computed


def test_no_setting_answers_for_another(memory: Memory) -> None:
    """Nor do other slaves, or options about consumers."""
    pair = sample_group()
    groups = [pair, evolve(pair, slaves=()), change_master(pair, "brokerRole", "ASYNC_MASTER")]
    asked = [{"is_from_first": False}, {"is_from_first": True}]
    computed = []

    def compute(group: BrokerGroup) -> Summary:
        computed.append(group)
        return Summary(len(group.slaves), {})

    for _ in range(2):
        for group, consumers in itertools.product(groups, asked):
            summarise(group, consumers, memory, compute)
    assert len(groups) * len(asked) == len(computed)


WATCHED = """
import sys
from command_line.main import main
sys.argv[0] = "rmqspec"
try:
    main()
finally:
    print("solver imported:", "z3" in sys.modules, file=sys.stderr)
"""
"""The program, and whether it has imported the solver."""


def test_a_remembered_answer_imports_no_solver(tmp_path: Path) -> None:
    """That is what makes it quick."""
    command = [sys.executable, "-c", WATCHED, "check", str(ALONE)]
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    for word in ("True", "False"):
        result = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
        assert f"solver imported: {word}" in result.stderr
        assert (word == "False") == (REMEMBERED in result.stderr)
