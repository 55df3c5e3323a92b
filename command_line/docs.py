"""``rmqspec docs``: the book as a site, and its text in step with the code."""

from __future__ import annotations

import time
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import click

from book.chinese.pages import PAIRS
from book.contents import list_chapters
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
from book.operators import page as operators_page
from book.operators import upgrading
from book.refutations import page as refutation_page
from book.site.build import build_site
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
from command_line.output.checkout import check_is_checkout
from command_line.output.new_files import tell_problem
from command_line.output.progress import show_progress
from command_line.run_tests import run_pytest
from properties.checkout import PROGRAM, ROOT
from properties.generated_text import Page
from properties.verdicts.storage.certificate_files import write_whole

PAGES: tuple[Page, ...] = (
    front_page.PAGE,
    assumptions_page.PAGE,
    one_offset_page.PAGE,
    operators_page.PAGE,
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

EPILOG = """\b
Examples:
  rmqspec docs                         # build spec/ as a site, to read in a browser
  rmqspec docs --out book              # build it there
  rmqspec docs --check                 # fail when text and code disagree
  rmqspec docs --write                 # write tables, verdicts and outputs again
  rmqspec docs --write spec/proofs.md  # only in these texts
  rmqspec docs --print spec/code_ledger.md  # a text with all that the site has of it

Exit codes: 0 done, 1 text and code disagree, 3 bad input, 4 missing prerequisite.
"""


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


@click.command(name="docs", epilog=EPILOG)
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@click.option(
    "--check",
    "is_check",
    is_flag=True,
    help="Write nothing; leave with 1 if text and code disagree.",
)
@click.option("--write", "is_write", is_flag=True, help="Write the generated parts of texts again.")
@click.option(
    "--print",
    "is_print",
    is_flag=True,
    help="Print texts with all their generated parts, those that only the site has too.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The folder of the site, new or a former one. Default: .rmqspec/site beside spec/.",
)
def command(
    texts: tuple[str, ...], is_check: bool, is_write: bool, is_print: bool, out: Path | None
) -> int:
    """Build the book in spec/ as a site that needs neither network nor server.

    This verb needs a checkout of the project.

    --check and --write keep spec/ and README.md in step with the code instead: all texts, or with
    --write the named ones. The tables of spec/recordings.md are written by modules of the tests,
    which that chapter names. Long tables are in the site only; --print prints a text with them.
    """
    if is_check + is_write + is_print + bool(out) > 1 or bool(texts) > is_write + is_print:
        raise click.UsageError(
            "--check, --write [TEXT]..., --print TEXT... and --out FOLDER exclude each other"
        )
    if is_print and not texts:
        raise click.UsageError("--print needs a TEXT, for example spec/code_ledger.md")
    check_is_checkout("docs")
    if is_print:
        return print_complete(texts)
    if is_check:
        return max(check_generated(), run_pytest(["tests/spec", "-m", ""]))
    if is_write:
        return write(texts or tuple(UPDATES))
    return build(out or ROOT / ".rmqspec" / "site")


def check_generated() -> int:
    """Say which texts are not as they would be written today; 1 if there are any."""
    from command_line.renew import count_cores  # noqa: PLC0415
    from command_line.renewal.register import list_pages  # noqa: PLC0415
    from command_line.renewal.walk import Word, look_at_all  # noqa: PLC0415

    with show_progress() as progress:
        outcomes = look_at_all(list(list_pages(())), progress.advance, count_cores())
        stale = [o.artefact.name for o in outcomes if o.word is not Word.CURRENT]
    for name in stale:
        click.echo(f"stale: {name}; run {PROGRAM} docs --write {name}, and read the difference")
    return int(bool(stale))


def build(out: Path) -> int:
    """Build the site into a folder, and print where it begins."""
    began = time.perf_counter()
    with show_progress() as show, tell_problem(out):
        build_site(out, show, read_complete, refutation_page.PICTURES)
    seconds = time.perf_counter() - began
    click.echo(f"{out / 'index.html'}: {len(list(list_chapters()))} pages, {seconds:.0f} s")
    return 0


@cache
def read_complete(path: Path) -> str:
    """A text as the site has it. Raises OSError, and whatever a generated part raises."""
    text = path.read_text(encoding="utf-8")
    return COMPLETIONS[path](text) if path in COMPLETIONS else text


def print_complete(texts: tuple[str, ...]) -> int:
    """Print texts as the site has them."""
    check_names(texts)
    for name in texts:
        click.echo(read_complete(ROOT / name), nl=False)
    return 0


def check_names(texts: tuple[str, ...]) -> None:
    """Raises click.BadParameter for a text without generated parts."""
    if unknown := sorted(set(texts) - set(UPDATES)):
        near = [name for name in UPDATES if unknown[0] in name]
        near += [name for name in get_close_matches(unknown[0], UPDATES, 3) if name not in near]
        hint = f"did you mean {' or '.join(near[:3])}?" if near else "name a file below spec/"
        raise click.BadParameter(f"{unknown[0]} has no generated parts; {hint}")


def write(texts: tuple[str, ...]) -> int:
    """Write the generated parts of texts again, and print which have changed."""
    check_names(texts)
    changed = []
    with show_progress() as progress:
        for number, name in enumerate(texts):
            progress.advance(number, len(texts), f"{number} of {len(texts)} texts done; {name}")
            changed += [name] if rewrite(name) else []
    click.echo("\n".join(f"rewritten: {name}" for name in changed) or "nothing has drifted")
    return 0


def rewrite(name: str) -> bool:
    """Write the generated parts of a text again; whether that changed it."""
    path = ROOT / name
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    after = UPDATES[name](before)
    write_whole(path, after)
    return before != after
