"""The table of words and severities is whole, and nothing in it is dead."""

from __future__ import annotations

import itertools
import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import attrs
import pytest
from attrs import evolve

from properties.language.world import ClaimedStructure
from properties.scenarios.analysis.log import decide
from properties.scenarios.procedures.procedures import load_procedures
from properties.scenarios.summary.actions import load_actions
from properties.scenarios.summary.rows import (
    CODE,
    NO_ACKNOWLEDGEMENT,
    NO_READING,
    NO_SYSTEM_CONTROLLED,
    NO_SYSTEM_OF_MORE,
    NO_SYSTEM_OF_POOL,
    NO_SYSTEM_OF_READERS,
    NO_SYSTEM_OF_TIMERS,
    ONE_COPY,
    compute_grade,
    find_code,
    is_of_row,
    is_refuted,
    is_second_copy_promised,
    make_failure,
)
from properties.scenarios.summary.words import WORDS_FILE, FailureKind, Grade, RowWords, load_words
from properties.verdicts.certificates import find_cells
from properties.verdicts.findings.disputes import load_findings
from properties.verdicts.findings.explanations import load_explanations
from properties.verdicts.verdict import Verdict
from properties.worlds.catalogue import OTHER_WORLDS
from properties.worlds.delay.world import DELAY
from properties.worlds.reading.world import READING
from properties.worlds.replication.structures import STOCK_PAIR
from properties.worlds.replication.world import REPLICATION
from properties.worlds.starts.world import STARTS
from properties.worlds.system.world import SYSTEM
from properties.worlds.tables.world import TABLES
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.parameters import Parameters

SHOWN = (REPLICATION, READING, STARTS, SYSTEM, TABLES, DELAY)
"""The worlds that the rows are made of."""

WORDS_MAX = 36
"""What fits the cell of a screen of 80 columns, with a code and a number of more failures."""


def test_every_claim_has_one_place() -> None:
    """In a row, or among those that stand in none; nothing is named that is claimed nowhere."""
    words = load_words()
    placed = [claim.name for row in words.rows for claim in row.claim]
    placed += [name for each in words.unlisted for name in each.claims]
    assert Counter(placed) == Counter(name for world in SHOWN for name in world.claims)
    assert set(SHOWN) == {REPLICATION, SYSTEM, *OTHER_WORLDS}


def test_every_fault_model_has_an_entry() -> None:
    """With a number of its own."""
    fault_models = load_words().fault_models
    assert set(fault_models) == {c.name for world in SHOWN for c in world.fault_models}
    assert len({fault_model.number for fault_model in fault_models.values()}) == len(fault_models)


def test_every_fault_has_words() -> None:
    """What may be counted in a schedule; what is unsaid says why."""
    counted = {f for world in SHOWN for f in attrs.fields_dict(world.everything.counts)}
    assert set(load_words().faults) == counted
    for fault in load_words().faults.values():
        assert bool(fault.unsaid) != bool(fault.one and fault.more)


def test_kinds_follow_the_fault_modeles() -> None:
    """Only the class without faults is unfailed; the whole of a world is several failures."""
    fault_models = load_words().fault_models
    for world in SHOWN:
        for each in world.fault_models:
            assert (fault_models[each.name].kind is FailureKind.UNFAILED) == (not each.admitted)
        assert fault_models[world.every_fault.name].kind is FailureKind.COMBINED


def list_fallen() -> Iterator[tuple[RowWords, Any, Verdict]]:
    """Every certified cell of every row that is refuted, of 4.4.0."""
    for world in SHOWN:
        for structure in world.structures:
            for cell in find_cells(structure).values():
                rows = [row for row in load_words().rows if is_of_row(row, cell)]
                if rows and is_refuted(cell):
                    yield rows[0], structure, cell


def list_fallen_by_settings() -> Iterator[tuple[RowWords, Any, Verdict]]:
    """The same for stock pairs with settings that have a cause of their own."""
    for name in filter(None, (cause.variant for cause in load_words().causes)):
        structure = evolve(STOCK_PAIR, variants=(name,))
        for cell in decide(structure, Parameters()):
            rows = [row for row in load_words().rows if is_of_row(row, cell)]
            if rows and is_refuted(cell):
                yield rows[0], structure, cell


def test_no_cause_is_dead() -> None:
    """Each happens in a schedule of some group, and no schedule without a failure lacks one."""
    fallen = (*list_fallen(), *list_fallen_by_settings())
    unfailed = [each for each in fallen if each[2].fault == "none"]
    told = {make_failure(*each).words for each in unfailed if is_promised(*each)}
    assert {cause.words for cause in load_words().causes} == told


def is_promised(row: RowWords, structure: ClaimedStructure, _cell: Verdict) -> bool:
    """The row is judged of this structure at all."""
    return not row.needs_waiting or is_second_copy_promised(structure)


def test_words_fit_the_screen() -> None:
    """Whatever is said of a failure stands in one cell."""
    words = load_words()
    told = [each.words for each in words.fault_models.values()]
    told += [text.format(n=2) for f in words.faults.values() for text in (f.one, f.more)]
    told += [cause.words for cause in words.causes]
    told += [NO_ACKNOWLEDGEMENT, ONE_COPY, NO_READING, NO_SYSTEM_CONTROLLED]
    told += [NO_SYSTEM_OF_TIMERS, NO_SYSTEM_OF_MORE, NO_SYSTEM_OF_POOL, NO_SYSTEM_OF_READERS]
    assert [] == [text for text in told if len(text) > WORDS_MAX]
    heads = [row.title for row in words.rows]
    heads += [claim.kept for row in words.rows for claim in row.claim]
    assert [] == [text for text in heads if len(text) > 28]


def test_causes_are_known() -> None:
    """Each is about a class of explanation, about a claim, or about settings."""
    classes = {each.name for each in load_explanations()}
    claims = {name for world in SHOWN for name in world.claims}
    for cause in load_words().causes:
        assert len(list(filter(None, (cause.explanation, cause.claim, cause.variant)))) == 1
        assert not cause.variant or VARIANTS[cause.variant].is_setting
        assert cause.explanation in classes | {""}
        assert cause.claim in claims | {""}


def test_nothing_is_counted_by_hand() -> None:
    """No words have a digit: numbers are those of a schedule, of a configuration or of a value."""
    document = tomllib.loads(WORDS_FILE.read_text())
    told = [entry["words"] for entry in (*document["fault_model"], *document["cause"])]
    entries = [text for entry in document["fault"].values() for text in entry.values()]
    told += [text for text in entries if isinstance(text, str)]
    told += [each.text for each in load_actions().procedures.values()]
    told += [each.text for each in load_actions().precautions]
    told += [each.text.replace(f"={each.value}", "") for each in load_actions().switches]
    assert [] == [text for text in told if any(c.isdigit() for c in text)]


def test_a_number_has_one_meaning() -> None:
    """No fault model, cause or fault has the number of another; findings have three digits."""
    words = load_words()
    meant = [(each.number, each.words) for each in words.fault_models.values()]
    meant += dict.fromkeys((c.number, c.words) for c in words.causes)
    meant += [(f.number, f.one) for f in words.faults.values() if f.number]
    assert len(meant) == len(dict(meant))
    assert dict(meant) == words.numbered
    assert not any(CODE.fullmatch(finding.id) for finding in load_findings())


def test_an_own_number_is_said_in_one_way() -> None:
    """A code of a cause, or of a fault with a number, has the same words in every group."""
    own = {c.number for c in load_words().causes}
    own |= {f.number for f in load_words().faults.values() if f.number}
    told = {(f.code, f.words) for f in itertools.starmap(make_failure, list_fallen())}
    named = [code for code, _ in told if int(code[1:]) in own]
    assert named
    assert len(named) == len(set(named))


def test_codes_lead_back() -> None:
    """Every row and fault model has a code, and what is none is refused."""
    for row, fault_model in itertools.product(
        load_words().rows, load_words().fault_models.values()
    ):
        code = f"{row.letter}{fault_model.number}"
        assert CODE.fullmatch(code)
        assert find_code(code) == (row, fault_model.name)
    for wrong in ("X1", "L99", "L", "12", "L1x"):
        with pytest.raises(LookupError):
            find_code(wrong)


def test_every_procedure_of_a_row_has_a_few_words() -> None:
    """And no words are about a procedure that does not exist, or that stands in no row."""
    rows = {claim.name for row in load_words().rows for claim in row.claim}
    known = {each.name for each in load_procedures() if each.claim in rows}
    assert known == set(load_actions().procedures)


def test_an_action_has_the_words_of_its_procedure() -> None:
    """One wording on the screen and on the page; the page has more steps."""
    titles = {each.name: each.advice.title for each in load_procedures()}
    for name, told in load_actions().procedures.items():
        title = titles[name].replace("`", "").casefold()
        assert [] == [part for part in told.text.split(", ") if part.casefold() not in title], name


def test_precautions_are_about_fault_modeles() -> None:
    """Of this name."""
    assert {p.fault_model for p in load_actions().precautions} <= set(load_words().fault_models)


def test_what_is_open_is_no_better_than_a_risk() -> None:
    """A row is as grave as its gravest failure, and unknown where that is not decided."""
    assert compute_grade((), is_open=False) is Grade.OK
    assert compute_grade((), is_open=True) is Grade.UNDECIDED
