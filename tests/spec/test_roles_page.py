"""The chapter on roles names every key that the code reads, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from book.implementers.configuration_uses import (
    CHECKED_KEYS,
    IDENTITY,
    OWN_BROKER,
    READING,
    STOCK_KEYS,
    TIMES,
    VERDICTS,
    KeyUse,
)
from book.model import roles_page
from book.model.roles_page import REFUSED, WARNED, FilesExample, read_messages
from brokers.configuration_files import read_properties
from properties.checkout import ROOT
from properties.scenarios.analysis.log import analyse_log
from reference.configuration.keys import KEYS, OUTSIDE_THE_MODEL
from reference.worlds.replication.parameters import SIZE_KEYS, SLAVES_MAX
from tests.brokers.broker_files import MASTER, SLAVE, read_group
from tests.brokers.broker_files import STOCK as STOCK_FOLDER

USES = (*IDENTITY, *VERDICTS, *READING, *TIMES, *OWN_BROKER)

LISTS = {"keys.py", "later_keys.py", "controller_keys.py", "release_keys.py"}
"""The files that list keys and read none."""

GROUP_OPTIONS = {"subscription_group.py"}
"""A file whose names are options of a subscription group, some called like keys of a broker."""

CHECK = (
    "reference/configuration/broker_group.py",
    "brokers/configuration_files.py",
    "reference/configuration/deployments.py",
    "reference/configuration/file_warnings.py",
    "reference/worlds/replication/parameters.py",
    "properties/scenarios/analysis/log.py",
    "properties/scenarios/analysis/reading.py",
)
"""What reads a broker's file for `check`."""


@cache
def find_keys(path: Path) -> frozenset[str]:
    """The keys of 4.4.0 that a file of ours names in its code."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    texts = {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return frozenset(texts & set(KEYS))


def find_read(paths: Iterable[Path]) -> set[str]:
    """The keys that some files name, those left out under which no verdict is given."""
    found = set().union(*map(find_keys, paths))
    return {key for key in found if key not in OUTSIDE_THE_MODEL or key == "haMasterAddress"}


def test_every_key_that_is_read_is_told() -> None:
    """What the code of the model names, and nothing else, stands in the tables."""
    files = [
        f for room in ("reference", "brokers", "properties") for f in (ROOT / room).rglob("*.py")
    ]
    assert {u.name for u in USES} == find_read(
        f for f in files if f.name not in LISTS | GROUP_OPTIONS
    )


DECIDING = ("brokerRole", "flushDiskType", "transientStorePoolEnable")
"""What decides the shape of a group."""


ASSUMED = {"fileReservedTime", "haHousekeepingInterval", "haSendHeartbeatInterval"}
"""What `check` reads for the assumptions only, which have a page of their own."""


def test_keys_of_check_are_those_of_its_modules() -> None:
    """Each is read on the way from a file to an answer."""
    assert {*CHECKED_KEYS, *ASSUMED} == find_read(ROOT / name for name in CHECK)
    assert len(CHECKED_KEYS) == len(set(CHECKED_KEYS))
    assert {*SIZE_KEYS.values(), *DECIDING} == {u.name for u in VERDICTS}
    assert [u.name for u in READING[:3]] == [u.name for u in READING if u.name in CHECKED_KEYS]


@pytest.mark.parametrize("use", USES, ids=lambda use: use.name)
def test_units_are_those_of_the_kind(use: KeyUse) -> None:
    """A number has a unit; a name and a yes or no have none."""
    is_number = isinstance(KEYS[use.name].default, int) and not isinstance(
        KEYS[use.name].default, bool
    )
    if use.name not in {"brokerId", "haMasterAddress"}:
        assert (use.unit != "-") == is_number


def test_stock_keys_are_those_of_the_stock_files() -> None:
    """Every file has just these, and what is called read is read."""
    files = [f for f in STOCK_FOLDER.rglob("*") if f.suffix in (".properties", ".conf")]
    for file in files:
        assert {entry.key for entry in read_properties(file)} == set(STOCK_KEYS)
    assert {k for k, told in STOCK_KEYS.items() if told == "read"} == set(STOCK_KEYS) & set(
        CHECKED_KEYS
    )


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.why)
def test_refused_files_are_refused(case: FilesExample) -> None:
    """One line, which names the file and its line and gives an advice."""
    (message,) = read_messages(case)
    assert re.match(r"[abc]\.conf:\d+: .+; \S+ \S+", message)


@pytest.mark.parametrize("case", WARNED, ids=lambda case: case.why)
def test_odd_files_are_warned_about(case: FilesExample) -> None:
    """One line without an advice: the answer goes on."""
    (message,) = read_messages(case)
    assert re.match(r"a\.conf:\d+: ", message)
    assert message not in {text for refused in REFUSED for text in read_messages(refused)}


def test_larger_groups_get_no_verdict(tmp_path: Path) -> None:
    """One slave more than the text says is too many."""
    assert 3 == SLAVES_MAX
    slaves = {f"s{n}": SLAVE.replace("=1", f"={n}") for n in range(1, SLAVES_MAX + 2)}
    analysis = analyse_log(read_group(tmp_path, a=MASTER, **slaves))
    assert {"undecided"} == {v.word.value for v in analysis.verdicts}
    assert "4 slaves" in analysis.outside_the_model[0]


def test_the_exit_code_of_a_refusal_is_told() -> None:
    """By hand, before the table of refusals."""
    text = roles_page.PAGE.path.read_text(encoding="utf-8")
    assert "at these with one line and exit code 3" in text
