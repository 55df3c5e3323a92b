"""Building the site: Sphinx runs in a process of its own, and every warning is an error."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from book.site.sources import write_sources
from properties.generated_text import ROOT
from spark_fuzz.campaign.java import MissingPrerequisiteError

NEEDED = ("sphinx", "myst_parser", "furo", "mermaidx")

MARK = ".rmqspec-site"
"""A file that tells a folder with a former site from any other."""


class SiteError(Exception):
    """The generator refuses or doubts a text, or the folder is not one for a site."""


def build_site(out: Path, show: Callable[[str], None]) -> None:
    """Build the book into a folder, in place of a former site.

    Raises SiteError for a folder with other things or when the generator warns,
    MissingPrerequisiteError without the generator, OSError when the folder cannot be written.
    """
    check_folder(out)
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise MissingPrerequisiteError(
            f"{missing[0]} is not installed; ./rmqspec docs installs what the site needs"
        )
    with TemporaryDirectory(prefix="rmqspec-site-") as folder:
        source, pages = Path(folder, "source"), Path(folder, "pages")
        source.mkdir()
        write_sources(source)
        run_generator(source, pages, show)
        (pages / MARK).touch()
        if out.exists():
            shutil.rmtree(out)
        shutil.copytree(pages, out)


def check_folder(out: Path) -> None:
    """Raises SiteError unless the folder is new, empty or a former site."""
    if out.exists() and not out.is_dir():
        raise SiteError(f"{out} is a file; choose another --out")
    if out.exists() and any(out.iterdir()) and not (out / MARK).exists():
        raise SiteError(f"{out} holds other things than a site; choose another --out")


def run_generator(source: Path, pages: Path, show: Callable[[str], None]) -> None:
    """Run Sphinx on a source tree, showing what it says; raises SiteError on its first warning."""
    log = source.parent / "warnings"
    settings = Path(__file__).parent
    words = [sys.executable, "-m", "sphinx", "-b", "html", "-j", "auto", "--no-color"]
    folders = ["-c", settings, "-d", source.parent / "read", "-w", log, source, pages]
    with subprocess.Popen(
        [*words, *map(str, folders)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        for line in process.stdout or ():
            show(line.strip()[:78])
    warnings = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    if warnings or process.returncode:
        first = warnings[0] if warnings else f"Sphinx ended with {process.returncode}"
        more = f" (and {len(warnings) - 1} lines more)" if len(warnings) > 1 else ""
        raise SiteError(f"the site is not built: {first.replace(f'{source}/', 'spec/')}{more}")
