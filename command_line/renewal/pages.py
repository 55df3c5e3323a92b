"""The texts of the book as artefacts: each has parts that are generated, or is generated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from book.chinese.pages import PAIRS
from book.implementers import model_checkers_page, vectors_page
from book.model import (
    code_ledger_page,
    dispute_page,
    fault_set_page,
    guarantees_page,
    ledger_page,
    lemma_page,
    mutants_page,
    one_offset_page,
    proof_page,
    restrictions_page,
    roles_page,
    system_page,
    version_page,
    world_page,
)
from book.model.code_page import TOPIC_PAGES
from book.model.variants import variant_page
from book.operators import outage_page, upgrading
from book.operators import page as operators_page
from book.refutations import page as refutation_page
from book.usage import (
    assumptions_page,
    clients_page,
    front_page,
    known_issues_page,
    metadata_page,
    prediction_page,
    progress_page,
    reading_page,
    tutorial_page,
    wire_mutants_page,
)
from command_line.answers import shown_outputs as implementers
from command_line.answers.recordings import logs_page
from command_line.answers.shown_outputs import README, update_readme
from command_line.answers.stores import page as stores_page
from command_line.output import help_texts
from command_line.renewal.artefact import Artefact, Need, Say
from properties.checkout import ROOT
from properties.generated_text import Page
from properties.verdicts.storage.certificate_files import write_whole

PAGES: tuple[Page, ...] = (
    front_page.PAGE,
    assumptions_page.PAGE,
    one_offset_page.PAGE,
    operators_page.PAGE,
    outage_page.PAGE,
    upgrading.PAGE,
    stores_page.PAGE,
    logs_page.PAGE,
    fault_set_page.PAGE,
    proof_page.PAGE,
    lemma_page.PAGE,
    mutants_page.PAGE,
    restrictions_page.PAGE,
    variant_page.PAGE,
    version_page.PAGE,
    prediction_page.PAGE,
    known_issues_page.PAGE,
    reading_page.PAGE,
    progress_page.PAGE,
    metadata_page.PAGE,
    clients_page.PAGE,
    wire_mutants_page.PAGE,
    implementers.PAGE,
    model_checkers_page.TLA_PAGE,
    dispute_page.PAGE,
    ledger_page.PAGE,
    code_ledger_page.PAGE,
    roles_page.PAGE,
    model_checkers_page.SPIN_PAGE,
    vectors_page.VECTORS_PAGE,
    tutorial_page.PAGE,
    *TOPIC_PAGES,
    *world_page.PAGES,
    system_page.PAGE,
    refutation_page.OVERVIEW,
    *refutation_page.PAGES,
)
"""Every text with parts that are generated one by one."""

FILES = {**model_checkers_page.FILES, **one_offset_page.FILES}
"""Texts that are generated as a whole."""


def replace_all(write: Callable[[], str]) -> Callable[[str], str]:
    """A writer of a whole text, whatever it held before."""
    return lambda text: write()


UPDATES: dict[str, Callable[[str], str]] = {
    path.relative_to(ROOT).as_posix(): update
    for path, update in {
        **{page.path: page.update for page in PAGES},
        guarantees_page.CHAPTER: guarantees_page.update,
        **{path: replace_all(write) for path, write in FILES.items()},
        README: update_readme,
        help_texts.FILE: replace_all(help_texts.render_help_texts),
        **{pair.translation: pair.update for pair in PAIRS},
    }.items()
}
"""The writer of each text's generated parts, by the text's path from the root."""

COMPLETIONS = {page.path: page.complete for page in PAGES if page.site_only}
"""What makes a text whole of which the site has more than is kept."""

SLOW_PAGES = ("spec/implementers.md", "spec/variants.md", "spec/operators.md")
"""Texts that take longest: they are begun first, so that none is waited for alone."""


def list_pages(needed: tuple[str, ...]) -> Iterator[Artefact]:
    """The generated parts of the book, after everything that they tell."""
    for name in sorted(UPDATES, key=lambda name: name not in SLOW_PAGES):
        yield Artefact(
            name,
            Need.PAGE,
            partial(is_page_current, name),
            partial(make_page, name),
            needed,
            "the book",
            seconds=30 if name in SLOW_PAGES else 3,
            has_digest=False,
        )


def is_page_current(name: str) -> bool:
    """Its generated parts, written again, are the same."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return UPDATES[name](text) == text


def make_page(name: str, say: Say) -> str:
    """Write its generated parts again."""
    say("generated parts")
    return "rewritten" if rewrite(name) else "as it was"


def rewrite(name: str) -> bool:
    """Write the generated parts of a text again; whether that changed it."""
    path = ROOT / name
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    after = UPDATES[name](before)
    write_whole(path, after)
    return before != after
