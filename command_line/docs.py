"""``rmqspec docs``: the book as a site, and its text in step with the code."""

from __future__ import annotations

import time
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import click

from book.contents import list_chapters
from book.refutations import page as refutation_page
from book.site.build import build_site
from command_line.output.checkout import check_is_checkout
from command_line.output.new_files import tell_problem
from command_line.output.progress import show_progress
from command_line.renewal.pages import COMPLETIONS, UPDATES, list_pages, rewrite
from command_line.renewal.walk import Word, count_cores, look_at_all
from command_line.run_tests import run_pytest
from properties.checkout import PROGRAM, ROOT

EPILOG = """\b
Examples:
  rmqspec docs                         # build spec/ as a site, to read in a browser
  rmqspec docs --out site              # build it there
  rmqspec docs --check                 # fail when text and code disagree
  rmqspec docs --write                 # write tables, verdicts and outputs again
  rmqspec docs --write spec/proofs.md  # only in these texts
  rmqspec docs --print spec/code_ledger.md  # a text with all that the site has of it

Exit codes: 0 done, 1 text and code disagree, 3 bad input, 4 missing prerequisite.
"""


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
    --write the named ones. The tables of spec/recordings.md are written by `renew`. Long tables are
    in the site only; --print prints a text with them.
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
