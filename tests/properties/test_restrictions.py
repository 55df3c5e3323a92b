"""Restrictions: relaxed one by one, found where they carry a proof, and held against evidence."""

from __future__ import annotations

import itertools
import json
import random
import re
from typing import Any

import pytest
from attrs import evolve

from properties.checkout import ROOT
from properties.language.world import ClaimedStructure
from properties.restrictions.derivation import (
    Degree,
    End,
    Restriction,
    list_relaxed,
    list_restrictions,
    relax,
    widen,
)
from properties.restrictions.evidence import (
    RestrictionEvidence,
    find_bearing,
    find_unevidenced,
    get_standing,
    load_standings,
)
from properties.restrictions.judge import RestrictionJudge, split
from properties.restrictions.results import (
    find_flaw,
    load_judged,
    load_proved,
    make_judge,
    save_judged,
)
from properties.verdicts.certificates import load_required
from properties.verdicts.storage.certificate_files import read_entries
from properties.verdicts.verdict import InternalDisagreementError
from properties.worlds.catalogue import WORLD_BY_TOPIC, Tag, list_tagged
from properties.worlds.toy import TOY
from reference.language.operator_table import Sort
from reference.language.terms import Term, constant, leaf, record, substitute
from tests.structures import SYNCHRONOUS_PAIR, name_of

SHARED = ROOT.parent / "shared"
ONE, OTHER = leaf("one", Sort.INTEGER), leaf("other", Sort.INTEGER)
FLAG = leaf("flag", Sort.BOOLEAN)
SMALL_STRUCTURES = [s for s in list_tagged(Tag.SMALL) if s.name.startswith(("delay/", "reading/"))]
SAMPLED_STRUCTURES = [
    pytest.param(s, marks=[pytest.mark.nightly] * (s != s.world.mutated_structures[0]))
    for s in SMALL_STRUCTURES
]
"""By day one structure of each world, at night all."""
BEYOND_RECEIVED = "restart_slave_beyond_received: recovered_offset high"
SAMPLED = 1
"""How many restrictions of a structure are judged again at each change."""


@pytest.fixture(scope="module", name="tank")
def make_tank_judge() -> RestrictionJudge:
    """The toy world's restrictions, judged; both its claims hold in both columns."""
    both = ("none", "every fault")
    proved = {"tank_never_overflows": both, "level_is_never_negative": both}
    return RestrictionJudge(TOY.structures[0], ["level_is_in_range"], proved)


def get_fallen(judge: RestrictionJudge, name: str) -> tuple[list[str], list[str]]:
    """The claims that fall without a restriction, and when it is moved by one."""
    found = next(r for r in list_restrictions(judge.structure) if r.name == name)
    entirely, by_one = judge.judge(found)
    return list(entirely.cells), list(by_one.cells)


@pytest.mark.parametrize(
    ("name", "entirely", "by_one"),
    [
        ("fill: amount high", ["tank_never_overflows"], ["tank_never_overflows"]),
        ("fill: amount low", [], []),
        ("fill: is_open", [], []),
        ("fill: has_room", [], []),
        ("leak: has_something", [], []),
        ("turn_tap: is_closed", [], []),
    ],
)
def test_what_carries_a_proof_is_found(
    tank: RestrictionJudge, name: str, entirely: list[str], by_one: list[str]
) -> None:
    """The end of the range carries one claim, not the other; nothing else carries any."""
    assert get_fallen(tank, name) == (entirely, by_one)


def test_the_restrictions_of_the_toy_world_are_these(tank: RestrictionJudge) -> None:
    """A limit is none: it says which column a step belongs to."""
    names = [r.name for r in list_restrictions(tank.structure)]
    assert names == [
        *("turn_tap: is_closed", "fill: is_open", "fill: has_room", "fill: amount low"),
        *("fill: amount high", "leak: has_something"),
    ]


def test_a_fault_carries_only_the_columns_that_have_it() -> None:
    """Recovery that leaves a slave's log longer breaks nothing where no slave loses power."""
    judged = {j.restriction: j for j in load_judged(SYNCHRONOUS_PAIR)}
    cells = judged["lose_slave_power: kept_offset high"].entirely.cells
    columns = {c for columns in cells.values() for c in columns}
    assert columns
    assert all("slave power" in c or "both" in c or "every" in c for c in columns)


def _holds(term: Term, **values: Any) -> bool:
    return bool(substitute(term, values))


@pytest.mark.parametrize(
    "condition",
    [
        record("less", ONE, OTHER),
        record("less_equal", ONE, OTHER),
        record("equal", ONE, OTHER),
        record("not", record("less", ONE, OTHER)),
        record("not", record("equal", ONE, OTHER)),
        record("and", FLAG, record("less", ONE, record("add", OTHER, 1))),
        record("or", FLAG, record("not", record("or", FLAG, record("less", ONE, OTHER)))),
    ],
    ids=str,
)
def test_a_wider_condition_is_weaker_and_reaches_one_further(condition: Term) -> None:
    """Where the condition holds, so does the wider one; where it holds besides, one step away."""
    wider, numbers = widen(condition), range(-3, 4)
    is_wider = False
    for one, other, flag in itertools.product(numbers, numbers, (False, True)):
        values = {"one": one, "other": other, "flag": flag}
        near = (values | {"one": one + by} for by in (-1, 0, 1))
        holds = _holds(wider, **values)
        assert holds or not _holds(condition, **values)
        assert not holds or any(_holds(condition, **v) for v in near)
        is_wider |= holds and not _holds(condition, **values)
    assert is_wider


def test_a_flag_cannot_be_moved_by_one() -> None:
    """Only dropping it changes anything."""
    assert widen(FLAG) is FLAG


def test_parts_of_a_lemma_say_what_it_says() -> None:
    """Whatever the leaves are, all parts hold exactly where the whole does."""
    left = record("not", record("or", FLAG, record("less", ONE, OTHER)))
    whole = record("or", record("and", left, FLAG), record("and", record("less", OTHER, 2), FLAG))
    parts = split(whole)
    assert len(parts) > 1
    assert all(p.operator != "and" for p in parts)
    for one, other, flag in itertools.product(range(-2, 3), range(-2, 3), (False, True)):
        values = {"one": one, "other": other, "flag": flag}
        assert _holds(whole, **values) == all(_holds(p, **values) for p in parts)


def test_every_lemma_has_parts() -> None:
    """None is lost when lemmas are taken apart."""
    structure = SMALL_STRUCTURES[0]
    names = dict.fromkeys(name.rpartition(" ")[0] for name in make_judge(structure).lemmas)
    assert list(names) == load_required(structure)["inductive_set"]


@pytest.mark.parametrize("world", WORLD_BY_TOPIC)
def test_every_restriction_is_relaxed_somewhere(world: str) -> None:
    """In some structure of its world each one makes a difference when it is dropped."""
    structures = [s for s in WORLD_BY_TOPIC[world].structures if s in list_tagged(Tag.SMALL)]
    names = {r: s for s in structures for r in list_restrictions(s)}
    for restriction in names:
        assert any(list_relaxed(s, restriction, Degree.ENTIRELY) for s in structures), restriction


def test_a_log_may_end_behind_what_it_has_when_its_end_is_opened() -> None:
    """Then nobody knows the bytes between, and they count as flushed and dispatched."""
    restriction = Restriction("restart_slave", "recovered_offset", End.HIGH)
    (relaxed,) = list_relaxed(SYNCHRONOUS_PAIR, restriction, Degree.ENTIRELY)
    leaves = {node.payload for t in relaxed.effects.values() for node in _walk(t)}
    values = dict.fromkeys((p for p in leaves if p), 0)
    values |= {"slaves.0.log.ends.0": 5, "slaves.0.log.ends.1": 7, "slaves.0.log.ends.2": 7}
    values |= {"argument.recovered_offset": 9, "parameters.mapped_file_size_bytes": 16}
    after = {path: substitute(term, values) for path, term in relaxed.effects.items()}
    ends = [after[f"slaves.0.log.ends.{n}"] for n in range(3)]
    assert ends == [5, 9, 9]
    names = ("ghost_unknown_below_offset", "flushed_offset", "dispatched_offset")
    assert [after[f"slaves.0.log.{n}"] for n in names] == [9, 9, 9]


def _walk(term: Term) -> list[Term]:
    return [term, *(node for a in term.arguments for node in _walk(a))]


def test_what_a_shape_forbids_stays_forbidden() -> None:
    """Another condition of the instance can never hold, so dropping this one changes nothing."""
    (recorded,) = list_relaxed(
        SYNCHRONOUS_PAIR, Restriction("flush_for_put", "has_disk_wait"), Degree.ENTIRELY
    )
    never = evolve(recorded, conditions=recorded.conditions | {"is_never": constant(False)})
    restriction = Restriction("flush_for_put", "is_waiting_for_disk")
    assert relax(recorded, restriction, Degree.ENTIRELY) is not None
    assert relax(never, restriction, Degree.ENTIRELY) is None


@pytest.mark.parametrize("structure", list_tagged(Tag.SMALL), ids=name_of)
def test_stored_answers_are_of_todays_rules(structure: ClaimedStructure) -> None:
    """They name exactly today's restrictions, and were made from today's rules and lemmas."""
    judged = load_judged(structure)
    assert [j.restriction for j in judged] == [r.name for r in list_restrictions(structure)]
    proved = load_proved(structure)
    for j in judged:
        assert {c for c, columns in j.entirely.cells.items() if not columns} == set()
        for claim, columns in j.by_one.cells.items():
            assert set(columns) <= set(j.entirely.cells[claim]) <= set(proved[claim])


@pytest.mark.parametrize("structure", SAMPLED_STRUCTURES, ids=name_of)
def test_a_sample_of_the_answers_is_found_again(structure: ClaimedStructure) -> None:
    """Some restrictions that carry cells, and some that carry none, are judged again."""
    judge, drawn = make_judge(structure), random.Random(0)
    stored = {j.restriction: j.is_load_bearing for j in load_judged(structure)}
    for is_bearing in (True, False):
        chosen = [r for r in list_restrictions(structure) if stored[r.name] is is_bearing]
        for restriction in drawn.sample(chosen, SAMPLED):
            assert find_flaw(structure, restriction, judge) == ""


@pytest.mark.nightly
def test_the_end_of_a_recovery_is_judged_again() -> None:
    """What true answers rest on, of all restrictions of replication."""
    judge = make_judge(SYNCHRONOUS_PAIR)
    found = list_restrictions(SYNCHRONOUS_PAIR)
    restriction = next(r for r in found if r.name == BEYOND_RECEIVED)
    assert find_flaw(SYNCHRONOUS_PAIR, restriction, judge) == ""
    assert judge.judge(restriction)[1].cells["acknowledgement_is_truthful"]


@pytest.mark.nightly
@pytest.mark.parametrize("structure", list_tagged(Tag.SMALL), ids=name_of)
def test_every_answer_is_found_again(structure: ClaimedStructure) -> None:
    """Every restriction of every structure is judged again."""
    judge = make_judge(structure)
    flaws = [find_flaw(structure, r, judge) for r in list_restrictions(structure)]
    assert [flaw for flaw in flaws if flaw] == []


def test_answers_come_back_as_they_were_stored(tmp_path: Any) -> None:
    """Also the cells of which all columns fall, which a file abbreviates."""
    structure = SMALL_STRUCTURES[0]
    judged = load_judged(structure)
    save_judged(structure, judged, tmp_path)
    assert load_judged(structure, tmp_path) == judged


def test_answers_of_other_rules_are_refused(tmp_path: Any) -> None:
    """A changed digest, a missing restriction and a broken file are told, with what to do."""
    structure = SMALL_STRUCTURES[0]
    save_judged(structure, load_judged(structure), tmp_path)
    (path,) = tmp_path.rglob("restrictions.json")
    document = read_entries(path)
    unknown: dict[str, Any] = {"load_bearing": {"no_such_rule: at all": {}}}
    for change in ({"digest": "0"}, unknown):
        load_judged.cache_clear()
        path.write_text(json.dumps({structure.name: document[structure.name] | change}))
        with pytest.raises(InternalDisagreementError, match="rmqspec renew"):
            load_judged(structure, tmp_path)
    path.write_text("{")
    with pytest.raises(InternalDisagreementError, match="malformed"):
        load_judged(structure, tmp_path)


def test_the_end_of_a_recovery_carries_true_answers() -> None:
    """Rows tell that end; when a first report comes was only read."""
    claim = "acknowledgement_is_truthful"
    end, report = BEYOND_RECEIVED, "report_offset: is_earlier_put_over"
    columns = load_proved(SYNCHRONOUS_PAIR)[claim]
    assert columns
    for column in columns:
        assert {end, report} <= set(find_bearing(SYNCHRONOUS_PAIR, claim, column) or ())
        unevidenced = find_unevidenced(SYNCHRONOUS_PAIR, claim, column) or ()
        assert report in unevidenced
        assert end not in unevidenced
    assert get_standing("replication", end).rows


def test_larger_groups_rest_on_what_small_ones_rest_on() -> None:
    """Of a variant nothing is known."""
    claim = "acknowledged_is_held_twice"
    known = find_unevidenced(SYNCHRONOUS_PAIR, claim, "none")
    assert known
    assert find_unevidenced(evolve(SYNCHRONOUS_PAIR, slaves=3), claim, "none") == known
    variant = evolve(SYNCHRONOUS_PAIR, variants=("report_capped",))
    assert find_unevidenced(variant, claim, "none") is None


def test_a_cell_that_is_not_proved_rests_on_nothing_known() -> None:
    """Nothing carries a refuted cell."""
    assert find_bearing(SYNCHRONOUS_PAIR, "acknowledgement_is_truthful", "late join") is None


def test_every_entry_is_about_a_restriction_of_its_world() -> None:
    """None is about one that nobody has, and each says what it has to."""
    known = {
        (world, r.name)
        for world, one in WORLD_BY_TOPIC.items()
        for s in one.structures
        if s in list_tagged(Tag.SMALL)
        for r in list_restrictions(s)
    }
    for key, standing in load_standings().items():
        assert key in known
        assert is_sensible(standing), key


def is_sensible(standing: RestrictionEvidence) -> bool:
    """Something was seen and is told, or refuted and told, or told to be so, or asked."""
    is_seen = bool(standing.rows or standing.recordings)
    told = [is_seen or bool(standing.refuted_by), standing.is_by_nature, bool(standing.ask)]
    return told.count(True) == 1 and bool(standing.says) is not bool(standing.ask)


def test_every_load_bearing_restriction_is_told() -> None:
    """It has evidence, is so by nature, is refuted, or has a question for a real broker."""
    told = load_standings()
    missing = {
        (world, j.restriction)
        for world, one in WORLD_BY_TOPIC.items()
        for s in one.structures
        if s in list_tagged(Tag.SMALL)
        for j in load_judged(s)
        if j.is_load_bearing and (world, j.restriction) not in told
    }
    assert missing == set()


@pytest.mark.skipif(not (SHARED / "oracle").exists(), reason="the tables are not beside it")
def test_every_cited_row_and_event_is_there() -> None:
    """Rows by their names; recordings by their names and the numbers of their events."""
    lines = (
        line
        for path in (SHARED / "oracle").rglob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    )
    known = {found[1] for line in lines if (found := re.search(r'"id": ?"([^"]+)"', line))}
    for standing in load_standings().values():
        assert set(standing.rows) <= known
        for place in standing.recordings:
            assert has_events(place), place


def has_events(place: str) -> bool:
    """``name seq 3`` or ``name seq 3 to 5``: the recording has these events."""
    found = re.fullmatch(r"(\w+) seq (\d+)(?: to (\d+))?", place)
    assert found, place
    paths = list(SHARED.glob(f"traces*/{found[1]}.jsonl"))
    numbers = {json.loads(line)["seq"] for p in paths for line in p.read_text().splitlines()}
    return {int(found[2]), int(found[3] or found[2])} <= numbers
