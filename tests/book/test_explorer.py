"""The explorer's page: small, complete, without network, and its schedules do what the book says.

The scripts that know no document run in the engine of the tests, with the data of the page.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from attrs import evolve

from book.explorer.deployments import list_deployments
from book.explorer.finding_address import write_address
from book.explorer.page import (
    FILE,
    FOLDER,
    SCRIPTS,
    SIZE_MAX_BYTES,
    make_source,
    read_part,
)
from book.explorer.places import find_address, link_counterexample
from book.explorer.schedules import Opened, list_counterexamples, list_issues, load_tour
from book.explorer.texts import describe_claims, describe_rule
from properties.exports.javascript import ENGINE_FILE, list_conditions
from properties.generated_text import SPEC
from properties.scenarios.counterexamples.cases import find_case, load_cases
from properties.scenarios.known_issues.catalogue import load_scenarios
from properties.schedules.judgement import replay
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.system.world import SYSTEM
from reference.language.machine import Action, compute_machine
from tests.command_line.run import run
from tests.properties.exports.javascript_walks import MISSING
from tests.spec.test_links import compute_anchors

needs_engine = pytest.mark.skipif(bool(MISSING), reason=MISSING or "an engine is there")

BRIDGE = """
const byKey = new Map(STRUCTURES.map((structure) => [structure.key, structure]));
let session;
function open(fragment) {
  const asked = readAddress(fragment, BOOK);
  const { structure, faults, sizes, others } = asked;
  session = new Session(byKey.get(structure), { structure, faults, sizes, others });
  const refused = session.follow(readSchedule(asked.schedule));
  const falls = Object.fromEntries(session.structure.claims.map((name) =>
    [name, session.findFall(name)]));
  const { actions } = session;
  if (asked.at !== null && asked.at !== undefined) session.move(asked.at);
  const { address } = session;
  return JSON.stringify({ refused, falls, steps: actions.length, address });
}
function go(at) { session.move(at); return session.address; }
function take(name) {
  const failed = session.take(name, {});
  return JSON.stringify({ failed, steps: session.actions.length });
}
function faults() {
  return JSON.stringify(session.actions.map((_, i) => i + 1).filter((at) => session.isFault(at)));
}
"""


@cache
def write_page() -> TemporaryDirectory[str]:
    """A folder in which the verb has written the page of a site, over a former page."""
    folder = TemporaryDirectory()
    (Path(folder.name) / FILE).write_text("a former page")
    result = run("export", "explorer", "--out", folder.name, "--book", "../")
    assert 0 == result.returncode, result.stderr
    return folder


def read_page() -> str:
    """The page of a site."""
    return (Path(write_page().name) / FILE).read_text(encoding="utf-8")


@cache
def make_context() -> Any:
    """The scripts, and the data as they lie in the page, without the document."""
    from quickjs import Context  # noqa: PLC0415

    context = Context()
    data = re.findall(r"^const (?:BOOK|LINES|SHARED|PACKED) = .*", read_page(), re.MULTILINE)
    assert 4 == len(data)
    parts = [ENGINE_FILE.read_text(encoding="utf-8"), "const BOOK_PLACE = null;", *data]
    scripts = map(read_part, ("structures.js", "address.js", "session.js"))
    context.eval("\n".join([*parts, *scripts, BRIDGE]))
    return context


def call(name: str, *words: Any) -> Any:
    """What a function of the bridge answers."""
    answer = make_context().get(name)(*words)
    return json.loads(answer) if answer.startswith(("{", "[")) else answer


OPENED = [*(case.claim for case in load_cases()), *(each.name for each in load_scenarios())]
"""Counterexamples and issues."""


@cache
def load_opened() -> dict[str, Opened]:
    """Their schedules, by their names."""
    return {each.name: each for each in (*list_counterexamples(), *list_issues())}


@needs_engine
@pytest.mark.parametrize("name", OPENED)
def test_a_schedule_shows_what_it_is_for(name: str) -> None:
    """Each step is taken, and the last one is the first that breaks the claim."""
    opened = load_opened()[name]
    kind = "counterexample" if find_case(opened.name) else "issue"
    told = call("open", f"#{kind}={opened.name}")
    assert told["refused"] is None
    assert told["steps"] == told["falls"][opened.shows] == opened.schedule.count(",") + 1


@needs_engine
@pytest.mark.parametrize("name", OPENED)
def test_an_address_opens_the_same(name: str) -> None:
    """What the page writes into the address of a schedule leads to the same state."""
    kind = "counterexample" if find_case(name) else "issue"
    told = call("open", f"#{kind}={name}")
    again = call("open", f"#{told['address']}")
    assert told == again
    assert re.fullmatch(r"[\w/%&=.;:,()'+~!*-]+", told["address"])


@pytest.mark.nightly
@needs_engine
def test_every_cell_is_refuted_by_its_schedule() -> None:
    """Of the stock pair, of a later release and of the system."""
    make_context().eval("""function check(key) {
      return JSON.stringify(BOOK.cells[key].map(([claim, faults, place]) => {
        const setting = { structure: key, faults, sizes: "small", others: {} };
        session = new Session(byKey.get(key), setting);
        session.follow(readSchedule(BOOK.schedules[place]));
        return session.findFall(claim) === session.actions.length;
      }));
    }""")
    for deployment in list_deployments():
        if " at " in deployment.key or deployment.key.startswith(("SYNC", "delay")):
            assert all(call("check", deployment.key)), deployment.key


@needs_engine
def test_all_structures_of_the_small_worlds_are_offered() -> None:
    """Each is assembled from the shared lines, and its first state offers steps."""
    offered = {deployment.key for deployment in list_deployments()}
    small = [n for n in STRUCTURES if n.startswith(("reading", "tables", "delay"))]
    known = [*small, *(structure.name for structure in SYSTEM.structures)]
    assert set(known) <= offered
    assert 12 == sum(name.startswith("system/") for name in known)
    make_context().eval("""function count(key) {
      const setting = { structure: key, faults: "none", sizes: "small", others: {} };
      session = new Session(byKey.get(key), setting);
      return JSON.stringify([session.look().steps.filter((step) => !step.failed.length).length]);
    }""")
    assert all(call("count", key)[0] > 0 for key in sorted(offered))


@needs_engine
def test_stepping_back_and_another_way() -> None:
    """A step that is taken in the middle replaces those behind it; a refused one does not."""
    steps = call("open", "#counterexample=acknowledgement_is_truthful")["steps"]
    assert 16 == steps
    assert [8] == call("faults")
    assert call("go", 1).endswith("&at=1")
    assert {"failed": ["is_master_down"], "steps": 16} == call("take", "restart_master")
    assert {"failed": [], "steps": 2} == call("take", "connect_slave[0]")
    assert {"failed": ["is_known"], "steps": 2} == call("take", "no_such_step")


@needs_engine
def test_what_a_campaign_finds_opens() -> None:
    """With its own sizes, under the weakest column that admits what struck."""
    case = find_case("acknowledgement_is_truthful")
    assert case is not None
    limits = evolve(case.parameters.limits, master_power_losses=5, slave_kills=7)
    sizes = evolve(case.parameters, mapped_file_size_bytes=6, limits=limits)
    kills = (Action("kill_slave[0]"), Action("restart_slave[0]", {"recovered_offset": 0})) * 3
    steps = list(replay(case.structure, sizes, (*kills, *case.schedule)))
    address = write_address(steps)
    assert address is not None
    assert (
        "&faults=every%20fault&size.mapped_file_size_bytes=6&size.limits.slave_kills=3" in address
    )
    told = call("open", f"#{address}")
    assert (None, 22) == (told["refused"], told["steps"])
    assert 22 == told["falls"][case.claim]
    assert address == told["address"]


def test_what_the_explorer_lacks_has_no_address() -> None:
    """A group of three slaves with the rules of a later release."""
    group = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/3 slaves at 4.9.3"]
    assert write_address(list(replay(group, group.usual_parameters, ()))) is None


@needs_engine
def test_a_release_stands_for_the_first_with_its_rules() -> None:
    """As in all of the program; and sizes can be asked for."""
    pair = "#structure=SYNC_MASTER/ASYNC_FLUSH/1%20slave"
    told = call("open", f"{pair} at 4.9.8&faults=none&sizes=usual&schedule=append_message.0")
    assert 1 == told["steps"]
    assert "at%204.9.3" in told["address"]
    told = call(
        "open", f"{pair}&faults=none&size.message_size_max_bytes=2&schedule=append_message.0"
    )
    assert "size.message_size_max_bytes=2" in told["address"]


@needs_engine
@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("#counterexample=nobody", "There is no counterexample nobody"),
        ("#issue=nothing", "There is no issue nothing"),
        ("#tour=9", "The tour has no such stop"),
        ("#structure=delay/4.4.0&faults=rain", 'There is no fault model "rain"'),
        ("#structure=delay/4.4.0&faults=none&sizes=huge", 'There are no sizes "huge"'),
        ("#structure=delay/4.4.0&faults=none&size.ghost=1", "no parameter ghost"),
    ],
)
def test_a_wrong_address_is_told(address: str, problem: str) -> None:
    """In words for the reader, who sees what was there before."""
    with pytest.raises(Exception, match=re.escape(problem)):
        call("open", address)


@pytest.fixture
def page() -> str:
    """The page of a site."""
    return read_page()


def test_the_page_is_small_and_complete(page: str) -> None:
    """Below 2 MB, in one file: nothing is loaded, and nothing has stayed a place."""
    assert len(page.encode()) < SIZE_MAX_BYTES
    assert [] == re.findall(r"<script src|<link|@import|url\(|\bfetch\(|\bimport\(", page)
    assert [] == re.findall(r"^/\* \w+ \*/$", page, re.MULTILINE)
    assert 3 == page.count("</script>")


def test_all_scripts_are_in_the_page(page: str) -> None:
    """Each file of the folder, in the order of their list."""
    assert {f.name for f in FOLDER.glob("*.js")} == set(SCRIPTS)
    assert sorted(SCRIPTS, key=lambda name: page.index(read_part(name))) == list(SCRIPTS)


def test_every_page_of_the_book_has_its_schedule() -> None:
    """Of counterexamples and of known issues, in the page's deployments."""
    keys = {deployment.key for deployment in list_deployments()}
    assert [case.claim for case in load_cases()] == [each.name for each in list_counterexamples()]
    assert [s.name for s in load_scenarios()] == [each.name for each in list_issues()]
    assert {each.structure for each in load_opened().values()} <= keys


def list_sections() -> set[str]:
    """Every section to which the page links."""
    sections = {opened.section for opened in load_opened().values()}
    for deployment in list_deployments():
        structure = deployment.structure
        for instance in compute_machine(structure).instances.values():
            sections.add(describe_rule(structure, instance.rule, ())["section"])
        sections |= {claim["section"] for claim in describe_claims(structure)}
    return sections


def test_links_lead_to_sections_of_the_book() -> None:
    """Rules, claims, counterexamples and issues."""
    wrong = []
    for section in list_sections():
        name, _, anchor = section.partition("#")
        chapter = SPEC / name.replace(".html", ".md")
        if not chapter.exists() or (anchor and anchor not in compute_anchors(chapter)):
            wrong.append(section)
    assert [] == wrong


def test_every_condition_is_explained() -> None:
    """In words, or as the source writes it; never by its name alone."""
    for deployment in list_deployments():
        for recorded in make_source(deployment).instances:
            names = list_conditions(recorded)
            told = describe_rule(deployment.structure, recorded.instance.rule, names)["conditions"]
            assert set(names) <= set(told), recorded.instance.name
            bare = [n for n, words in told.items() if words == f"`{n.replace('_', ' ')}`"]
            assert [] == bare, recorded.instance.name


def test_claims_are_told_in_the_order_in_which_they_are_judged() -> None:
    """The page takes both lists for one."""
    for deployment in list_deployments():
        names = [claim["name"] for claim in describe_claims(deployment.structure)]
        judged = list(make_source(deployment).predicates)
        assert names == judged[: len(names)]


def test_the_tour_speaks_of_steps_of_its_schedules() -> None:
    """Each note is at a rule that occurs; each stop is a surprise of the front page."""
    readme = (SPEC.parent / "README.md").read_text(encoding="utf-8")
    assert 3 == len(load_tour())
    for stop in load_tour():
        case = find_case(stop.claim)
        assert case is not None
        assert f"counterexamples/{stop.claim}.md" in readme
        assert {note.rule for note in stop.note} <= {a.rule_name for a in case.schedule}


def test_a_page_about_a_counterexample_leads_to_it() -> None:
    """In the repository to the chapter, in the site to the schedule."""
    assert "](../explorer.md#counterexamples)" in link_counterexample("../", "some_claim")
    found = find_address("counterexamples/consumers_drain.md", "counterexamples")
    assert "explorer:../explorer/index.html#counterexample=consumers_drain" == found
    assert "explorer:explorer/index.html" == find_address("explorer.md", "open-it")
    assert find_address("guarantees.md", "counterexamples") is None


def test_the_verb_writes_one_file(page: str, tmp_path: Path) -> None:
    """Over a former page, and never over other things."""
    assert [FILE] == [path.name for path in Path(write_page().name).iterdir()]
    assert 'const BOOK_PLACE = "../";' in page
    (tmp_path / "other").touch()
    result = run("export", "explorer", "--out", tmp_path)
    assert 3 == result.returncode
    assert "holds other things" in result.stderr
