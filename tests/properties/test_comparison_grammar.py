"""The grammar of facts: complete, filtered rightly, and what induction keeps is true."""

from __future__ import annotations

from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from properties import certificates
from properties.comparison_grammar import (
    GrammarReport,
    load_report,
    make_report,
    render_report,
    save_report,
)
from properties.fact_induction import FactInduction
from properties.facts import Claim, Fact, Grammar, compute_leaf_kinds
from properties.fingerprint import compute_digest
from properties.induction import get_lemmas
from properties.random_walk import walk_randomly
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import CLAIMS
from reference.leaves import compute_leaf_sorts, flatten
from reference.parameters import Parameters
from reference.structure import Structure
from reference.terms import Sort, leaf, record, substitute
from tests.structures import SYNCHRONOUS_PAIR

UPDATE = (
    "run python -m properties.comparison_grammar --store, "
    "then ./rmqspec docs --write spec/lemmas.md"
)

SMALL = Structure(slaves=0, messages=0, lives=2)
"""A master alone, of which no message is followed."""


@cache
def make_grammar(structure: Structure = SMALL, walks: int = 12) -> Grammar:
    """The grammar of a structure after a few walks."""
    return Grammar(structure, walk_randomly(structure, walks=walks))


def test_every_leaf_has_its_kind() -> None:
    """Kinds are derived from the fields, for every leaf, and flags are the truth values."""
    kinds, sorts = compute_leaf_kinds(SYNCHRONOUS_PAIR), compute_leaf_sorts(SYNCHRONOUS_PAIR)
    assert list(sorts) == list(kinds)
    assert {"Offset", "Bytes", "Count", "Code", "Flag"} == set(kinds.values())
    assert [p for p, s in sorts.items() if s is Sort.BOOLEAN] == [
        p for p, kind in kinds.items() if kind == "Flag"
    ]


def test_facts_are_named_by_what_they_say() -> None:
    """No two facts have one name, and a fact's term is true where its text is."""
    grammar = make_grammar()
    facts = list(grammar.list_facts())
    assert len(facts) == len({str(fact) for fact in facts})
    flag = Fact(Claim("master.log.start_offset", 0), Claim("master.is_up", 0))
    assert "master.is_up <= 0 => master.log.start_offset <= 0" == str(flag)
    values = flatten(SMALL.make_initial(Parameters()))
    for is_up, start, expected in ((True, 5, True), (False, 5, False), (False, 0, True)):
        state = values | {"master.is_up": is_up, "master.log.start_offset": start}
        assert expected is substitute(grammar.record(flag), state)


def test_survivors_are_the_facts_that_hold_in_every_state() -> None:
    """The filter on bits agrees with the terms, state by state."""
    states = list(islice(walk_randomly(SMALL, walks=1, seed=3), 40))
    grammar = Grammar(SMALL, states)
    survivors = set(grammar.list_survivors())
    rows = [flatten(cluster) for cluster in states]
    for fact in islice(grammar.list_facts(), 0, None, 7):
        term = grammar.record(fact)
        assert (fact in survivors) is all(substitute(term, row) for row in rows)


def test_walks_are_seeded_and_reach_faults() -> None:
    """The same seed gives the same states; both sizes and several faults occur."""
    states = list(walk_randomly(SYNCHRONOUS_PAIR, walks=8))
    assert states == list(walk_randomly(SYNCHRONOUS_PAIR, walks=8))
    assert states != list(walk_randomly(SYNCHRONOUS_PAIR, walks=8, seed=1))
    assert 2 == len({c.parameters.mapped_file_size_bytes for c in states})
    assert any(c.faults.master_power_losses for c in states)
    for p in get_lemmas().values():
        assert all(p.predicate(c) for c in states)


def test_what_is_inductive_holds_on_other_walks() -> None:
    """Walks that the filter has not seen falsify no fact that induction keeps."""
    grammar = make_grammar()
    facts = {str(f): grammar.record(f) for f in grammar.list_survivors()}
    implied_by = {str(f): str(f.claim) for f in grammar.list_survivors() if f.guard is not None}
    kept = FactInduction(SMALL, facts, implied_by).find_inductive_set(facts)
    assert 0 < len(kept) < len(facts)
    for cluster in islice(walk_randomly(SMALL, walks=40, seed=1), 0, None, 11):
        row = flatten(cluster)
        assert [] == [name for name in kept if not substitute(facts[name], row)]


def test_a_false_fact_falls_and_frees_what_it_implied() -> None:
    """A weaker fact stands by itself as soon as the stronger one has fallen, if it is true."""
    up, stopping = (leaf(f"master.{name}", Sort.BOOLEAN) for name in ("is_up", "is_stopping"))
    facts = {
        "the master is up": up,
        "a stopping master is up": record("or", record("not", stopping), up),
    }
    induction = FactInduction(SMALL, facts, {"a stopping master is up": "the master is up"})
    assert ["the master is up"] == induction.find_strongest(facts)
    assert ("a stopping master is up",) == induction.find_inductive_set(facts)


def test_what_is_false_at_the_start_falls_first() -> None:
    """A fact about sizes must hold for all of them."""
    size = leaf("parameters.mapped_file_size_bytes", Sort.INTEGER)
    facts = {
        "files are large": record("less_equal", 1000, size),
        "files have a byte": record("less_equal", 1, size),
        "the log is not empty": record("less_equal", 1, leaf("master.log.ends.0", Sort.INTEGER)),
    }
    assert ("files have a byte",) == FactInduction(SMALL, facts, {}).find_inductive_set(facts)


def test_a_small_report_adds_up() -> None:
    """Facts fall from stage to stage, what is found follows, and together no less is proved."""
    report = make_report(SMALL, walks=12)
    check(report)
    assert "masters_content_is_known" in report.found
    assert "life_is_counted" in report.needed_by_hand
    assert "held_is_received" in report.trivial


def test_stored_report_is_that_of_the_rules() -> None:
    """The figures in the text were made from these rules, and agree with the certificate."""
    report = load_report()
    structure = CERTIFIED_BY_NAME[report.structure]
    assert report.digest == compute_digest(structure), UPDATE
    check(report)
    document = certificates.load(structure)
    assert document is not None
    proved = {(c["fault"], c["guarantee"]) for c in document["cells"] if c["verdict"] == "proved"}
    assert proved == {(f, g) for f, names in report.proved_by_lemmas.items() for g in names}


@pytest.mark.nightly
def test_stored_report_is_made_anew() -> None:
    """The whole search finds what is stored."""
    report = load_report()
    assert make_report(CERTIFIED_BY_NAME[report.structure]) == report, UPDATE


def check(report: GrammarReport) -> None:
    """What is true of every report."""
    assert report.candidates > report.survivors >= report.inductive_with_lemmas
    assert report.inductive_with_lemmas >= report.inductive > 0
    named = [*report.found, *report.needed_by_hand, *report.trivial]
    assert sorted(named) == sorted(get_lemmas())
    for fault, proved in report.proved_by_both.items():
        alone = {*report.proved_by_facts[fault], *report.proved_by_lemmas[fault]}
        assert alone <= set(proved) <= set(CLAIMS)


def test_report_survives_storage(tmp_path: Path) -> None:
    """What is written is read back, and the text names every guarantee."""
    report = load_report()
    save_report(report, tmp_path / "report.json")
    assert load_report(tmp_path / "report.json") == report
    assert all(f"| `{name}` |" in render_report(report) for name in CLAIMS)
