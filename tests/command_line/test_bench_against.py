"""Two commits in turns: the arithmetic on given figures, the work tree, the refusals."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from command_line.benchmarks import against as bench_against
from command_line.benchmarks.against import (
    Comparison,
    Tree,
    checked_out,
    compare,
    measure_in_turns,
    print_comparison,
)
from command_line.output.interruption import SIGNALS
from spark_fuzz.campaign.java import MissingPrerequisiteError
from tests.command_line.run import assert_one_line, run


def test_ratios_and_noise() -> None:
    """Paired by round; a commit against itself in the next round."""
    comparison = Comparison("kernel", [100.0, 110.0, 100.0], [50.0, 66.0, 52.0])
    assert [0.5, 0.6, 0.52] == pytest.approx(comparison.ratios)
    assert 0.52 == pytest.approx(comparison.ratio)
    assert 66 / 50 == pytest.approx(comparison.noise)
    assert comparison.is_beyond_noise


@pytest.mark.parametrize("after", [[97.0, 100.0], [103.0, 100.0], [100.0, 100.0]])
def test_a_difference_within_the_noise(after: list[float]) -> None:
    """Neither faster nor slower than a commit may seem to be against itself."""
    assert not Comparison("kernel", [100.0, 105.0], after).is_beyond_noise


def test_faster_is_a_difference_too() -> None:
    """In both directions alike."""
    slower = Comparison("kernel", [100.0, 101.0], [60.0, 60.0])
    faster = Comparison("kernel", slower.after, slower.before)
    assert slower.is_beyond_noise
    assert faster.is_beyond_noise
    assert slower.noise == faster.noise


def test_the_printed_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    """Lowest, median, highest of both, the ratio and its worth."""
    rounds = [{"kernel": 100.0}, {"kernel": 104.0}], [{"kernel": 50.0}, {"kernel": 51.0}]
    (comparison,) = compare(*rounds)
    print_comparison(comparison, ("abc", "def (HEAD)"))
    text = capsys.readouterr().out
    assert ["abc", "lowest", "100", "median", "102", "highest", "104"] == text.splitlines()[
        1
    ].split()
    assert "ratio 0.495" in text
    assert "factor 1.040" in text
    assert "exceeds this noise" in text


def test_no_drift_prefers_a_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A B, B A, A B: each is the first one as often."""
    trees = Tree("A", Path("a")), Tree("B", Path("b"))
    order: list[str] = []

    def measure(tree: Tree, given: Mapping[str, Any]) -> dict[str, float]:
        order.append(tree.name)
        return {"kernel": float(len(order))}

    monkeypatch.setattr(bench_against, "measure_tree", measure)
    texts: list[str] = []
    (comparison,) = measure_in_turns(*trees, {}, 4, texts.append)
    assert "ABBAABBA" == "".join(order)
    assert [1.0, 4.0, 5.0, 8.0] == comparison.before
    assert "round 1 of 4: A" == texts[0]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small repository in place of this one, with two commits."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "checkout"
    folder.mkdir()
    monkeypatch.setattr(bench_against, "ROOT", folder)
    git(folder, "init", "--quiet")
    for text in ("one", "two"):
        (folder / "file").write_text(text)
        git(folder, "add", "file")
        git(folder, "-c", "user.name=n", "-c", "user.email=e", "commit", "--quiet", "-m", text)
    return folder


def git(folder: Path, *arguments: str) -> str:
    """Git in a folder, which it must like."""
    return subprocess.run(
        ["git", *arguments], cwd=folder, check=True, capture_output=True, text=True
    ).stdout


def list_trees(folder: Path) -> list[str]:
    """The work trees that a repository knows."""
    return git(folder, "worktree", "list", "--porcelain").split("\n\n")[:-1]


def test_the_other_commit_is_checked_out(checkout: Path) -> None:
    """Its files, in a folder that is gone afterwards; the repository has forgotten it."""
    with checked_out("HEAD~1") as tree:
        assert "one" == (tree.folder / "file").read_text()
        assert 2 == len(list_trees(checkout))
    assert not tree.folder.parent.exists()
    assert 1 == len(list_trees(checkout))
    assert "two" == (checkout / "file").read_text()


@pytest.mark.parametrize("is_begun", [False, True])
def test_an_interrupt_leaves_nothing_behind(checkout: Path, is_begun: bool) -> None:
    """Neither the folder nor what the repository knows of it, even where half of it is missing."""
    folders: list[Path] = []

    def measure() -> None:
        with checked_out("HEAD~1") as tree:
            folders.append(tree.folder)
            if is_begun:
                (tree.folder / ".git").unlink()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure()
    assert not folders[0].parent.exists()
    assert 1 == len(list_trees(checkout))


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_raised(checkout: Path, number: signal.Signals) -> None:
    """The work tree is removed; afterwards the signal has its usual meaning again."""
    usual = signal.getsignal(number)

    def measure() -> None:
        with checked_out("HEAD~1"):
            signal.raise_signal(number)

    with pytest.raises(KeyboardInterrupt):
        measure()
    assert usual == signal.getsignal(number)
    assert 1 == len(list_trees(checkout))


def test_an_unknown_commit(checkout: Path) -> None:
    """One line; what looks like an option is a name, too."""
    for name in ("nowhere", "--all", ""):
        message = assert_one_line(run("bench", f"--against={name}"), 3)
        assert f"{name!r} is no commit" in message


def test_changes_that_no_commit_has(checkout: Path) -> None:
    """What is measured must be what it is called; a file that git does not know is not asked."""
    (checkout / "unknown").write_text("new")
    (checkout / "file").write_text("three")
    message = assert_one_line(run("bench", "--against", "HEAD~1"), 3)
    assert "1 file has changes: file;" in message


def test_no_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed copy has no other commits; neither has a folder inside another checkout."""
    monkeypatch.setattr(bench_against, "ROOT", tmp_path)
    assert "no git checkout" in assert_one_line(run("bench", "--against", "HEAD"), 3)


def test_a_folder_inside_another_checkout(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its commits are of something else."""
    (checkout / "inside").mkdir()
    monkeypatch.setattr(bench_against, "ROOT", checkout / "inside")
    assert "no git checkout" in assert_one_line(run("bench", "--against", "HEAD"), 3)


def test_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prerequisite that is missing, and how to get it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPrerequisiteError, match="apt-get install git"):
        bench_against.find_commit("HEAD")


def test_a_commit_that_cannot_be_measured(checkout: Path) -> None:
    """A tree without this program's code: its name and the last line of the reason."""
    message = assert_one_line(run("bench", "--against", "HEAD"), 3)
    assert "cannot be measured" in message
    assert "Traceback" not in message


@pytest.mark.nightly
@pytest.mark.xdist_group("kernels")
def test_this_tree_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The probe in a process of its own, with the real engines."""
    given = {"slaves": 1, "steps": 8, "healing_steps": 2, "is_swarm": False}
    rates = bench_against.measure_tree(Tree("this", bench_against.ROOT), given)
    assert {"kernel", "reference"} == set(rates)
    assert all(rate > 0 for rate in rates.values())


def test_json_has_every_round(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For programs: both commits, each round, what it comes to."""
    rate = {"kernel": 5.0, "reference": 2.0}
    monkeypatch.setattr(bench_against, "measure_tree", lambda tree, given: rate)
    asked = ("bench", "--against", "HEAD~1", "--repeat", 3, "--json")
    answer = json.loads(run(*asked).stdout)
    hashes = [git(checkout, "rev-parse", "--short", name).strip() for name in ("HEAD~1", "HEAD")]
    assert [hashes[0], f"{hashes[1]} (HEAD)"] == answer["commits"]
    assert ["kernel", "reference"] == [e["engine"] for e in answer["engines"]]
    assert [5.0] * 3 == answer["engines"][0]["before"]
    assert not answer["engines"][0]["is_beyond_noise"]
    assert "does not exceed" in run(*asked[:-1]).stdout
