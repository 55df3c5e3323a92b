"""The exported module: it parses, it has every rule and claim, and a wrong word is noticed."""

from __future__ import annotations

import re

import pytest

from properties.tla.module import find_refuted, list_claims, write_module
from properties.tla.page import STOCK, STOCK_FAULT, write_shown
from properties.worlds import KNOWN_STRUCTURES, STRUCTURES, find_world
from reference.machine import compute_machine
from tests.properties.tla.interpreter import Module, parse
from tests.properties.tla.test_meaning import convert_state, export, list_steps, sort_states, walk

STANDARD_MODULES = {"Integers", "FiniteSets"}
WRONG_WORDS = (
    ("has_connection /\\ (distance", "~has_connection /\\ (distance"),
    ("![slave].has_reported = TRUE", "![slave].has_reported = FALSE"),
    ("Max(master.push2_slave_max_offset,", "Min(master.push2_slave_max_offset,"),
    ("/\\ is_request_zero(slave)", "/\\ TRUE"),
    ("\\E s \\in Slaves : has_message", "\\E s \\in Slaves : ~has_message"),
    ("life <= t", "life < t"),
)


def test_every_rule_is_an_action_with_sentence_and_source() -> None:
    """Nothing is left out, and each action says what it mirrors."""
    text = write_shown(STOCK).text
    for rule in {i.rule for i in compute_machine(STRUCTURES[STOCK]).instances.values()}:
        found = re.search(rf"((?:\\\*.*\n)+){rule.name}(\(.*\))? ==\n", text)
        assert found, rule.name
        written = " ".join(line.removeprefix("\\* ") for line in found[1].splitlines())
        assert rule.sentence.replace("``", "") in written
        assert f"{rule.who}: {rule.source}" in written


def test_only_standard_modules_are_used() -> None:
    """SANY finds what the module extends."""
    (line,) = re.findall(r"^EXTENDS (.*)$", write_shown(STOCK).text, re.MULTILINE)
    assert set(line.split(", ")) <= STANDARD_MODULES


def test_configuration_has_every_constant_and_claim() -> None:
    """TLC is told all constants; what falls in this column is named, but not claimed."""
    module = write_shown(STOCK)
    declared = module.text.partition("CONSTANTS\n")[2].partition("\n\n")[0]
    constants = [name.strip() for name in declared.split(",")]
    assert re.findall(r"^    (\w+) = \d+$", module.configuration, re.MULTILINE) == constants
    claimed = re.findall(r"^INVARIANT (\w+)$", module.configuration, re.MULTILINE)
    structure = STRUCTURES[STOCK]
    refuted = find_refuted(structure, find_world(structure).get_column(STOCK_FAULT))
    assert refuted
    assert {*claimed, *refuted} == set(list_claims(structure))
    assert not {*claimed} & {*refuted}


@pytest.mark.parametrize(("right", "wrong"), WRONG_WORDS)
def test_a_wrong_word_is_noticed(right: str, wrong: str) -> None:
    """The comparison of successors and the grammar would see a slip of the export."""
    good, parameters = export(STOCK)
    text = write_shown(STOCK).text
    assert right in text
    bad = Module(text.replace(right, wrong), good.constants)
    machine = compute_machine(STRUCTURES[STOCK])
    for state in walk(STOCK, parameters, 600):
        plain = convert_state(state, good.variables)
        steps = list_steps(machine, state)
        expected = [convert_state(machine.step(state, s).cluster, good.variables) for s in steps]
        expected.append(plain)
        if sort_states(bad.list_successors(plain)) != sort_states(expected):
            return
        claims = list_claims(STRUCTURES[STOCK])
        if any(bad.holds(n, plain) != c.predicate(state) for n, c in claims.items()):
            return
    pytest.fail(f"{wrong!r} for {right!r} was not noticed")


@pytest.mark.nightly
@pytest.mark.parametrize("name", KNOWN_STRUCTURES)
def test_every_structure_of_every_release_is_written(name: str) -> None:
    """It expands to the rules, its names are unambiguous, and it parses."""
    structure = KNOWN_STRUCTURES[name]
    parse(
        write_module(
            structure, find_world(structure).everything, find_world(structure).sizes.search
        ).text
    )
