"""``rmqspec docs``: rewrite the generated parts of the text, or check that none has drifted."""

from __future__ import annotations

from pathlib import Path

import click

from command_line.readme import compute_readme, get_readme
from command_line.run_tests import run_pytest
from properties import (
    clients_page,
    fault_set_page,
    lemma_page,
    metadata_page,
    prediction_page,
    progress_page,
    proof_page,
    reading_page,
    source_page,
    variant_page,
    verdict_table,
    world_page,
)
from properties.worlds import WORLDS

PAGES = (
    verdict_table,
    fault_set_page,
    proof_page,
    lemma_page,
    variant_page,
    prediction_page,
    reading_page,
    progress_page,
    metadata_page,
    clients_page,
    source_page,
)
"""The modules that generate parts of a chapter."""

EPILOG = """\b
Examples:
  rmqspec docs             rewrite tables and outputs in spec/ and README.md
  rmqspec docs --check     fail when text and code disagree
"""


@click.command(name="docs", epilog=EPILOG)
@click.option("--check", "is_check", is_flag=True, help="Write nothing; 1 when something drifted.")
def command(is_check: bool) -> int:
    """Keep spec/ and README.md in step with the code."""
    if is_check:
        return run_pytest(["tests/spec"])
    texts = {page.CHAPTER: page.update(page.CHAPTER.read_text()) for page in PAGES}
    for world in WORLDS:
        path = world.chapter_path
        texts[path] = world_page.update(world, path.read_text())
    texts[get_readme()] = compute_readme()
    changed = [path for path, text in texts.items() if rewrite(path, text)]
    click.echo("\n".join(f"rewritten: {path.name}" for path in changed) or "nothing has drifted")
    return 0


def rewrite(path: Path, text: str) -> bool:
    """Put the text into the file; whether that changed it."""
    is_changed = path.read_text() != text
    if is_changed:
        path.write_text(text)
    return is_changed
