"""What ``fuzz`` accepts, resumes and complains of, as far as it needs no Spark."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from attrs import evolve

from command_line.fuzz import (
    command,
    find_broken_promises,
    plan,
    print_summary,
    report_broken_promises,
)
from command_line.options.fuzz_options import format_command
from properties.verdicts.certificates import decode_cells, load_required
from properties.verdicts.verdict import VerdictWord
from properties.worlds.catalogue import STRUCTURES, WORLDS, Tag, list_tagged
from reference.worlds.replication.parameters import FaultCounts
from spark_fuzz.campaign.progress import Progress
from spark_fuzz.campaign.schedule import CampaignOptions, parse_identifier
from spark_fuzz.campaign.store import MANIFEST, Manifest, create_campaign, plan_campaign
from spark_fuzz.kernel.ancestry import Lineage
from tests.command_line.run import assert_one_line, run

CONSUMER = STRUCTURES["reading/open slow/no offset check/last"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign of a consumer that has only begun."""
    create_campaign(tmp_path / "begun", Manifest(CampaignOptions(CONSUMER, steps=9), 100, 10))
    return tmp_path / "begun"


@pytest.mark.parametrize(
    "typed",
    [
        ("--seed", 1),
        ("--steps", 64),
        ("--schedules", 101),
        ("--limits", "none"),
        ("--structure", "delay/4.4.0"),
        ("--role", "SYNC_MASTER"),
        ("--slaves", 1),
        ("--out", "elsewhere"),
    ],
)
def test_contradicting_options_are_refused(folder: Path, typed: tuple[str, object]) -> None:
    """Each in one line that names it, also one that is the default of a new campaign."""
    agreeing = ["--structure", CONSUMER.name] if typed[0] != "--structure" else []
    message = assert_one_line(run("fuzz", "--resume", folder, *agreeing, *typed), 3)
    assert f"{typed[0]} {typed[1]} contradicts" in message


def test_a_folder_that_is_no_campaign_is_refused(tmp_path: Path) -> None:
    """Nothing there, or something else."""
    assert "no campaign" in assert_one_line(run("fuzz", "--resume", tmp_path / "nowhere"), 3)
    assert "no campaign" in assert_one_line(run("fuzz", "--resume", tmp_path), 3)


def test_a_campaign_of_other_rules_is_not_resumed(folder: Path) -> None:
    """Its rows would not be of one kind."""
    path = folder / MANIFEST
    text = path.read_text()
    digest = text.partition("@")[2][:8]
    path.write_text(text.replace(digest, "01234567"))
    assert "other rules" in assert_one_line(run("fuzz", "--resume", folder), 3)
    assert [path] == [p for p in folder.rglob("*") if p.is_file()]


def find_cells(word: VerdictWord) -> list[tuple[CampaignOptions, str]]:
    """Guarantees with this verdict, each with just the faults of its column as limits.

    Of every structure of every world, by the certificates, which the solvers have made; what is
    under test looks into the expectations.
    """
    found = []
    for structure in list_tagged(Tag.USUAL):
        for cell in decode_cells(structure, load_required(structure)):
            admitted = dict.fromkeys(structure.world.get_fault_model(cell.fault).admitted, 1)
            limits = structure.world.everything.counts(**admitted)
            if cell.word is word and cell.guarantee in structure.world.guarantees:
                found.append((CampaignOptions(structure, limits), cell.guarantee))
    return found


def test_whatever_is_proved_is_a_promise() -> None:
    """In each world, for each mixture of faults of the matrix."""
    cells = find_cells(VerdictWord.PROVED)
    with_promises = {options.structure for options, _ in cells}
    assert all(with_promises & set(world.structures) for world in WORLDS)
    for options, guarantee in cells:
        assert guarantee in find_broken_promises([guarantee], options)


def test_what_every_fault_refutes_is_no_promise() -> None:
    """Nor is a guarantee that is refuted for these very faults."""
    for options, guarantee in find_cells(VerdictWord.REFUTED):
        assert {} == find_broken_promises([guarantee], options)
        worst = evolve(options, limits=options.structure.world.every_fault.search_limits)
        assert {} == find_broken_promises([guarantee], worst)


def test_a_broken_promise_leaves_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    """First comes the command that replays it, then the complaint."""
    options = CampaignOptions(limits=FaultCounts(), campaign_seed=4)
    found = {"acknowledgement_is_truthful": {"shortest_lineage": "17~3.40"}}
    assert 1 == report_broken_promises({"violations": found}, options)
    command, complaint = capsys.readouterr().err.splitlines()
    verb, identifier, *rest = command.removeprefix("rmqspec ").split()
    assert ["replay", "--guarantee", "acknowledgement_is_truthful"] == [verb, *rest]
    assert (options, Lineage((17, 40), (3,))) == parse_identifier(identifier)
    assert "is proved under" in complaint
    assert 0 == report_broken_promises({"violations": {}}, options)
    assert 0 == report_broken_promises({"violations": found}, CampaignOptions())


def test_the_summary_of_a_complete_campaign(capsys: pytest.CaptureFixture[str]) -> None:
    """It says that nothing was computed."""
    summary = {
        "schedules": 10,
        "steps": 640,
        "healing_steps": 7,
        "ends": {"at rest": 9, "not in peace": 1},
        "violations": {},
        "rules_used": {"tick": 9},
        "coverage": {"kinds": []},
    }
    print_summary(summary, Progress(10, 10, 10, 0.1, {}), CampaignOptions())
    lines = capsys.readouterr().out.splitlines()
    assert "10 schedules, 647 steps, every state judged; nothing was left to compute." == lines[0]
    assert "prove nothing" in lines[1]
    print_summary(summary, Progress(10, 4, 10, 2.0, {}), CampaignOptions())
    assert "6 schedules computed in 2.0 s (3/s" in capsys.readouterr().out


@pytest.mark.parametrize(
    "options",
    [
        CampaignOptions(),
        CampaignOptions(STRUCTURES["ASYNC_MASTER/SYNC_FLUSH/3 slaves"], campaign_seed=2**62 - 1),
        CampaignOptions(CONSUMER, steps=9, is_swarm=True),
        CampaignOptions(limits=FaultCounts()),
        CampaignOptions(limits=FaultCounts(link_cuts=4, master_kills=1), steps=10_000),
    ],
)
def test_the_command_of_a_report_plans_the_same_campaign(options: CampaignOptions) -> None:
    """Typed as it stands there."""
    manifest = plan_campaign(options, 1234)
    program, verb, *words = shlex.split(format_command(manifest))
    assert ["rmqspec", "fuzz"] == [program, verb]
    wanted = command.make_context(verb, words).params
    others = {name: wanted.pop(name) for name in ("out", "resume", "master", "is_classed")}
    assert others["resume"] is None
    assert manifest == plan(**wanted)
