"""The pages for operators say what the certificates, the functions and the trials say."""

from __future__ import annotations

import itertools
import re

import pytest

from book.chinese.pages import Section, split_sections
from book.operators import outage_page, page
from book.operators.cells import NEVER
from book.operators.choices import COLUMNS
from book.operators.settings import load_settings
from properties.generated_text import Page, compute_anchor
from properties.scenarios.known_issues.catalogue import load_catalogue
from properties.scenarios.procedures.procedures import OUTAGE_RECIPES, find_page, load_procedures
from properties.scenarios.procedures.recoveries import try_recoveries
from properties.verdicts.certificates import get_path, load_cells
from properties.verdicts.certified_cells import compute_row
from properties.verdicts.findings.explanations import load_explanations
from properties.verdicts.storage.certificate_files import read_document
from properties.worlds.catalogue import STRUCTURES, list_other_structures
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import CLAIMS
from reference.configuration.keys import MESSAGE_STORE_CONFIG
from reference.decisions.clients.sending import SendSettings
from reference.worlds.replication.changes import VARIANTS

LABELS = ("Signs", "At stake", "Do", "Do not", "Why")
"""The parts of each recipe, in this order."""

PAGES = (page.PAGE, outage_page.PAGE)
TRIED = "trials"
"""The part before the recipes of a page."""


def read(chapter: Page = page.PAGE) -> str:
    """The text of a page."""
    return chapter.path.read_text(encoding="utf-8")


def find_part(name: str, chapter: Page = page.PAGE) -> list[list[str]]:
    """The rows of a generated table, cells without blanks."""
    part = re.search(rf"begin generated: {name} -->\n(.*?)<!-- end", read(chapter), re.DOTALL)
    assert part, name
    return [[c.strip() for c in line.strip("|").split("|")] for line in part[1].splitlines()]


def find_recipes(*chapters: Page) -> list[Section]:
    """The sections after the tried procedures of these pages, or of both."""
    recipes = []
    for chapter in chapters or PAGES:
        sections = split_sections(read(chapter))
        (start,) = [i for i, s in enumerate(sections) if TRIED in s.parts]
        after = itertools.takewhile(lambda s: s.level > 2, sections[start + 1 :])
        recipes += list(after)
    return recipes


def read_verdicts(structure_name: str) -> dict[tuple[str, str], str]:
    """What a group's certificate says, as it is stored, by claim and column."""
    document = read_document(get_path(CERTIFIED_BY_NAME[structure_name]))
    return {(cell["guarantee"], cell["fault"]): cell["verdict"] for cell in document["cells"]}


def list_names(group: str) -> list[str]:
    """The structures that a row of the choices is about."""
    role, flush, slaves = group.replace("`", "").split(", ")
    numbers = [int(n) for n in re.findall(r"\d", slaves)] or [0]
    return [
        f"{role}/{flush}/{n} {'slave' if n == 1 else 'slaves'}"
        for n in range(numbers[0], numbers[-1] + 1)
    ]


def test_each_choice_is_the_verdict_of_the_matrix() -> None:
    """Of every group in a row, as its certificate has it; each group once."""
    head, _, *rows = find_part("choices")
    names = [name for row in rows for name in list_names(row[0])]
    assert sorted(names) == sorted(CERTIFIED_BY_NAME)
    for row, (column, cell) in itertools.product(rows, COLUMNS.items()):
        word = row[head.index(column)]
        assert word in ("yes", NEVER) or word.startswith(("[no, ", "[disputed ("))
        expected = "refuted" if word.startswith("[no, ") else "proved"
        assert {read_verdicts(n)[cell] for n in list_names(row[0])} == {expected}, (row[0], column)
        first = compute_row(CERTIFIED_BY_NAME[list_names(row[0])[0]])
        assert (word == NEVER) is first[cell].endswith("(vacuous)")
        assert word.startswith("[disputed (") is first[cell].startswith("disputed")


WIDTH = 10
"""Columns of short cells that a page of the site shows without scrolling on a screen of 1400."""


def test_tables_fit_a_screen() -> None:
    """None has more columns than fit beside the side bar and the page's own contents."""
    for chapter in PAGES:
        for name in chapter.parts:
            assert len(find_part(name, chapter)[0]) <= WIDTH, name


def test_every_letter_has_its_reason() -> None:
    """All letters of all tables, in the order of their first use, and no other."""
    used = re.findall(r"\[no, (\w+)\]", read())
    assert [row[0] for row in find_part("reasons")[2:]] == list(dict.fromkeys(used))


def test_settings_have_the_defaults_of_the_code() -> None:
    """Of brokers from the table of keys, of clients from what they do."""
    defaults = {each.key: each.default for each in load_settings()}
    assert defaults["fileReservedTime"] == f"`{MESSAGE_STORE_CONFIG['fileReservedTime'].default}`"
    assert defaults["retryAnotherBrokerWhenNotStoreOK"] == "`false`"
    wait = MESSAGE_STORE_CONFIG["syncFlushTimeout"].default
    assert isinstance(wait, int)
    assert SendSettings().timeout_ms < 2 * wait, "else the advice on sendMsgTimeout is idle"


@pytest.mark.parametrize("recipe", find_recipes(), ids=lambda r: r.heading)
def test_a_recipe_is_complete(recipe: Section) -> None:
    """Signs, what is at stake, what to do, what not, and why; a claim is linked."""
    labels = re.findall(r"^- \*\*([A-Z][a-z ]+?)\.?\*\*", recipe.text, re.MULTILINE)
    assert tuple(labels) == LABELS
    names = {*CLAIMS, *(n for s in list_other_structures() for n in s.world.claims)}
    linked = {link.partition("#")[2] for link in recipe.links}
    assert linked & names
    assert recipe.citations or "R-" in recipe.text


def test_procedures_belong_to_recipes() -> None:
    """Each procedure names a recipe; those without one ask for no act on a store or a file.

    Or their act is a recovery, which ``explain`` tries after the schedule of their code, or a
    column of the table of courses.
    """
    headings = {recipe.heading for recipe in find_recipes()}
    tried = {procedure.recipe for procedure in load_procedures()}
    assert tried <= headings
    recovered = "A slave ended in the middle of a message"
    courses = {"The old master returns after a promotion", "The master starts again"}
    no_act = {"Puts find no slave", "Nothing is promoted: the slave is read"}
    assert headings - tried == {recovered, *courses, *no_act}
    (recipe,) = (each for each in find_recipes() if each.heading == recovered)
    structure = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave"]
    claim = "equal_offsets_mean_equal_bytes"
    assert "explain S41" in recipe.text
    outcomes = try_recoveries(structure, load_cells(structure)[claim, "none"], (claim,)).outcomes
    assert {"Copy the stopped master's store to the slave"} == {
        each.title for each in outcomes if each.is_mending
    }


@pytest.mark.parametrize("chapter", PAGES, ids=lambda c: c.path.stem)
def test_a_recipe_is_where_links_lead(chapter: Page) -> None:
    """In the text that the program names."""
    anchors = {recipe.anchor for recipe in find_recipes(chapter)}
    named = {p.recipe for p in load_procedures() if find_page(p.recipe) == chapter.path.name}
    assert {compute_anchor(recipe) for recipe in named} <= anchors
    assert (set(OUTAGE_RECIPES) <= anchors) is (chapter is outage_page.PAGE)


def test_a_procedure_costs_what_its_recipe_says() -> None:
    """What the trial judges is linked in the recipe."""
    recipes = {recipe.heading: recipe for recipe in find_recipes()}
    for each in load_procedures():
        text = recipes[each.recipe].text
        assert each.claim in text, (each.name, each.claim)


def test_threads_are_known() -> None:
    """Every thread on the pages is in the catalogue of known issues or explains a cell."""
    known = {s for e in load_catalogue() for s in e.sources}
    known |= {t for e in load_explanations() for t in e.threads}
    sections = [s for chapter in PAGES for s in split_sections(read(chapter))]
    cited = {c for s in sections for c in s.citations if "seq" not in c}
    assert cited
    assert cited <= known


def test_variants_exist() -> None:
    """Those that a recipe names as what would repair it."""
    named = set(re.findall(r"variants\.md#(\w+)", "".join(map(read, PAGES))))
    assert named
    assert named <= set(VARIANTS)
