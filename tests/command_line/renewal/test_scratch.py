"""A change in a copy of the checkout: exactly what is computed from it becomes stale."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import frozen

from command_line.renewal.artefact import Artefact, Need
from command_line.renewal.certified import list_certified
from command_line.renewal.register import list_artefacts
from properties.checkout import ROOT
from properties.worlds.catalogue import Tag, list_tagged
from properties.worlds.delay.world import DELAY
from reference.language.machine import record_machine

pytestmark = pytest.mark.nightly

ANSWERS = [each for each in list_artefacts() if each.need is Need.ANSWER]
STRUCTURES = {s.name: s for s in (*list_certified(), *list_tagged(Tag.USUAL, Tag.SYSTEM))}

MORE_CLAIM = '''

@guarantee(why="An example.", premise=is_passed)
def example_holds(state: Delay) -> bool:
    """The end of a queue is not negative."""
    return all_of(*(b.queue_max >= 0 for b in state.brokers))
'''


@frozen
class Change:
    """An edit of one file, and which artefacts are computed from it."""

    file: str
    old: str
    new: str
    concerns: Callable[[Artefact], bool]


def has_flush(artefact: Artefact) -> bool:
    """It is about a structure with a slave, or about many that all have one."""
    if artefact.about not in STRUCTURES:
        return True
    steps = record_machine(STRUCTURES[artefact.about])
    return any(step.instance.rule.name == "flush_slave" for step in steps)


def is_of_delay(artefact: Artefact) -> bool:
    """It is about delayed delivery."""
    return artefact.about in {structure.name for structure in DELAY.structures}


CHANGES = {
    "a condition": Change(
        "reference/worlds/replication/flush.py",
        "is_slave_up=broker.is_up, has_unflushed_bytes",
        "is_slave_up=broker.is_up, has_any_byte=cached > 0, has_unflushed_bytes",
        has_flush,
    ),
    "a claim": Change("properties/worlds/delay/guarantee.py", "", MORE_CLAIM, is_of_delay),
    "a size": Change(
        "reference/worlds/delay/state.py",
        "SMALL_DELAY = DelayParameters(ghost_queue_size_max=3)",
        "SMALL_DELAY = DelayParameters(ghost_queue_size_max=4)",
        is_of_delay,
    ),
    "a release": Change(
        "reference/releases/releases.py",
        '    "4.9.8",\n    "5.0.0",\n',
        '    "4.9.8",\n    "4.9.99",\n    "5.0.0",\n',
        lambda artefact: False,
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_exactly_what_is_computed_from_it_is_stale(tmp_path: Path, what: str) -> None:
    """Certificates and tables of the structures that a change concerns, and no others."""
    change = CHANGES[what]
    copy_checkout(tmp_path)
    path = tmp_path / change.file
    text = path.read_text()
    assert text.count(change.old) == 1 or not change.old
    path.write_text(text.replace(change.old, change.new) if change.old else text + change.new)
    assert list_stale(tmp_path) == {each.name for each in ANSWERS if change.concerns(each)}


def test_nothing_is_stale_in_a_copy(tmp_path: Path) -> None:
    """What is shipped is current."""
    copy_checkout(tmp_path)
    assert not list_stale(tmp_path)


def copy_checkout(folder: Path) -> None:
    """All that git tracks, as it is now."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)


def list_stale(folder: Path) -> set[str]:
    """What a plan in this copy tells."""
    words = [sys.executable, "-P", "-m", "command_line", "renew", "--plan", "--json"]
    told = subprocess.run(
        [*words, "--for", "answers"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return {each["name"] for each in json.loads(told.stdout) if each["word"] != "current"}
