"""A campaign interrupted at any moment: one line, no process left, the same files at last."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from command_line.output.interruption import SIGNALS
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.store import Manifest, create_campaign
from tests.command_line.interrupted import Ended, start_rmqspec
from tests.command_line.run import run

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

SEED = 20
MOMENTS = 50

NEW = ("--schedules", 60_000, "--seed", 3)
"""A campaign of two units, which the command line begins."""
BEGUN = Manifest(CampaignOptions(campaign_seed=3), 60_000, 3000)
"""One of twenty units, which it continues."""


def list_words(folder: Path, *, is_new: bool) -> list[object]:
    """What is typed for a campaign in this folder; one to be continued is created."""
    if is_new:
        return ["fuzz", *NEW, "--out", folder, "--master", "local[1]"]
    create_campaign(folder, BEGUN)
    return ["fuzz", "--resume", folder, "--master", "local[1]"]


def read_all(folder: Path) -> dict[str, bytes]:
    """Every file of a campaign, byte for byte."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, tuple[float, Path]]:
    """Both campaigns, and how many seconds a process takes for each."""
    found = {}
    for is_new in (True, False):
        folder = tmp_path_factory.mktemp("undisturbed") / "campaign"
        begun = time.monotonic()
        ended = start_rmqspec(*list_words(folder, is_new=is_new)).wait()
        found[is_new] = (time.monotonic() - begun, folder)
        assert (0, []) == (ended.code, ended.said)
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("moment", range(MOMENTS))
def test_any_moment(
    moment: int, tmp_path: Path, undisturbed: dict[bool, tuple[float, Path]]
) -> None:
    """Drawn from the time that an undisturbed one takes; a signal may also come after the end."""
    chance = random.Random(f"{SEED} {moment}")
    is_new, number = chance.random() < 0.5, chance.choice(SIGNALS)
    is_to_group = chance.random() < 0.5
    seconds_in_all, expected = undisturbed[is_new]
    seconds = chance.uniform(0.0, seconds_in_all)
    print(f"seed {SEED}, moment {moment}: {number.name} after {seconds:.2f} s, {is_to_group=}")
    folder = tmp_path / "campaign"
    started = start_rmqspec(*(words := list_words(folder, is_new=is_new)))
    time.sleep(seconds)
    started.send(number, is_to_group=is_to_group)
    ended = started.wait()
    print(ended)
    check_end(ended, folder, words)
    resume(folder, words)
    assert read_all(expected) == read_all(folder)


def check_end(ended: Ended, folder: Path, words: list[object]) -> None:
    """One line that says how to go on, or nothing if the end came first."""
    assert [] == ended.left
    if ended.code == 0:
        assert [] == ended.said
        return
    assert 130 == ended.code, ended.said
    (line,) = ended.said
    assert line.startswith("rmqspec: interrupted")
    assert line.endswith(
        f"continue: rmqspec fuzz --resume {folder} --master 'local[1]'"
        if "units are in place" in line
        else "the same command begins it again"
        if "the campaign began" in line
        else "the same command begins again"
    )


def resume(folder: Path, words: list[object]) -> None:
    """Do what the line says, in this process."""
    result = run(*(["fuzz", "--resume", folder] if folder.exists() else words))
    assert 0 == result.returncode, result.stderr
