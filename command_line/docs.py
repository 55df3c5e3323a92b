"""``rmqspec docs``: rewrite the generated parts of the text, or check that none has drifted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import click

from command_line import implementers
from command_line.readme import get_readme, update_readme
from command_line.run_tests import run_pytest
from properties import (
    book,
    clients_page,
    fault_set_page,
    lemma_page,
    metadata_page,
    mutants_page,
    prediction_page,
    progress_page,
    proof_page,
    reading_page,
    source_page,
    spin_page,
    upgrade_page,
    variant_page,
    verdict_table,
    version_page,
    world_page,
)
from properties.known_issues import page as known_issues_page
from properties.tla import page as tla_page
from properties.worlds import WORLDS

PAGES = (
    book,
    verdict_table,
    fault_set_page,
    proof_page,
    lemma_page,
    mutants_page,
    variant_page,
    version_page,
    upgrade_page,
    prediction_page,
    known_issues_page,
    reading_page,
    progress_page,
    metadata_page,
    clients_page,
    implementers,
    tla_page,
    source_page,
    spin_page,
)
"""The modules that generate parts of a chapter."""

EPILOG = """\b
Examples:
  rmqspec docs                         # build the book as a site
  rmqspec docs --check                 # fail when text and code disagree
  rmqspec docs --write                 # write every table, verdict and output anew
  rmqspec docs --write spec/proofs.md  # only in these texts
\b
Exit codes: 0 done, 1 text and code disagree, 3 bad input.
"""

ROOT = get_readme().parent

UPDATES: dict[str, Callable[[str], str]] = {
    path.relative_to(ROOT).as_posix(): update
    for path, update in {
        **{page.CHAPTER: page.update for page in PAGES},
        **{world.chapter_path: partial(world_page.update, world) for world in WORLDS},
        **tla_page.FILES,
        get_readme(): update_readme,
    }.items()
}
"""For each text, by its path from the root, what writes its generated parts anew."""


@click.command(name="docs", epilog=EPILOG)
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@click.option("--check", "is_check", is_flag=True, help="Write nothing; 1 when something drifted.")
@click.option("--write", "is_write", is_flag=True, help="Write the generated parts of texts anew.")
def command(texts: tuple[str, ...], is_check: bool, is_write: bool) -> int:
    """Keep spec/ and README.md in step with the code: all of it, or these chapters."""
    if is_check:
        return run_pytest(["tests/spec"])
    if unknown := sorted(set(texts) - set(UPDATES)):
        raise click.BadParameter(f"{unknown[0]} has no generated parts; {', '.join(UPDATES)} have")
    changed = [name for name in texts or UPDATES if rewrite(name)]
    click.echo("\n".join(f"rewritten: {name}" for name in changed) or "nothing has drifted")
    return 0


def rewrite(name: str) -> bool:
    """Write the generated parts of a text anew; whether that changed it."""
    path = ROOT / name
    before = path.read_text(encoding="utf-8")
    after = UPDATES[name](before)
    path.write_text(after, encoding="utf-8")
    return before != after
