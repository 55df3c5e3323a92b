"""The counterexample pages: which there are, that their schedules hold, that words are in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import pytest
from attrs import evolve

from book.refutations.evidence import (
    RecordedLine,
    list_needless_pairs,
    list_needs,
    list_recorded,
)
from book.refutations.page import OVERVIEW, PARTS
from book.refutations.step_references import LISTED, find_stale, list_mentioned
from properties.scenarios.counterexamples.cases import (
    FOLDER,
    Citation,
    CounterexamplePage,
    choose_schedule,
    load_cases,
)
from properties.schedules.judgement import is_refuted_by, lower_numbers
from properties.verdicts.certificates import load_cells, load_refuted
from properties.verdicts.verdict import VerdictWord
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged
from properties.worlds.replication.structures import STOCK_STRUCTURES
from reference.language.machine import Action

PLACEHOLDER = re.compile(r"(\*\*Result\.\*\* )?(RESULT|MEANING|STORY|REAL|REPAIR)")
CITED = re.compile(r"`(\w+)` (seq \d+ \(`\w+`\)(?:,? (?:then |and )?seq \d+ \(`\w+`\))*)")
LINE = re.compile(r"seq (\d+) \(`(\w+)`\)")
GENERATED = re.compile(r"<!-- begin generated: (\w+) -->.*?<!-- end generated: \1 -->", re.DOTALL)
TOLD = ("property", "picture", "elsewhere")
"""Behind which generated parts there are words: meaning, story, repair; elsewhere there may be."""


def get_claim(case: CounterexamplePage) -> str:
    """For a test's identifier."""
    return case.claim


every_page: Callable[..., None] = pytest.mark.parametrize("case", load_cases(), ids=get_claim)


def read(case: CounterexamplePage) -> str:
    """The text of a page."""
    return case.page.read_text(encoding="utf-8")


def list_words(text: str) -> dict[str, list[str]]:
    """The paragraphs behind each generated part, by that part's name, without headings."""
    pieces = GENERATED.split(text)
    return {
        name: [p for p in words.split("\n\n") if p.strip() and not p.lstrip().startswith("## ")]
        for name, words in zip(pieces[1::2], pieces[2::2], strict=True)
    }


def test_every_guarantee_that_falls_has_one_page() -> None:
    """Each that is refuted in any stock structure; what else has a page falls elsewhere."""
    told = Counter(case.claim for case in load_cases())
    assert set(told.values()) == {1}
    every = [structure.name for structure in list_tagged(Tag.USUAL, Tag.SYSTEM)]
    assert list_fallen(STOCK_STRUCTURES) <= set(told) <= list_fallen(every)


def list_fallen(names: Iterable[str]) -> set[str]:
    """The claims that are refuted in one of these structures."""
    cells = (cell for name in names for cell in load_cells(STRUCTURES[name]).values())
    return {cell.guarantee for cell in cells if cell.word is VerdictWord.REFUTED}


def test_no_file_is_without_a_case() -> None:
    """A page for each, and the overview; diagrams are drawn for the site."""
    files = {case.page for case in load_cases()}
    assert files | {OVERVIEW.path} == set(FOLDER.iterdir())


@every_page
def test_generated_parts_are_in_order(case: CounterexamplePage) -> None:
    """What falls comes before why, and what to type is last."""
    assert list(PARTS) == re.findall(r"<!-- begin generated: (\w+) -->", read(case))


@every_page
def test_words_are_written(case: CounterexamplePage) -> None:
    """A title that says what happens, a result, and words between the generated parts."""
    title, result, *_ = read(case).split("\n\n")
    assert title.startswith("# ")
    assert case.claim not in title
    assert result.startswith("**Result.** ")
    assert not any(PLACEHOLDER.fullmatch(line) for line in read(case).splitlines())
    words = list_words(read(case))
    assert all(words[name] for name in TOLD)


def test_titles_are_told_apart() -> None:
    """No two pages begin with the same sentence."""
    titles = [read(case).partition("\n")[0] for case in load_cases()]
    assert len(set(titles)) == len(titles)


@every_page
def test_the_schedule_is_as_short_and_small_as_can_be(case: CounterexamplePage) -> None:
    """Its last step is the first that falls, no step is needless, no number may be smaller."""

    def is_still_good(schedule: Sequence[Action]) -> bool:
        return is_refuted_by(case.claim, case.structure, case.parameters, schedule)

    assert is_still_good(case.schedule)
    assert [] == [need.step for need in list_needs(case) if need.is_enough_without]
    assert case.schedule == lower_numbers(case.schedule, is_still_good)


@every_page
def test_a_page_says_whether_its_schedule_is_the_shortest(case: CounterexamplePage) -> None:
    """In the table at its head, and in the heading of what was searched."""
    doubts, question = "not known to be the shortest", "## Could it be shorter?"
    assert (question in read(case)) == (not case.is_shortest)
    assert (doubts in read(case)) == (not case.is_shortest and not case.told)


def test_a_schedule_in_place_of_the_shortest_one_says_why() -> None:
    """Wherever it is drawn; it serves every pair in which the claim breaks."""
    (case,) = (case for case in load_cases() if case.told)
    assert len(case.told) > len(case.verdict.schedule)
    flushed = STRUCTURES["SYNC_MASTER/SYNC_FLUSH/1 slave"]
    choice = choose_schedule(flushed, load_refuted(flushed, case.claim, case.fault))
    assert choice.verdict.schedule == case.told
    assert case.remark in choice.remark
    assert case.remark in read(case)
    other = load_refuted(flushed, case.claim, "late join")
    assert choose_schedule(flushed, other).verdict is other


def test_two_steps_that_go_together_are_noticed() -> None:
    """A slave that connects and is cut off, before anything else."""
    case = next(c for c in load_cases() if c.claim == "acknowledged_is_kept_on_master")
    assert case.is_shortest
    assert not list(list_needless_pairs(case))
    longer = (Action("connect_slave[0]"), Action("close_idle_connection[0]"), *case.schedule)
    assert (1, 2) in list_needless_pairs(case, longer)


@every_page
def test_needs_tell_every_step(case: CounterexamplePage) -> None:
    """Conditions of its rule; without it a later step is refused for a reason, or nothing falls."""
    needs = list(list_needs(case))
    assert list(range(1, len(case.schedule) + 1)) == [need.step for need in needs]
    assert all(need.conditions for need in needs)
    assert all(bool(need.refused_for) == (need.refused_step is not None) for need in needs)
    assert all(need.refused_step > need.step for need in needs if need.refused_step is not None)


@every_page
def test_cited_lines_exist(case: CounterexamplePage) -> None:
    """Those of the data and those of the words; each quotation has something to say."""
    assert all(line.quote() for line in list_recorded(case))
    text = " ".join(read(case).split())
    for recording, lines in CITED.findall(text):
        for seq, event in LINE.findall(lines):
            assert RecordedLine(recording, int(seq), event).read()


def test_a_wrong_citation_is_noticed() -> None:
    """A recording that does not exist; a number or a kind that the recording does not have."""
    case = next(case for case in load_cases() if case.recorded)
    for wrong in ("x9_no_such_recording seq 1 (put)", "no citation"):
        with pytest.raises(LookupError):
            list(list_recorded(evolve(case, recorded=(Citation(wrong, ()),))))
    line = next(line for case in load_cases() for line in list_recorded(case))
    with pytest.raises(LookupError):
        RecordedLine(line.recording, line.seq, "no_such_kind").read()
    with pytest.raises(LookupError):
        RecordedLine(line.recording, 10**9, line.event).read()


@every_page
def test_numbers_of_steps_fit_the_schedule(case: CounterexamplePage) -> None:
    """Each that the words mention is listed with its rule, below the words."""
    text = read(case)
    assert [] == list(find_stale(text, case.schedule))
    assert bool(LISTED.search(text)) == bool(list_mentioned(text))


def test_a_number_that_does_not_fit_is_noticed() -> None:
    """One that another step has now, one that is not listed, one beyond the end."""
    schedule = (Action("start_consumer"), Action("take_queue"))
    for wrong, told in (
        ("It starts (1). <!-- steps: 1 take_queue -->", ["step 1 take_queue"]),
        ("It starts (steps 1 and 2). <!-- steps: 1 start_consumer -->", ["step 2 is not listed"]),
        ("In step 3 <!-- steps: 3 take_queue -->", ["step 3 take_queue"]),
    ):
        assert told == list(find_stale(wrong, schedule))
    mentioned = list_mentioned(
        "steps 1, 2 and 5 (8 and 9; X#y), (10 to 12), (5 s) in 2019 (steps 3)"
    )
    assert (1, 2, 3, 5, 8, 9, 10, 12) == mentioned
