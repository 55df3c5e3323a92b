"""Pages in two languages: one generates its tables, the other translates them.

The English page comes first. The prose of the Chinese page is written by hand. Its generated parts
are the English ones, translated cell by cell; the table of contents has a writer of its own. A test
holds sections, links, citations and commands of the two together. ``rmqspec docs --write`` with an
original and its translation, in this order, writes both anew.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from attrs import evolve, field, frozen

from book.chinese.contents import render_contents
from properties.generated_text import SPEC, compute_anchor, replace_parts
from properties.verdicts.certified_cells import NOT_SHORTEST

THREAD = r"(?:ali)?#\d+|RMQ-\d+"
"""A thread of a tracker: ``#6767``, ``ali#359``, ``RMQ-270``."""

CITATION = re.compile(rf"`\w+` seq \d+ \(`\w+`\)|(?<![\w#/])(?:{THREAD})")
"""A line of a recording, or a thread."""

_KEPT = re.compile(r"(`\w+` seq \d+ \(`\w+`\)|`[^`]*`|\[[^\]]*\]\([^)\s]+\))")
_SEPARATOR = re.compile(r"(, |: |; )")
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_GENERATED = re.compile(r"<!-- begin generated: ([\w -]+) -->\n(.*?)<!-- end generated", re.DOTALL)
_WORD = re.compile(r"[A-Za-z]{2,}")

NOT_SHORTEST_CHINESE = "\uff08未重新确认为最短\uff09"
"""No phrase of a page's file, because pages have it only until the next search."""


class UntranslatedError(LookupError):
    """Raised for words of a generated part that the phrases do not have."""


@frozen
class Section:
    """A heading with the text up to the next one."""

    level: int
    heading: str
    text: str

    @property
    def anchor(self) -> str:
        """What a link to it names."""
        return compute_anchor(self.heading)

    @property
    def citations(self) -> list[str]:
        """Recordings and threads that its prose names, in any order."""
        prose = " ".join(_GENERATED.sub("", self.text).split())
        return sorted(CITATION.findall(prose))

    @property
    def code(self) -> list[str]:
        """The code spans and blocks of its prose, in any order."""
        prose = _GENERATED.sub("", self.text)
        blocks = _FENCED.findall(prose)
        return sorted(blocks + _CODE.findall(_FENCED.sub("", prose)))

    @property
    def links(self) -> list[str]:
        """The targets of its links but for those of a table of contents, in any order."""
        text = _GENERATED.sub(lambda p: "" if p[1] == "contents" else p[0], self.text)
        return sorted(target for _, target in _LINK.findall(_FENCED.sub("", text)))

    @property
    def parts(self) -> list[str]:
        """The names of its generated parts."""
        return [name for name, _ in _GENERATED.findall(self.text)]


def split_sections(text: str) -> list[Section]:
    """The sections of a page, in order."""
    bare = _FENCED.sub(lambda block: block[0].replace("\n#", "\n "), text)
    found = list(_HEADING.finditer(bare))
    ends = [*(each.start() for each in found[1:]), len(text)]
    return [
        Section(len(each[1]), each[2], text[each.end() : end])
        for each, end in zip(found, ends, strict=True)
    ]


@frozen
class TranslatedPage:
    """A page, and the same page in another language in a folder beside it."""

    original: Path
    translation: Path
    phrases_file: Path
    own: Mapping[str, Callable[[], str]] = field(factory=dict, eq=False)
    """Generated parts that are written in the other language, not translated."""

    @cached_property
    def phrases(self) -> Mapping[str, str]:
        """What words of generated parts are in the other language."""
        phrases: Mapping[str, str] = tomllib.loads(self.phrases_file.read_text(encoding="utf-8"))
        return phrases

    @property
    def sections(self) -> Iterator[tuple[Section, Section]]:
        """The sections of both pages, side by side; ValueError where one has more."""
        pages = (self.original, self.translation)
        return zip(*(split_sections(p.read_text(encoding="utf-8")) for p in pages), strict=True)

    def find_place(self, anchor: str) -> str:
        """The anchor in the translation of a heading of the original. Raises KeyError."""
        return {ours.anchor: theirs.anchor for ours, theirs in self.sections}[anchor]

    def retarget(self, link: str) -> str:
        """The target of a link of the original, for the translation.

        Headings by their places, other pages in their translation where there is one.
        """
        target, hash_, anchor = link.partition("#")
        if not target:
            return f"#{self.find_place(anchor)}"
        beside = self.translation.parent / target
        if re.match(r"[a-z]+:", target) or not beside.is_file():
            return link if ":" in target else f"../{link}"
        other = evolve(self, original=self.original.parent / target, translation=beside)
        return f"{target}{hash_}{other.find_place(anchor) if anchor else anchor}"

    def is_of_either(self, page: Path, link: str) -> bool:
        """A link on this page leads to the whole original or to the whole translation."""
        target = (page.parent / link).resolve()
        return target in {self.original.resolve(), self.translation.resolve()}

    def update(self, text: str) -> str:
        """The translation with its generated parts written anew.

        Raises KeyError for a part that the original does not have, UntranslatedError.
        """
        parts = dict(_GENERATED.findall(self.original.read_text(encoding="utf-8")))
        return replace_parts(text, lambda name: self._render(name, parts[name].rstrip("\n")))

    def _render(self, name: str, part: str) -> str:
        return self.own[name]() if name in self.own else self.translate(part)

    def translate(self, part: str) -> str:
        """A generated part in the other language: tables and lists, phrase by phrase."""
        return "\n".join(map(self._translate_line, part.splitlines()))

    def _translate_line(self, line: str) -> str:
        if line.startswith("|"):
            cells = line.strip("|").split("|")
            return "|" + "|".join(f" {self.translate_phrase(c.strip())} " for c in cells) + "|"
        return self.translate_phrase(line)

    def translate_phrase(self, text: str) -> str:
        """A cell: as a whole where the phrases have it, else what lies between code and links."""
        if text in self.phrases:
            return self.phrases[text]
        if text.endswith(NOT_SHORTEST):
            return self.translate_phrase(text.removesuffix(NOT_SHORTEST)) + NOT_SHORTEST_CHINESE
        return "".join(map(self._translate_piece, _KEPT.split(text)))

    def _translate_piece(self, piece: str) -> str:
        if link := _LINK.fullmatch(piece):
            return f"[{self.translate_phrase(link[1])}]({self.retarget(link[2])})"
        if piece.startswith("`"):
            return piece
        if (found := self._find_words(piece)) is not None:
            return found
        return "".join(map(self._translate_fragment, _SEPARATOR.split(piece)))

    def _translate_fragment(self, fragment: str) -> str:
        if (found := self._find_words(fragment)) is not None:
            return found
        if _WORD.search(re.sub(THREAD, "", fragment)):
            raise UntranslatedError(f"{fragment!r} has no words in {self.phrases_file.name}")
        return fragment

    def _find_words(self, text: str) -> str | None:
        """What a text is as a whole in the other language, blanks around it kept; None unknown."""
        core = text if text in self.phrases else text.strip()
        if core in self.phrases:
            return text.replace(core, self.phrases[core])
        for pattern, words in self.phrases.items():
            if pattern.startswith("^") and (found := re.fullmatch(pattern[1:], core)):
                return text.replace(core, found.expand(words))
        return None


PHRASES = Path(__file__).parent
"""A file of phrases for each page."""

PAIRS = (
    TranslatedPage(
        SPEC / "after_the_master_is_gone.md",
        SPEC / "zh" / "after_the_master_is_gone.md",
        PHRASES / "after_the_master_is_gone.toml",
    ),
    TranslatedPage(SPEC / "operators.md", SPEC / "zh" / "operators.md", PHRASES / "operators.toml"),
    TranslatedPage(
        SPEC / "README.md",
        SPEC / "zh" / "README.md",
        PHRASES / "front.toml",
        own={"contents": render_contents},
    ),
)
"""Every page in two languages."""
