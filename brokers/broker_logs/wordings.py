"""The wordings of log lines: which there are, who writes them, and which one a line has."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from attrs import field, frozen

WORDINGS_FILE = Path(__file__).with_name("wordings.toml")
STATEMENTS_FILE = Path(__file__).with_name("statements.toml")

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

    @property
    def area(self) -> str:
        """What the line is about, one of ``AREAS``, by the class that writes it."""
        classes = (form.source.partition("#")[0].split(".")[0] for form in self.forms)
        return next((a for a in map(load_areas().get, classes) if a), OTHER_AREA)


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


AREAS = (
    "replication",
    "store",
    "pulls",
    "progress",
    "tables",
    "registration",
    "delays",
    "controller",
)
"""What lines are about; of the rest, starts and settings, nothing is said."""
OTHER_AREA = "broker"
ERROR_SIGN = "error_line"
"""The sign of an error that has no meaning of its own here."""


@cache
def load_statements() -> tuple[Mapping[str, str], ...]:
    """Every line of level WARN or ERROR that the sources have, in the order of areas."""
    entries: list[dict[str, str]] = tomllib.loads(STATEMENTS_FILE.read_text("utf-8"))["statement"]
    return tuple(entries)


@cache
def load_areas() -> Mapping[str, str]:
    """What a class writes about."""
    found = {e["source"].partition("#")[0].split(".")[0]: e["area"] for e in load_statements()}
    return {**found, "HookUtils": "store", "EpochFileCache": "replication"}


@cache
def load_plain_lines() -> tuple[Wording, ...]:
    """The lines without a meaning of their own: a wording for each log, area and level."""
    forms: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for each in load_statements():
        text = each["text"].replace("{}", "...").rstrip()
        form = {"at": each["at"], "source": each["source"], "text": text, "is_inferred": True}
        forms.setdefault((each["log"], each["area"], each["level"]), []).append(form)
    return tuple(
        Wording(f"{area}_{level}", log, told, sign=ERROR_SIGN if level == "error" else "")
        for (log, area, level), told in forms.items()
    )


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

    def __init__(self, *tiers: Iterable[Wording]) -> None:
        """Index the wordings by file and first characters; those of earlier tiers go before."""
        self.tiers: list[dict[tuple[str, str], list[Candidate]]] = []
        self.latest: dict[tuple[str, str, str], Match | None] = {}
        for wordings in tiers:
            known: dict[tuple[str, str], list[Candidate]] = {}
            for wording in wordings:
                for candidate in list_candidates(wording):
                    start = FIELD.split(candidate.text, maxsplit=1)[0]
                    key = start[:KEY_LENGTH] if len(start) >= KEY_LENGTH else ""
                    known.setdefault((wording.log, key), []).append(candidate)
            self.tiers.append(known)

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
        told = text.rstrip()
        for known, key in product(self.tiers, (told[:KEY_LENGTH], "")):
            for each in known.get((log, key), ()):
                threads = each.wording.threads
                if threads and not thread.startswith(threads):
                    continue
                # What varies at the end may be empty, and the blank before it belongs to the words.
                found = each.pattern.fullmatch(told) or each.pattern.fullmatch(text)
                if found is not None:
                    return Match(each.wording, each.text, each.releases, found.groupdict())
        return None


LATEST_LINES_MAX = 4096
"""So many different lines are remembered at most."""
