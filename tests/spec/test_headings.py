"""The text and the code name the same things and say the same about them."""

import ast
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import reference.worlds.replication.parameters
import reference.worlds.replication.shape
import reference.worlds.replication.state
from book.model import system_page
from book.model.code_page import (
    TOPIC_SHELVES,
    MissingMeaningError,
    add_sections,
    get_meaning,
    list_conditions,
)
from properties.generated_text import SPEC
from properties.language.property import Property
from properties.verdicts.verdict import VerdictWord
from properties.worlds.catalogue import OTHER_WORLDS
from properties.worlds.replication.fault_models import FAULT_MODELS
from properties.worlds.replication.world import (
    CLAIMS,
    LEMMAS,
    SANITY_CHECKS,
    WITNESSES,
    ClaimedGroup,
)
from properties.worlds.system.world import SYSTEM
from reference import ROCKETMQ_VERSION
from reference.language.leaves import symbolic_cluster
from reference.language.machine import compute_machine, record_machine
from reference.roles import FlushDiskType, Role
from reference.worlds.replication.conditions import MEANINGS
from reference.worlds.replication.rules import RULES

RECORDINGS = SPEC.parents[1] / "shared" / "traces"
OWN_RECORDINGS = SPEC.parent / "tests" / "data"

PROPERTIES: dict[str, Property] = {**CLAIMS, **LEMMAS, **SANITY_CHECKS, **WITNESSES}

STRUCTURES = [
    ClaimedGroup(role=role, flush_disk_type=flush_disk_type, slaves=slaves)
    for role, flush_disk_type, slaves in itertools.product(
        (Role.ASYNC_MASTER, Role.SYNC_MASTER), FlushDiskType, range(3)
    )
]

HEADING = re.compile(r"^#+ `(\w+)`$", re.MULTILINE)
"""A heading that is an identifier."""

CITATION = re.compile(r"`(\w+)` seq (\d+) \(`(\w+)`\)")
"""A line of a recording: its name, its number, its kind of event."""


def read_chapter(name: str) -> str:
    """The text of one chapter."""
    return (SPEC / f"{name}.md").read_text(encoding="utf-8")


def find_headings() -> Iterator[tuple[str, str]]:
    """Every heading that is an identifier, as (chapter, identifier)."""
    for path in sorted(SPEC.glob("*.md")):
        for name in HEADING.findall(path.read_text(encoding="utf-8")):
            yield path.stem, name


def find_section(chapter: str, name: str) -> str:
    """What stands under the heading of an identifier, up to the next heading, on one line each."""
    _, found, rest = read_chapter(chapter).partition(f"# `{name}`\n")
    assert found, f"no heading `{name}` in {chapter}.md"
    return re.split(r"^#+ ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def find_rule_section(name: str) -> str:
    """The section of a rule, in the chapter that is called like its module."""
    return find_section(RULES[name].topic, name)


def find_property_chapter(name: str) -> str:
    """Lemmas have a chapter of their own."""
    return "lemmas" if name in LEMMAS else "guarantees"


def find_entry(section: str, label: str) -> str:
    """What stands behind a bold label in a list; empty where there is no such label."""
    found = re.search(rf"^- \*\*{label}:\*\* (.+?)(?=^- |^$)", section, re.MULTILINE | re.DOTALL)
    return " ".join(found[1].split()) if found else ""


def find_names(section: str, label: str) -> list[str]:
    """The identifiers that begin the items of the list below a bold line."""
    _, _, rest = section.partition(f"**{label}**\n")
    return re.findall(r"^- `(\w+)`: ", rest.partition("\n**")[0], re.MULTILINE)


def find_quotation(section: str) -> str:
    """The quotation that a section begins with."""
    lines = itertools.takewhile(lambda line: line.startswith("> "), section.strip().splitlines())
    return " ".join(line.removeprefix("> ") for line in lines)


def find_rows(section: str) -> list[tuple[str, ...]]:
    """The cells of the tables of a section, without their heads."""
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return [tuple(row) for row in rows[2:]]


def find_classes() -> dict[str, list[tuple[str, str, str]]]:
    """Field, type and docstring of every field of the classes of the state, from their source."""
    classes = {}
    topics = reference.worlds.replication
    for module in (topics.shape, topics.parameters, topics.state):
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and node.decorator_list:
                classes[node.name] = list(find_fields(node))
    return classes


def find_fields(node: ast.ClassDef) -> Iterator[tuple[str, str, str]]:
    """Field, type and docstring, in the style of the text."""
    for field, following in itertools.pairwise(node.body):
        if isinstance(field, ast.AnnAssign) and isinstance(following, ast.Expr):
            docstring = " ".join(ast.literal_eval(following.value).replace("``", "`").split())
            yield f"`{ast.unparse(field.target)}`", f"`{ast.unparse(field.annotation)}`", docstring


def compute_conditions(rule: str) -> list[str]:
    """The names of a rule's conditions in any structure, also of those that are always true."""
    names: dict[str, None] = {}
    for structure in STRUCTURES:
        for instance in compute_machine(structure).instances.values():
            if instance.rule.name == rule:
                names.update(dict.fromkeys(next(instance.start(symbolic_cluster(structure))).named))
    return list(names)


def compute_arguments(rule: str) -> list[str]:
    """The names of a rule's arguments."""
    names: dict[str, None] = {}
    for recorded in itertools.chain.from_iterable(map(record_machine, STRUCTURES)):
        if recorded.instance.rule.name == rule:
            names.update(dict.fromkeys(name for name, *_ in recorded.arguments))
    return list(names)


def test_every_heading_has_its_object_and_every_object_its_heading() -> None:
    """Rules stand in the chapter of their topic, properties and classes in one of their own."""
    expected = [(rule.topic, name) for name, rule in RULES.items()]
    expected += [(find_property_chapter(name), name) for name in PROPERTIES]
    expected += [("state", name) for name in find_classes()]
    expected += [(w.topic, name) for w in OTHER_WORLDS for name in (*w.rules, *w.claims, *w.lemmas)]
    expected += [("system", name) for name in (*SYSTEM.claims, *system_page.LEMMAS)]
    assert sorted(expected) == sorted(find_headings())


@pytest.mark.parametrize("name", RULES)
def test_rule_says_who_acts_for_what_and_where(name: str) -> None:
    """Actor, indexes and source of a rule are those of the registry."""
    rule, section = RULES[name], find_rule_section(name)
    expected = (rule.who, ", ".join(f"`{index}`" for index in rule.indexes), rule.source)
    assert expected == tuple(find_entry(section, x) for x in ("Who", "For each", "Source"))


@pytest.mark.parametrize("name", RULES)
def test_rule_names_its_conditions(name: str) -> None:
    """The conditions in the text are those of the code, in the same order."""
    assert compute_conditions(name) == find_names(find_rule_section(name), "Enabled when")


@pytest.mark.parametrize("name", RULES)
def test_rule_names_its_arguments(name: str) -> None:
    """The arguments in the text are those of the code, each with its range."""
    section = find_rule_section(name)
    assert compute_arguments(name) == re.findall(r"^- \*\*Argument:\*\* `(\w+)`, ", section, re.M)


@pytest.mark.parametrize("name", RULES)
def test_rule_has_prose(name: str) -> None:
    """A section begins with a paragraph of prose."""
    assert not find_rule_section(name).strip().startswith(("-", "*", "|", "<"))


def test_a_condition_has_a_meaning_in_one_place() -> None:
    """And no meaning is of a condition that no rule has."""
    assert set(MEANINGS) == {c for rule in RULES.values() for c in list_conditions(rule)}


def test_a_condition_without_a_meaning_is_told() -> None:
    """In one line, with where to write it."""
    with pytest.raises(MissingMeaningError, match=r"`is_new` of flush_slave .*/condition_kinds"):
        get_meaning(RULES["flush_slave"], "is_new")


def test_a_rule_without_a_section_gets_one() -> None:
    """Its docstring is the first draft, behind the section of the rule before it."""
    shelf, text = TOPIC_SHELVES["flush"], read_chapter("flush")
    section = re.search(r"\n## `flush_slave`\n.*", text, re.DOTALL)
    assert section is not None
    without = text[: section.start()]
    added = add_sections(shelf, without)
    assert added.startswith(without.rstrip())
    assert RULES["flush_slave"].sentence in added
    assert "<!-- begin code: flush_slave -->" in added


@pytest.mark.parametrize("name", PROPERTIES)
def test_property_is_quoted(name: str) -> None:
    """The quotation below the heading is the sentence of the code."""
    sentence = PROPERTIES[name].sentence.replace("``", "`")
    assert sentence == find_quotation(find_section(find_property_chapter(name), name))


@pytest.mark.parametrize("name", LEMMAS)
def test_lemma_says_what_demanded_it(name: str) -> None:
    """Each lemma names the counterexample to induction that demanded it."""
    section = " ".join(find_section("lemmas", name).split())
    assert f"Demanded by: {LEMMAS[name].why}" in section


@pytest.mark.parametrize("name", find_classes())
def test_class_has_its_fields(name: str) -> None:
    """Fields, types and meanings in the table are those of the code."""
    assert find_classes()[name] == find_rows(find_section("state", name))


def test_fault_models_are_explained() -> None:
    """Every fault model has its row, and no other; those of the other worlds come second."""
    _, _, section = read_chapter("guarantees").partition("## Fault models\n")
    own, _, others = section.partition("\n## ")[0].partition("\n### ")
    assert [c.name for c in FAULT_MODELS] == [row[0] for row in find_rows(own)]
    known = {c.name for world in (*OTHER_WORLDS, SYSTEM) for c in world.fault_models}
    assert known - {c.name for c in FAULT_MODELS} == {row[0] for row in find_rows(others)}


def test_verdict_words_are_explained() -> None:
    """Every word that a cell may hold has its line, and no other."""
    _, _, section = read_chapter("README").partition("## Verdicts\n")
    words = [row[0].strip("`") for row in find_rows(section.partition("\n### ")[0])]
    assert [word.value for word in VerdictWord] == [w for w in words if "vacuous" not in w]


def test_version_and_bounds_are_told() -> None:
    """The text names the release, the power losses and the lives that the code has."""
    text = " ".join(read_chapter("README").split())
    assert f"RocketMQ {ROCKETMQ_VERSION}" in text
    assert "at most two power losses" in text
    assert 2 == ClaimedGroup().lives - 1


def find_recording(name: str) -> Path:
    """The file of a recording: beside this checkout, or in it."""
    folders = (RECORDINGS, *RECORDINGS.parent.glob("traces_*"), *OWN_RECORDINGS.glob("traces*"))
    return next(f / f"{name}.jsonl" for f in folders if (f / f"{name}.jsonl").exists())


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="the recordings are not beside this checkout")
def test_citations_exist() -> None:
    """Every cited line of a recording exists and is of the kind that the text says."""
    wrong = []
    for path in sorted(SPEC.glob("*.md")):
        text = " ".join(path.read_text(encoding="utf-8").split())
        for name, number, kind in CITATION.findall(text):
            lines = find_recording(name).read_text(encoding="utf-8").splitlines()
            events = {event["seq"]: event["ev"] for event in map(json.loads, lines)}
            if events.get(int(number)) != kind:
                wrong.append((path.name, name, number, kind))
    assert [] == wrong
