"""``rmqspec docs``: rewrite the generated parts of the text, or check that none has drifted."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from command_line.readme import get_readme, update_readme
from command_line.run_tests import run_pytest
from properties import (
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
    tla_page,
    source_page,
    spin_page,
)
"""The modules that generate parts of a chapter."""

EPILOG = """\b
Examples:
  rmqspec docs             rewrite tables and outputs in spec/ and README.md
  rmqspec docs proofs.md   only these chapters
  rmqspec docs --check     fail when text and code disagree
"""


UPDATES: dict[Path, Callable[[str], str]] = {
    **{page.CHAPTER: page.update for page in PAGES},
    **{world.chapter_path: partial(world_page.update, world) for world in WORLDS},
    **tla_page.FILES,
    get_readme(): update_readme,
}
"""For each text what writes its generated parts anew."""


@click.command(name="docs", epilog=EPILOG)
@click.argument("chapters", nargs=-1, type=click.Choice([path.name for path in UPDATES]))
@click.option("--check", "is_check", is_flag=True, help="Write nothing; 1 when something drifted.")
def command(chapters: tuple[str, ...], is_check: bool) -> int:
    """Keep spec/ and README.md in step with the code: all of it, or these chapters."""
    if is_check:
        return run_pytest(["tests/spec"])
    asked = [path for path in UPDATES if not chapters or path.name in chapters]
    changed = [path for path in asked if rewrite(path)]
    click.echo("\n".join(f"rewritten: {path.name}" for path in changed) or "nothing has drifted")
    return 0


def rewrite(path: Path) -> bool:
    """Write the generated parts of a text anew; whether that changed it."""
    before = path.read_text(encoding="utf-8")
    after = UPDATES[path](before)
    path.write_text(after, encoding="utf-8")
    return before != after
