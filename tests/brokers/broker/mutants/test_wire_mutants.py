"""Each wire mutant differs from the usual broker where it should, and nothing stops it."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import click
import pytest

import brokers.broker.mutants
from brokers.broker.mutants import FAMILIES, MUTANTS, Mutant, UnknownMutantError, find_mutant
from brokers.broker.parts import USUAL_PARTS, Parts
from command_line.broker import announce, choose_mutant
from properties.generated_text import SPEC, compute_anchor
from reference.releases.versions import Version, parse_version
from tests.brokers.broker.mutants.bench import Bench
from tests.brokers.broker.mutants.shown import SHOWN
from tests.brokers.broker.simulated.group import Group
from tests.brokers.broker.simulated.lone import Lone
from tests.brokers.broker.simulated.scenarios import SCENARIOS

LATER = ("4.5.2", "4.6.0", "4.9.1", "4.9.8", "5.0.0", "5.3.3", "5.0.0-quorum", "5.3.3-quorum")
GROUP_LINES = 300
UNREADABLE = {"frames_are_little_endian"}
"""The recorder between the brokers cannot read it."""
ROOT = Path(brokers.broker.mutants.__file__).parent


def see(name: str, release: str, parts: Parts) -> Any:
    """What is seen of a broker in the situation of this mutant."""
    with tempfile.TemporaryDirectory() as folder:
        return SHOWN[name].situation(Bench(Path(folder), release, parts))


@cache
def see_usual(situation: Any, release: str) -> Any:
    """The same of a usual broker, once for all mutants that a situation shows."""
    with tempfile.TemporaryDirectory() as folder:
        return situation(Bench(Path(folder), release))


def find_first(mutant: Mutant) -> Version:
    """The first release that has it."""
    span = mutant.spans[0]
    return Version(span.since, span.modes[0])


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_shows_itself(name: str) -> None:
    """The usual broker does the one thing, the mutant the other."""
    shown, release = SHOWN[name], find_first(MUTANTS[name]).name
    assert see_usual(shown.situation, release) == shown.right
    assert see(name, release, MUTANTS[name].parts) == shown.wrong
    assert shown.right != shown.wrong


@pytest.mark.nightly
@pytest.mark.parametrize("release", LATER)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_shows_itself_in_later_releases(name: str, release: str) -> None:
    """Wherever it says that it applies."""
    if not MUTANTS[name].applies_to(parse_version(release)):
        pytest.skip("it would be no mistake")
    usual = see_usual(SHOWN[name].situation, release)
    assert see(name, release, MUTANTS[name].parts) != usual


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


def test_every_mutant_has_a_situation() -> None:
    """And every situation a mutant; each module makes some."""
    assert set(SHOWN) == set(MUTANTS)
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
    bench = Bench(tmp_path)
    settings = bench.start("SLAVE", brokerId=1).broker.settings
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
