"""The chapter about brokers' logs: the screen of a real pair, every sign, and every wording."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from brokers.broker_logs.folders import find_brokers
from brokers.broker_logs.reading import read_logs
from brokers.broker_logs.unseen import list_unseen
from brokers.broker_logs.wordings import Form, Wording, load_wordings
from command_line.answers.recordings.broker_logs import render
from properties.checkout import ROOT
from properties.generated_text import SPEC, Page, leave_to_site, render_table
from properties.scenarios.procedures.signs import Sign, load_pair_signs, load_signs

ADDRESS = re.compile(r"\d+(?:\.\d+){3}(?::\d+)?")
"""Stands for a machine, which no page names."""

ARCHIVE = ROOT / "tests" / "data" / "stores" / "empty_first_file.tar.xz"


def render_screen() -> str:
    """What ``logs`` prints for a slave that took a later file for its first."""
    with TemporaryDirectory() as name:
        with tarfile.open(ARCHIVE) as archive:
            members = [each for each in archive.getmembers() if "/logs/" in each.name]
            archive.extractall(name, members, filter="data")
        report = read_logs(find_brokers([Path(name) / "empty_first_file"]))
    text = ADDRESS.sub("<peer>", "\n".join(render(report)))
    return f"```text\n{text}\n```"


def render_signs() -> str:
    """A row for each sign, trouble first, those of groups with a controller last."""
    pair = sorted(load_pair_signs(), key=lambda sign: sign.is_note)
    rows = [list_cells(sign) for sign in (*pair, *load_signs())]
    return render_table(("Sign", "What it is", "It means", "Do", "Issues"), rows)


def list_cells(sign: Sign) -> tuple[str, ...]:
    """A row about a sign."""
    issues = ", ".join(f"[`{issue}`](known_issues.md#{issue})" for issue in sign.issues)
    what = f"[{sign.what}]({sign.chapter})" + (" (no trouble by itself)" if sign.is_note else "")
    return f"`{sign.name}`", what, sign.means, sign.advice, issues or "-"


def render_wordings() -> str:
    """A row for each form of each wording."""
    rows = [
        (
            f"`{form.text.strip()}`".replace("\t", " ") + mark(form),
            f"`{wording.log}.log`",
            f"{form.source}; {', '.join(form.at)}",
            say_event(wording),
        )
        for wording in load_wordings()
        for form in wording.forms
    ]
    return render_table(("Line", "In", "Written by, at", "Shows"), rows)


def mark(form: Form) -> str:
    """A form that no line that was seen has."""
    return " (inferred)" if form.is_inferred else ""


def say_event(wording: Wording) -> str:
    """The kind of event and the sign that a wording is."""
    return ", ".join(f"`{name}`" for name in (wording.event, wording.sign) if name) or "-"


def list_lines() -> Iterator[str]:
    """What no log shows."""
    yield from (f"- {text}" for text in list_unseen())


CHAPTER = SPEC / "broker_logs.md"

PAGE = Page(
    CHAPTER,
    {
        "screen": render_screen,
        "signs": render_signs,
        "wordings": render_wordings,
        "unseen": lambda: "\n".join(list_lines()),
    },
    site_only=leave_to_site(CHAPTER, ("wordings",)),
)
