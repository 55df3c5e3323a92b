"""The wordings of log lines: which there are, who writes them, and which one a line has."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

WORDINGS_FILE = Path(__file__).with_name("wordings.toml")

RELEASES = ("4.4.0", "4.9.8", "5.3.3")
"""The releases whose sources the wordings were read in, oldest first."""

FIELDS = {"": ".*?", "d": r"-?\d+", "f": r"-?[\d.]+(?:E-?\d+)?", "w": r"[A-Za-z]\w*"}
"""What a field may hold, by the letter behind its colon."""

FIELD = re.compile(r"\{(\w+)(?::(\w))?\}|\.\.\.")
KEY_LENGTH = 6
"""Wordings are looked up by their first characters."""


@frozen
class Form:
    """The words of a line in some releases."""

    at: tuple[str, ...] = field(converter=lambda text: tuple(text.split()))
    """Those of ``RELEASES`` whose source has these words."""
    source: str
    """Class and method that write the line."""
    text: str
    """The words, with a name in braces for each part that varies."""

    @property
    def start(self) -> str:
        """The words before the first part that varies."""
        return FIELD.split(self.text, maxsplit=1)[0]

    def compile(self) -> re.Pattern[str]:
        """What a whole line has to match."""
        pattern, place = "", 0
        for found in FIELD.finditer(self.text):
            pattern += re.escape(self.text[place : found.start()])
            name, kind = found[1], found[2] or ""
            pattern += f"(?P<{name}>{FIELDS[kind]})" if name else ".*"
            place = found.end()
        return re.compile(pattern + re.escape(self.text[place:]), re.DOTALL)


@frozen
class Wording:
    """A line that brokers write, in all its forms."""

    name: str
    log: str
    """The file that it goes to, without ``.log``."""
    forms: tuple[Form, ...] = field(converter=lambda forms: tuple(Form(**form) for form in forms))
    threads: tuple[str, ...] = field(default=(), converter=tuple)
    """How the names of the threads that write it begin; empty for any thread."""
    event: str = ""
    """The kind of event that it shows, of ``spec/trace_format.md``; empty for none."""
    says: str = ""
    """Its words on a time line; empty for a line that is only counted."""
    sign: str = ""
    """The sign of trouble that each such line is; empty for none."""


@frozen
class Match:
    """A line that has a known wording."""

    wording: Wording
    form: Form
    fields: Mapping[str, str]

    def get_number(self, name: str) -> int:
        """A field that is a whole number."""
        return int(self.fields[name])


@cache
def load_wordings() -> tuple[Wording, ...]:
    """Every wording, in the order of the page."""
    entries: list[dict[str, Any]] = tomllib.loads(WORDINGS_FILE.read_text("utf-8"))["wording"]
    return tuple(Wording(**entry) for entry in entries)


Candidate = tuple[Wording, Form, re.Pattern[str]]


class Matcher:
    """Finds the wording of a line."""

    def __init__(self, wordings: Iterable[Wording]) -> None:
        """Index the wordings by file and first characters."""
        self.known: dict[tuple[str, str], list[Candidate]] = {}
        self.latest: dict[tuple[str, str, str], Match | None] = {}
        for wording in wordings:
            for form in wording.forms:
                start = form.start
                key = start[:KEY_LENGTH] if len(start) >= KEY_LENGTH else ""
                candidate = (wording, form, form.compile())
                self.known.setdefault((wording.log, key), []).append(candidate)

    def match(self, log: str, thread: str, text: str) -> Match | None:
        """The wording of a line of a file; None for a line that nothing is known of.

        A broker in trouble writes the same line a thousand times a second, so the latest line of
        each thread is remembered.
        """
        place = (log, thread, text)
        if place not in self.latest:
            if len(self.latest) >= LATEST_LINES_MAX:
                self.latest.clear()
            self.latest[place] = self._find(log, thread, text)
        return self.latest[place]

    def _find(self, log: str, thread: str, text: str) -> Match | None:
        text = text.rstrip()
        for key in (text[:KEY_LENGTH], ""):
            for wording, form, pattern in self.known.get((log, key), ()):
                if wording.threads and not thread.startswith(wording.threads):
                    continue
                found = pattern.fullmatch(text)
                if found is not None:
                    return Match(wording, form, found.groupdict())
        return None


LATEST_LINES_MAX = 4096
"""So many different lines are remembered at most."""
