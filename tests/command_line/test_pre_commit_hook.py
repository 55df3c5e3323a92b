"""The hook for repositories with broker configuration, called as pre-commit calls it."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command_line.run import CONF, ROOT, run

(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
CHAPTER = ROOT / "spec" / "python_api.md"
LOSS = "acknowledged_is_kept_on_some_broker:master power loss"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git repository with the stock synchronous groups and what else lies beside such files."""
    shutil.copytree(CONF / "2m-2s-sync", tmp_path / "conf")
    (tmp_path / "README.md").write_text("Our brokers.\n")
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    return tmp_path


def flush_synchronously(repository: Path) -> None:
    """Change the masters so that they lose nothing they have acknowledged with their power."""
    for file in (repository / "conf").glob("broker-?.properties"):
        text = file.read_text().replace("ASYNC_FLUSH", "SYNC_FLUSH")
        file.write_text(text)


def call(repository: Path, **overridden: Any) -> subprocess.CompletedProcess[str]:
    """Call the hook on the staged files; keys of the user's configuration override those here."""
    hook = {**HOOK, **overridden}
    listed = subprocess.run(
        ["git", "ls-files"], cwd=repository, capture_output=True, text=True, check=True
    )
    files = [name for name in listed.stdout.splitlines() if re.search(hook["files"], name)]
    assert 4 == len(files)
    program, *words = shlex.split(hook["entry"])
    assert "rmqspec" == program
    return run(*words, *hook["args"], *(files if hook["pass_filenames"] else ()), folder=repository)


def test_a_requirement_that_fails_is_named_with_its_files_and_schedule(repository: Path) -> None:
    """The commit is refused, and its author sees why."""
    result = call(repository)
    assert 1 == result.returncode
    said = result.stderr
    assert f"required: {LOSS}: refuted" in said
    assert "conf/broker-a.properties" in said
    assert "## POWER LOSS" in said


def test_a_requirement_that_holds_lets_the_commit_pass(repository: Path) -> None:
    """By the folder, and by the files that pre-commit passes if a user asks for them."""
    flush_synchronously(repository)
    assert 0 == call(repository).returncode
    by_files = call(repository, args=["--require", LOSS], pass_filenames=True)
    assert 0 == by_files.returncode, by_files.stderr


def test_the_example_of_the_chapter_uses_the_hook(repository: Path) -> None:
    """What a user copies names the hook and arguments that `check` takes."""
    text = CHAPTER.read_text(encoding="utf-8")
    (block,) = re.findall(r"^```yaml\n(repos:.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ((used,),) = (repo["hooks"] for repo in yaml.safe_load(block)["repos"])
    assert used.pop("id") == HOOK["id"]
    flush_synchronously(repository)
    result = call(repository, **used)
    assert 0 == result.returncode, result.stderr
