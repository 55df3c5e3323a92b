"""The exported module: it parses, it has every rule and claim, and a wrong word is noticed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from book.implementers.model_checkers_page import STOCK_FAULT, write_shown
from properties.exports.tla import TLA, find_refuted, list_claims, write_module, write_value
from properties.worlds.catalogue import STRUCTURES, WORLDS, Tag, list_tagged
from properties.worlds.replication.structures import STOCK_PAIR
from properties.worlds.tables.world import TABLES
from reference.language.leaves import compute_leaf_sorts
from reference.language.machine import compute_machine
from reference.language.operator_table import Sort
from reference.language.operators import choose, maximum, minimum, quotient, remainder
from reference.language.terms import leaf, record
from reference.worlds.tables import state as tables_state
from tests.properties.exports.test_tla_meaning import (
    convert_state,
    export,
    list_steps,
    sort_states,
    walk,
)
from tests.properties.exports.tla_interpreter import Module, parse
from tests.structures import leave_most_to_night

X, Y = leaf("links.0.arrived_offset", Sort.INTEGER), leaf("argument.size_bytes", Sort.INTEGER)
SIZE = leaf("parameters.mapped_file_size_bytes", Sort.INTEGER)
KILLS = leaf("parameters.limits.master_kills", Sort.INTEGER)
P, Q = (leaf(name, Sort.BOOLEAN) for name in ("is_promoted", "master.is_up"))

WRONG_WORDS = (
    ("(0 < master.connection_count)", "(0 <= master.connection_count)"),
    ("![0].has_reported = TRUE", "![0].has_reported = FALSE"),
    ("Max(master.push2_slave_max_offset,", "Min(master.push2_slave_max_offset,"),
    ("    /\\ is_request_zero\n", "    /\\ TRUE\n"),
    ("(IF (master.ghost_life <= 0)", "(IF (master.ghost_life < 0)"),
)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (X + Y, "(links[0].arrived_offset + size_bytes)"),
        (
            record("not", record("equal", X, SIZE)),
            "~(links[0].arrived_offset = mapped_file_size_bytes)",
        ),
        (
            P & Q & (X <= KILLS),
            "(is_promoted /\\ master.is_up /\\ (links[0].arrived_offset <= master_kills_max))",
        ),
        (choose(P, Y, -1), "(IF is_promoted THEN size_bytes ELSE (-1))"),  # type: ignore[call-overload]
        (choose(P, Q, False), "(IF is_promoted THEN master.is_up ELSE FALSE)"),  # type: ignore[call-overload]
        (minimum(Y, maximum(SIZE, 2)), "Min(size_bytes, Max(mapped_file_size_bytes, 2))"),  # type: ignore[arg-type]
        (quotient(Y, 2) - remainder(Y, 2), "((size_bytes \\div 2) - (size_bytes % 2))"),  # type: ignore[arg-type]
    ],
    ids=str,
)
def test_terms_read_like_tla(term: Any, text: str) -> None:
    """Each operator; a leaf is a place in the state, a constant, or an argument."""
    assert text == TLA.write(term)


def test_values_are_records_and_functions() -> None:
    """Members that differ are told apart by their number."""
    assert "[ends |-> [j \\in 0..1 |-> 0]]" == write_value({"ends": {"0": "0", "1": "0"}})
    members = {"0": "1", "1": "1", "2": "3"}
    assert "[i \\in 0..2 |-> IF i = 0 THEN 1 ELSE IF i = 1 THEN 1 ELSE 3]" == write_value(members)


def test_every_rule_is_an_action_with_sentence_and_source() -> None:
    """Nothing is left out, and each action says what it mirrors."""
    text = write_shown().text
    for instance in compute_machine(STOCK_PAIR).instances.values():
        name = "_".join([instance.rule.name, *map(str, instance.indexes)])
        found = re.search(rf"((?:\\\*.*\n)+){name} ==\n", text)
        assert found, name
        written = " ".join(line.removeprefix("\\* ") for line in found[1].splitlines())
        assert instance.rule.sentence.replace("``", "") in written
        assert f"{instance.rule.who}: {instance.rule.source}" in written
        assert f"    \\/ {name}\n" in text


def test_codes_are_those_of_the_reference() -> None:
    """The comment about a field tells its numbers."""
    assert [getattr(tables_state, name) for name in TABLES.numbers.codes["stage"]] == list(range(5))
    known = {p.rpartition(".")[2] for s in list_tagged(Tag.USUAL) for p in compute_leaf_sorts(s)}
    codes = {name for world in WORLDS for name in world.numbers.codes}
    assert codes <= known
    assert "\\* phase: 0 NOT_SENT, 1 REFUSED, 2 WAITS_FOR_DISK" in write_shown().text


def test_configuration_has_every_constant_and_claim() -> None:
    """TLC is told all constants; what falls in this column is named, but not claimed."""
    module = write_shown()
    declared = module.text.partition("CONSTANTS\n")[2].partition("\n\n")[0]
    constants = [name.strip() for name in declared.split(",")]
    assert re.findall(r"^    (\w+) = \d+$", module.configuration, re.MULTILINE) == constants
    claimed = re.findall(r"^INVARIANT (\w+)$", module.configuration, re.MULTILINE)
    refuted = find_refuted(STOCK_PAIR, STOCK_PAIR.world.get_fault_model(STOCK_FAULT))
    assert refuted
    assert {*claimed, *refuted} == set(list_claims(STOCK_PAIR))
    assert not {*claimed} & {*refuted}


@pytest.mark.parametrize(("right", "wrong"), leave_most_to_night(WRONG_WORDS[::-1], 3))
def test_a_wrong_word_is_noticed(right: str, wrong: str) -> None:
    """The comparison of successors and the grammar would see a slip of the export."""
    good, parameters = export(STOCK_PAIR.name)
    text = write_shown().text
    assert right in text
    bad = Module(text.replace(right, wrong), good.constants)
    machine = compute_machine(STOCK_PAIR)
    for state in walk(STOCK_PAIR.name, parameters, 600):
        plain = convert_state(state)
        steps = list_steps(machine, state)
        expected = [plain, *(convert_state(machine.step(state, s).cluster) for s in steps)]
        if sort_states(bad.list_successors(plain)) != sort_states(expected):
            return
        claims = list_claims(STOCK_PAIR)
        if any(bad.holds(n, plain) != c.predicate(state) for n, c in claims.items()):
            return
    pytest.fail(f"{wrong!r} for {right!r} was not noticed")


@pytest.mark.nightly
@pytest.mark.parametrize("name", STRUCTURES)
def test_every_structure_of_every_release_is_written(name: str) -> None:
    """Every name means one thing, a bound one too, and the text parses."""
    structure = STRUCTURES[name]
    small = structure.world.sizes.search
    text = write_module(structure, structure.world.everything, small).text
    parse(text)
    declared = re.findall(r"^(?:CONSTANTS|VARIABLES)((?:\s+\w+,?)+)$", text, re.MULTILINE)
    names = re.findall(r"\w+", " ".join(declared)) + re.findall(r"^(\w+)(?:\(.*\))? ==", text, re.M)
    assert sorted({*names}) == sorted(names)
    bound = {n for line in text.splitlines() for n in re.findall(r"(\w+) \\in ", line)}
    assert not bound & {*names}
