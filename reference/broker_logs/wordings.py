"""The wordings of log lines: which there are, who writes them, and which one a line has."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
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


def split_names(text: str) -> tuple[str, ...]:
    """Names with blanks between them."""
    return tuple(text.split())


@frozen
class Form:
    """The words of a line in some releases."""

    at: tuple[str, ...] = field(converter=split_names)
    """Those of ``RELEASES`` whose source has these words."""
    source: str
    """Class and method that write the line."""
    text: str
    """The words, with a name in braces for each part that varies."""
    is_inferred: bool = False
    """The source has these words, and no line that was seen has them."""

    def compile(self) -> re.Pattern[str]:
        """What a whole line has to match."""
        pattern, place = "", 0
        for found in FIELD.finditer(self.text):
            pattern += re.escape(self.text[place : found.start()])
            name, kind = found[1], found[2] or ""
            pattern += f"(?P<{name}>{FIELDS[kind]})" if name else ".*"
            place = found.end()
        return re.compile(pattern + re.escape(self.text[place:]), re.DOTALL)


def make_forms(entries: Iterable[Mapping[str, Any]]) -> tuple[Form, ...]:
    """The forms of a wording, as its entry has them."""
    return tuple(Form(**entry) for entry in entries)


@frozen
class Wording:
    """A line that brokers write, in all its forms."""

    name: str
    log: str
    """The file that it goes to, without ``.log``."""
    forms: tuple[Form, ...] = field(converter=make_forms)
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
    text: str
    """The words, as its form has them."""
    releases: tuple[str, ...]
    """Those of ``RELEASES`` that write these words."""
    fields: Mapping[str, str]

    def get_number(self, name: str) -> int:
        """A field that is a whole number."""
        return int(self.fields[name])


@cache
def load_wordings() -> tuple[Wording, ...]:
    """Every wording, in the order of the page."""
    entries: list[dict[str, Any]] = tomllib.loads(WORDINGS_FILE.read_text("utf-8"))["wording"]
    return tuple(Wording(**entry) for entry in entries)


@frozen
class Candidate:
    """The words of one wording, whoever writes them."""

    wording: Wording
    text: str
    releases: tuple[str, ...]
    pattern: re.Pattern[str]


def list_candidates(wording: Wording) -> Iterator[Candidate]:
    """One for each text: releases may write the same words in different methods."""
    for text in dict.fromkeys(form.text for form in wording.forms):
        forms = [form for form in wording.forms if form.text == text]
        writing = tuple(each for each in RELEASES if any(each in form.at for form in forms))
        yield Candidate(wording, text, writing, forms[0].compile())


class Matcher:
    """Finds the wording of a line."""

    def __init__(self, wordings: Iterable[Wording]) -> None:
        """Index the wordings by file and first characters."""
        self.known: dict[tuple[str, str], list[Candidate]] = {}
        self.latest: dict[tuple[str, str, str], Match | None] = {}
        for wording in wordings:
            for candidate in list_candidates(wording):
                start = FIELD.split(candidate.text, maxsplit=1)[0]
                key = start[:KEY_LENGTH] if len(start) >= KEY_LENGTH else ""
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
            for each in self.known.get((log, key), ()):
                threads = each.wording.threads
                if threads and not thread.startswith(threads):
                    continue
                found = each.pattern.fullmatch(text)
                if found is not None:
                    return Match(each.wording, each.text, each.releases, found.groupdict())
        return None


LATEST_LINES_MAX = 4096
"""So many different lines are remembered at most."""
