"""Every known issue is a schedule that shows it, a decision, or outside with a reason."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from properties.language.property import CLAIMS, PropertyRole
from properties.scenarios.known_issues.catalogue import (
    Outside,
    find_entries,
    find_scenario,
    load_catalogue,
    load_decisions,
    load_outside,
    load_scenarios,
)
from properties.scenarios.known_issues.decisions import QUESTIONS, Decision
from properties.scenarios.known_issues.repair import (
    Fate,
    find_shortest_known,
    take_in_order,
    try_elsewhere,
)
from properties.scenarios.known_issues.scenario import (
    CERTAINTIES,
    IssueError,
    RecordedEvidence,
    Scenario,
)
from properties.scenarios.known_issues.telling import as_json, draw, tell_scenario
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import REPLICATION
from reference.language.machine import compute_machine
from reference.worlds.replication.changes import VARIANTS
from tests.properties.scenarios.known_issues.shortest_scenario import (
    TooManyStatesError,
    find_shortest,
)

ROOT = Path(__file__).parents[4]
SURVEY = ROOT.parent / "shared" / "known_issues.md"
TRACE_FOLDERS = (ROOT / "tests" / "data" / "traces", ROOT / "tests" / "data" / "traces_498")
NAMED = re.compile(r"(ali)?#\d+|RMQ-\d+|RIP-\d+")
"""Sources that have a number in the survey; the others are schedules and facts of its own."""

SCENARIOS, DECISIONS = load_scenarios(), load_decisions()
TOLD = (*SCENARIOS, *DECISIONS)

needs_survey = pytest.mark.skipif(
    not SURVEY.exists(), reason="the survey is not beside this checkout (../shared)"
)
every_scenario = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.name)
every_decision = pytest.mark.parametrize("decision", DECISIONS, ids=lambda d: d.name)


@every_scenario
def test_schedule_shows_the_issue_at_its_last_step(scenario: Scenario) -> None:
    """Every step is possible, and the last one is the first after which it shows."""
    assert scenario.is_shown_by(scenario.structure, scenario.schedule)
    *before, last = scenario.walk()
    assert (scenario.shows,) == last.violated
    assert not any(step.violated for step in before)


@every_scenario
def test_no_step_can_be_left_out(scenario: Scenario) -> None:
    """Without any single step it does not show, or is not what the report is about."""
    assert [] == scenario.find_needless_steps()
    rules = {
        instance.rule.name for instance in compute_machine(scenario.structure).instances.values()
    }
    assert set(scenario.rules) <= rules


@every_scenario
def test_schedule_is_as_short_as_the_certificate_or_says_why(scenario: Scenario) -> None:
    """Never shorter than the shortest known one; longer only with a reason, which is then true."""
    shortest = find_shortest_known(scenario)
    if shortest is not None:
        assert shortest <= len(scenario.schedule)
        assert (shortest < len(scenario.schedule)) is bool(scenario.longer_because)
    if scenario.longer_because:
        assert scenario.rules


SEARCHED_IN_SECONDS = 30_000
SEARCHED_AT_NIGHT = 200_000
"""How many states a search may see."""
SEARCHED_LONGER = {
    "progress_file_broken",
    "progress_beyond_the_end",
    "idle_slave_dropped",
    "lagging_slave_resets",
}
NOT_SEARCHED = {
    "logs_differ_silently",
    "old_bytes_count_as_records",
    "timed_out_behind_another",
    "lost_batch_is_sent_again",
    "stale_master_overwrites_progress",
    "offset_of_the_longer_slave",
    "slave_misses_messages",
    "topic_made_again",
    "epoch_begins_again",
    "lying_member_acknowledges",
    "lying_member_is_elected",
    "truncated_bytes_acknowledge",
}
"""Too long for a search; no single step of them can be left out."""
UNCERTIFIED = {s.name for s in SCENARIOS if s.rules or find_shortest_known(s) is None}
"""Of these no certificate knows the shortest schedule."""


@pytest.mark.parametrize("name", sorted(UNCERTIFIED - SEARCHED_LONGER - NOT_SEARCHED))
def test_no_shorter_schedule_has_the_rules_of_the_report(name: str) -> None:
    """Breadth first, in a log or queue of a few bytes."""
    scenario = find_scenario(name)
    found = find_shortest(scenario, states_max=SEARCHED_IN_SECONDS)
    assert len(scenario.schedule) == len(found)
    assert scenario.is_shown_by(scenario.structure, found)


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted(SEARCHED_LONGER))
def test_no_shorter_schedule_at_night(name: str) -> None:
    """The same where it takes more than a few seconds."""
    scenario = find_scenario(name)
    assert len(scenario.schedule) == len(find_shortest(scenario, states_max=SEARCHED_AT_NIGHT))


def test_a_search_knows_where_to_stop() -> None:
    """It does not go on for ever, and names the scenario."""
    with pytest.raises(TooManyStatesError, match="lost_batch"):
        find_shortest(find_scenario("lost_batch_is_sent_again"), states_max=100)
    assert NOT_SEARCHED | SEARCHED_LONGER <= UNCERTIFIED


@every_scenario
def test_repairs_are_what_they_say(scenario: Scenario) -> None:
    """Under a repair it does not show, in the way that is told; elsewhere it shows after all."""
    fates = {name: try_elsewhere(scenario, name).fate.value for name in scenario.repaired_by}
    assert scenario.repaired_by == fates
    assert Fate.SHOWN.value not in fates.values()
    for name in scenario.not_repaired_by:
        outcome = try_elsewhere(scenario, name)
        assert outcome.fate is Fate.SHOWN or outcome.is_refuted_otherwise, name


@every_scenario
def test_names_in_a_scenario_exist(scenario: Scenario) -> None:
    """It breaks a claim of its world, or shows a difference of releases or a phenomenon."""
    assert scenario.structure_name in STRUCTURES
    shown = scenario.structure.world.properties[scenario.shows]
    assert shown.role in (*CLAIMS, PropertyRole.DIFFERENCE, PropertyRole.PHENOMENON)
    assert scenario.sentence.endswith(".")


@every_decision
def test_reference_decides_as_the_data_say(decision: Decision) -> None:
    """Each case; and the reported one is answered otherwise than some other one."""
    assert [] == decision.find_wrong_cases()
    assert any(case.answer != decision.cases[0].answer for case in decision.cases[1:])


def test_phenomena_and_questions_are_all_used() -> None:
    """Nothing is defined for no issue; differences of the releases are defined for the releases."""
    phenomena = REPLICATION.select(PropertyRole.PHENOMENON)
    assert set() == set(phenomena) - {s.shows for s in SCENARIOS}
    assert set(QUESTIONS) == {d.question_name for d in DECISIONS}


def test_deciding_functions_are_in_the_ledger_of_their_row() -> None:
    """A question is decided by what the ledger names for one of its rows, if it has any."""
    named = {entry["id"]: entry.get("by", []) for entry in ledger_entries()}
    surveyed = [decision for decision in DECISIONS if decision.rows]
    assert surveyed
    for decision in surveyed:
        assert any(decision.question.decided_by in named[row] for row in decision.rows)


def ledger_entries() -> Iterator[dict[str, Any]]:
    """The ledger's entries on known issues."""
    for path in (ROOT / "spec" / "ledger").glob("known_issues_*.toml"):
        yield from tomllib.loads(path.read_text(encoding="utf-8"))["entry"]


def test_every_row_of_the_survey_is_told_or_outside() -> None:
    """Rows of the ledger: each once at least, none on both sides."""
    rows = {entry["id"] for entry in ledger_entries() if entry["id"].startswith("issue-")}
    told = {row for entry in TOLD for row in entry.rows}
    outside = [row for entry in load_outside() for row in entry.rows]
    assert rows == told | set(outside)
    assert set() == told & set(outside)
    assert len(outside) == len(set(outside))
    assert len(told) >= 25


def test_what_the_ledger_left_out_is_outside() -> None:
    """And what is outside is not modelled: the ledger and the catalogue agree."""
    left = {e["id"] for e in ledger_entries() if e["treatment"] != "modelled"}
    outside = {row for entry in load_outside() for row in entry.rows}
    assert outside == {row for row in left if row.startswith("issue-")}


def test_names_are_unique_and_certainties_known() -> None:
    """A name is asked for, and names a file."""
    names = [entry.name for entry in TOLD]
    assert len(names) == len(set(names))
    assert {entry.certainty for entry in TOLD} <= set(CERTAINTIES)


BESIDE_THE_SURVEY = {
    *("#316", "#405", "#467", "#7437", "#8239", "#9728", "#9942"),
    *("#10017", "#10108", "#10578", "#2114", "#3388", "ali#395", "ali#400"),
}
"""Threads that were read on the tracker itself."""


@needs_survey
def test_sources_and_certainties_are_the_surveys() -> None:
    """Other numbers stand in the survey; the certainty is that of one of its rows."""
    text = SURVEY.read_text(encoding="utf-8")
    numbers = {m[0] for m in re.finditer(r"(?<![\w#])(?:ali)?#\d+|RMQ-\d+|RIP-\d+", text)}
    named = {s for e in load_catalogue() for s in e.sources if NAMED.fullmatch(s)}
    assert BESIDE_THE_SURVEY == named - numbers
    row = re.compile(r"^\| (\d+)([a-z]?) \|.*\| ([SRC](?: ?/ ?R)?) \| [^|]*\|$", re.MULTILINE)
    certain = {f"issue-{int(n):02}{x}": c.replace(" ", "") for n, x, c in row.findall(text)}
    for entry in TOLD:
        of_rows = {certain[name] for name in entry.rows if name in certain}
        assert not of_rows or entry.certainty in of_rows, entry.name


@cache
def read_recording(name: str) -> dict[int, dict[str, Any]]:
    """The lines of a recording by their numbers."""
    path = next(
        folder / f"{name}.jsonl" for folder in TRACE_FOLDERS if (folder / f"{name}.jsonl").exists()
    )
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {line["seq"]: line for line in lines}


EVIDENCE = [(entry.name, evidence) for entry in TOLD for evidence in entry.seen]


@pytest.mark.parametrize(("name", "evidence"), EVIDENCE, ids=lambda v: str(v).replace(" ", "_"))
def test_recordings_show_it(name: str, evidence: RecordedEvidence) -> None:
    """The line exists, is of its kind, and its fields have these values."""
    line = read_recording(evidence.recording)[evidence.seq]
    assert evidence.event == line["ev"]
    assert evidence.shows
    assert dict(evidence.shows) == {path: look_up(line, path) for path in evidence.shows}


def look_up(line: Any, path: str) -> Any:
    """What stands at a path of keys and indexes."""
    for part in path.split("."):
        line = line[int(part)] if isinstance(line, list) else line[part]
    return line


def test_an_issue_is_found_by_number_tracker_and_name() -> None:
    """With and without its tracker; several entries may have one number."""
    assert {"slave_dispatch_stuck", "both_copies_lost"} == names_of("6767") == names_of("#6767")
    assert names_of("ali#359") == {"slave_write_error_acknowledged", "outrun_by_retention"}
    assert {"outrun_by_retention"} == names_of("OUTRUN_BY_RETENTION")
    assert isinstance(find_entries("RMQ-270")[0], Outside)


def names_of(text: str) -> set[str]:
    """The names of the entries that are found."""
    return {e.name for e in find_entries(text) if not isinstance(e, Outside)}


@pytest.mark.parametrize(("text", "near"), [("6768", "#6767"), ("outrun", "outrun_by_retention")])
def test_an_unknown_issue_names_its_neighbours(text: str, near: str) -> None:
    """In one line."""
    with pytest.raises(IssueError, match=near) as refusal:
        find_entries(text)
    assert "\n" not in str(refusal.value)


@every_scenario
def test_scenario_is_told_to_its_end(scenario: Scenario) -> None:
    """Drawing and sentences end with what it shows; every step has its sentence."""
    assert draw(scenario).endswith(f"✗ {scenario.shows}")
    story = tell_scenario(scenario)
    assert scenario.shows in story[-1].text
    assert sorted(n for s in story for n in s.steps) == list(range(1, len(scenario.schedule) + 1))
    assert json.loads(json.dumps(as_json(scenario)))["steps"] == len(scenario.schedule)


def test_steps_of_a_put_are_taken_in_the_order_of_a_release() -> None:
    """5.x looks for a slave before it waits for the disk; nothing else is put out of its order."""
    scenario = next(s for s in SCENARIOS if s.name == "stranger_acknowledges")
    structure = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave at 5.0.0-quorum"]
    taken, stopped_at = take_in_order(structure, scenario.parameters, scenario.schedule)
    assert stopped_at is None
    assert sorted(map(str, taken)) == sorted(map(str, scenario.schedule))
    assert [a.rule_name for a in taken][-1] == "answer_disk_wait"


def test_every_elsewhere_is_a_place() -> None:
    """A variant, a release or a structure; repairs of 4.4.0 are among them."""
    names = {n for s in SCENARIOS for n in (*s.repaired_by, *s.not_repaired_by)}
    assert names & set(VARIANTS)
    assert all(name in VARIANTS or name in STRUCTURES or name[0].isdigit() for name in names)
