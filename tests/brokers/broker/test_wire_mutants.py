"""Nothing stops a wire mutant; that each is caught, the cases of conformance show."""

from __future__ import annotations

from pathlib import Path

import attrs
import click
import pytest

import brokers.broker.mutants
from brokers.broker.mutants import FAMILIES, MUTANTS, Mutant, UnknownMutantError, find_mutant
from brokers.broker.parts import USUAL_PARTS, Parts
from command_line.broker import announce, choose_mutant
from properties.generated_text import SPEC, compute_anchor
from reference.releases.versions import parse_version
from tests.brokers.broker.simulated.group import Group
from tests.brokers.broker.simulated.lone import Lone
from tests.brokers.broker.simulated.scenarios import SCENARIOS

GROUP_LINES = 300
UNREADABLE = {"frames_are_little_endian"}
"""The recorder between the brokers cannot read it."""
ROOT = Path(brokers.broker.mutants.__file__).parent


@pytest.mark.nightly
@pytest.mark.parametrize("release", ["4.4.0", "4.9.8", "5.3.3-quorum"])
@pytest.mark.parametrize("name", sorted(set(MUTANTS) - UNREADABLE))
def test_a_mutant_stops_nobody(name: str, release: str, tmp_path: Path) -> None:
    """Among brokers of its kind, which are killed, cut off and wiped, rules and bytes agree."""
    if not MUTANTS[name].applies_to(parse_version(release)):
        pytest.skip("it would be no mistake")
    for scenario in ("everything", "two_slaves", "rollovers"):
        group = Group(SCENARIOS[scenario], release, 17, tmp_path / scenario)
        for node in group.nodes:
            node.parts = MUTANTS[name].parts
        group.run(GROUP_LINES)
        assert len(group.lines) >= GROUP_LINES


def test_each_module_makes_mutants() -> None:
    """None is left out."""
    modules = {path.stem for path in ROOT.glob("*.py")} - {"__init__", "mutant", "walking"}
    assert modules == {family.__name__.rpartition(".")[2] for family in FAMILIES}


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=lambda m: m.name)
def test_a_mutant_names_a_heading(mutant: Mutant) -> None:
    """One that the book has; its sentence is one; it changes exactly one part."""
    page, _, anchor = mutant.forbidden_by.partition("#")
    lines = (SPEC / page).read_text(encoding="utf-8").splitlines()
    headings = {compute_anchor(line.lstrip("#")) for line in lines if line.startswith("#")}
    assert anchor in headings
    assert mutant.sentence.endswith(".")
    assert mutant.source
    pairs = (
        (getattr(mutant.parts, f.name), getattr(USUAL_PARTS, f.name)) for f in attrs.fields(Parts)
    )
    assert sum(mine != usual for mine, usual in pairs) == 1


def test_a_broker_without_a_mutant_is_the_usual_one(tmp_path: Path) -> None:
    """No class of a mutant is in it."""
    broker = Lone(tmp_path).broker
    assert broker.parts is USUAL_PARTS
    parts = (broker.store, broker.ha, broker.puts, broker.puts.transfer, broker.copying)
    assert not [p for p in parts if "mutants" in type(p).__module__]
    assert not USUAL_PARTS.handlers


def test_a_broker_that_cannot_show_a_mutant_is_not_one(tmp_path: Path) -> None:
    """Of another role, or of a release that does so anyway; nor is there one of any name."""
    settings = Lone(tmp_path, {"brokerRole": "SLAVE", "brokerId": "1"}).broker.settings
    with pytest.raises(click.BadParameter, match=r"no mistake in RocketMQ 4\.4\.0"):
        choose_mutant("reconnects_at_once", settings)
    with pytest.raises(click.BadParameter, match="a mutant of a master"):
        choose_mutant("no_heartbeat", settings)
    assert choose_mutant("reports_on_connect", settings).role == "slave"
    with pytest.raises(UnknownMutantError, match="no_heartbeat"):
        find_mutant("nothing")


def test_a_mutant_says_that_it_is_one(tmp_path: Path) -> None:
    """In the first of its lines."""
    broker, told = Lone(tmp_path).broker, list[str]()
    announce(told.append, find_mutant("no_heartbeat"), broker)
    first, second = told
    assert first.startswith("MUTANT no_heartbeat: it is wrong on purpose.")
    announce(told.append, None, broker)
    assert [first, second, second] == told
