"""Options that several verbs share: one name, one help, one set of values."""

from __future__ import annotations

import click
import pytest

from command_line.options.shared_options import STRUCTURE, describe_unknown
from properties.worlds.catalogue import STRUCTURES
from tests.command_line.examples import list_commands
from tests.command_line.run import assert_one_line, run

VERBS = dict(list_commands())
OF_GROUPS = ("check", "explain", "issues", "upgrade")
"""Verbs that are asked about broker files."""
LATER = "SYNC_MASTER/ASYNC_FLUSH/1 slave at 4.9.3"


def find_option(verb: str, name: str) -> click.Option | None:
    """The option of a verb that is typed like this."""
    found = [p for p in VERBS[verb].params if name in p.opts]
    return next((p for p in found if isinstance(p, click.Option)), None)


@pytest.mark.parametrize("name", ["--slaves", "--what-if", "--rocketmq-version", "--group"])
def test_verbs_about_groups_have_one_vocabulary(name: str) -> None:
    """With the same help; upgrade names two releases in place of one, and no consumers."""
    options = {verb: find_option(verb, name) for verb in OF_GROUPS}
    lacking = {verb for verb, option in options.items() if option is None}
    assert lacking == ({"upgrade"} if name in ("--rocketmq-version", "--group") else set())
    assert 1 == len({option.help for option in options.values() if option is not None})


def test_verbs_about_groups_take_files() -> None:
    """Any number of them, under one name."""
    for verb in OF_GROUPS:
        (files,) = [p for p in VERBS[verb].params if "FILE_OR_DIRECTORY" in str(p.metavar)]
        assert -1 == files.nargs


@pytest.mark.parametrize("verb", [v for v in VERBS if find_option(v, "--structure")])
def test_structures_have_the_same_names_everywhere(verb: str) -> None:
    """One type, which knows every structure of every release."""
    option = find_option(verb, "--structure")
    assert option is not None
    assert option.type is STRUCTURE
    assert set(STRUCTURE.known) == set(STRUCTURES)


@pytest.mark.parametrize(
    ("value", "first"),
    [
        ("sync_master/async_flush/1 slave", "SYNC_MASTER/ASYNC_FLUSH/1 slave"),
        ("SYNC_MASTER/ASYNC_FLUSH/1 slaves", "SYNC_MASTER/ASYNC_FLUSH/1 slave"),
        ("Delay/4.4", "delay/4.4.0"),
    ],
)
def test_a_misspelt_structure_is_suggested(value: str, first: str) -> None:
    """In whatever case."""
    told = describe_unknown(value, STRUCTURES, "structure")
    assert told.partition("nearest are ")[2].startswith(first)


@pytest.mark.parametrize(
    "words",
    [
        ("judges", "--structure", "system/sync master/async flush/closed/no offset check/first"),
        ("export", "vectors", "--out", "x", "--structure", LATER),
        ("export", "smt-lib", "--out", "x", "--structure", LATER),
        ("mutants", "--structure", LATER),
    ],
    ids=" ".join,
)
def test_a_verb_says_which_structures_it_lacks(words: tuple[str, ...]) -> None:
    """With the nearest that it has."""
    assert "nearest are" in assert_one_line(run(*words), 3)


def test_prove_takes_a_structure_of_a_release() -> None:
    """By its name, as by --rocketmq-version; the head says which release it is."""
    result = run("prove", "--structure", "ASYNC_MASTER/ASYNC_FLUSH/0 slaves at 4.9.3")
    assert 0 == result.returncode
    assert result.stdout.startswith("Model of RocketMQ 4.9.3")
