"""Codes of verdicts and pages, and the options that show what a switch does."""

from __future__ import annotations

import shlex

import pytest

from properties.scenarios.summary.actions import load_actions
from properties.scenarios.summary.codes import find_code_of_cell, list_cases, list_usual_codes
from properties.scenarios.summary.rows import find_code
from properties.scenarios.summary.what_if import add_options, find_options, say_command
from properties.verdicts.certificates import load_cells
from properties.worlds.catalogue import STRUCTURES

PAIR = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave"]


@pytest.mark.parametrize(
    ("name", "claim", "fault", "code"),
    [
        (PAIR.name, "acknowledged_is_kept_on_master", "master power loss", "L12"),
        (PAIR.name, "equal_offsets_mean_equal_bytes", "none", "S41"),
        (PAIR.name, "equal_offsets_mean_equal_bytes", "master power loss", "S41"),
        (PAIR.name, "message_is_stored_once", "slave outrun by retention", "D43"),
        (PAIR.name, "acknowledged_is_kept_on_master", "none", ""),
        (PAIR.name, "read_is_kept_on_master", "master power loss", ""),
        ("reading/closed/no offset check/last", "no_message_is_skipped", "none", "D46"),
        ("reading/open slow/offset check/first", "no_message_is_skipped", "none", "D44"),
    ],
)
def test_the_code_of_a_verdict(name: str, claim: str, fault: str, code: str) -> None:
    """That of the fewest faults which break the claim; none for what no row has."""
    structure = STRUCTURES[name]
    assert code == find_code_of_cell(structure, load_cells(structure)[claim, fault])


def test_pages_have_codes_that_exist() -> None:
    """Most of them are on the screen of the embedded pair."""
    codes = {code for code, _ in list_cases()}
    assert all(find_code(code) for code in codes)
    assert {"L12", "S41", "S2", "N12"} <= codes & list_usual_codes()


def test_every_switch_has_options() -> None:
    """Each by its text, with or without what follows it."""
    for switch in load_actions().switches:
        options = find_options(switch.text)
        assert options
        assert options == find_options(f"{switch.text}: ends L12")
        assert ("--slaves" in options) == bool(switch.adds_slaves)
    assert () == find_options("Add a slave and hope")


def test_the_number_of_slaves_is_said_once() -> None:
    """A later number replaces an earlier one."""
    words = ("conf/a b", "--slaves", "0")
    assert ("conf/a b", "--slaves", "1") == add_options(words, ("--slaves", "1"))
    command = say_command(("check",), words, "Set brokerRole=ASYNC_MASTER")
    assert ["check", *words, "--what-if", "brokerRole=ASYNC_MASTER"] == shlex.split(command)[1:]
    assert "" == say_command(("check",), words, "Close the HA port")
