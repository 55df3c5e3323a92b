"""Makes ``method_digests.json``: at which releases the methods that rules cite changed.

Run by hand with a clone that has all tags: ``python -m
tests.reference.releases.make_method_digests CLONE``. The text of a method is compared without
comments, white space and the name of its logger; where ``method_changes.toml`` names successors,
theirs is taken. Digests are kept, no code.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

from reference.configuration.release_keys import load_release_keys
from reference.releases.method_changes import DIGESTS, find_method, list_cited_methods
from tests.reference.configuration.make_release_keys import Source

FILE = Path(str(DIGESTS))
"""The table that is made."""

ROOMS = ("store/src/main", "broker/src/main", "client/src/main", "remoting/src/main")
"""The modules that hold the methods."""

_LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'')
_LATE_COMMENT = re.compile(r"//[^\n]*")
_CODE = re.compile(rf"(?P<literal>{_LITERAL.pattern})|{_LATE_COMMENT.pattern}")
_LOGGER = re.compile(r"\b(?:LOGGER|log)\b")
_BRACKET = re.compile(r"[{}]")


def hide_literals(text: str) -> str:
    """The text, as long as before, with nothing in its literals and remaining comments."""
    plain = _LITERAL.sub(lambda m: " " * len(m[0]), text)
    return _LATE_COMMENT.sub(lambda m: " " * len(m[0]), plain)


def find_end(plain: str, start: int) -> int:
    """Where the block ends whose opening bracket lies before ``start``."""
    depth = 1
    for bracket in _BRACKET.finditer(plain, start):
        depth += 1 if bracket[0] == "{" else -1
        if depth == 0:
            return bracket.end()
    return len(plain)


def list_blocks(plain: str) -> Iterator[tuple[int, int, int]]:
    """For each block at the top of a text: where its head starts, where it opens, where it ends."""
    start = 0
    while (opening := plain.find("{", start)) >= 0:
        end = find_end(plain, opening + 1)
        head = max(start, *(plain.rfind(mark, start, opening) + 1 for mark in ";}"))
        yield head, opening, end
        start = end


def list_classes(text: str, name: str) -> Iterator[str]:
    """The bodies of the classes of this name in a text, at any depth."""
    plain = hide_literals(text)
    for found in re.finditer(rf"\bclass\s+{name}\b[^{{;]*\{{", plain):
        yield text[found.end() : find_end(plain, found.end()) - 1]


def list_methods(body: str, name: str) -> Iterator[str]:
    """The methods of this name in the body of a class, without those of its inner classes."""
    plain = hide_literals(body)
    head = re.compile(rf"(?<!new )\b{name}\s*\((?:[^()]|\([^()]*\))*\)\s*(?:throws[\w\s,.]+)?")
    for start, opening, end in list_blocks(plain):
        if any(found.end() == opening for found in head.finditer(plain, start, opening)):
            yield body[start:end].strip()


@cache
def find_files(clone: Path, reference: str, name: str) -> tuple[str, ...]:
    """The Java files that have a class of this name at a tag."""
    command = ("grep", "-lP", rf"^[^*\"]*\bclass {name}\b", reference, "--", *ROOMS)
    found = (line.partition(":")[2] for line in Source(clone, reference).run(*command).splitlines())
    return tuple(path for path in found if path.endswith(".java"))


def read_method(source: Source, method: str) -> str:
    """The text of a method in one release, with all that have its name; empty if it has none.

    Raises ValueError if several files have such a class.
    """
    owner, _, name = method.partition("#")
    outer, *inner = owner.split(".")
    paths = find_files(source.clone, source.reference, outer)
    if len(paths) > 1:
        raise ValueError(f"{method} at {source.reference}: {paths}")
    bodies = [body for path in paths for body in list_classes(source.read(path), outer)]
    for each in inner:
        bodies = [found for body in bodies for found in list_classes(body, each)]
    return "\n".join(text for body in bodies for text in list_methods(body, name))


def read_cited(source: Source, method: str, release: str) -> str:
    """The text of a cited method, or of its successors, in one release.

    Raises ValueError if there is none.
    """
    texts = []
    for name in find_method(method, release):
        text = read_method(source, name)
        if not text:
            raise ValueError(f"{method}: no {name} at {release}")
        texts.append(text)
    return "\n".join(texts)


def compute_digest(text: str) -> str:
    """A digest of a text without comments, white space and the name of its logger."""
    spans = (
        m.span() for m in _LATE_COMMENT.finditer(_LITERAL.sub(lambda m: "_" * len(m[0]), text))
    )
    for start, end in reversed(list(spans)):
        text = text[:start] + text[end:]
    plain = re.sub(r"\s+", "", _LOGGER.sub("log", text))
    return hashlib.sha256(plain.encode()).hexdigest()[:12]


def list_tags() -> Iterator[tuple[str, str]]:
    """The releases that have a tag, oldest first, with the tag."""
    for release, known in load_release_keys().items():
        if known.source == f"rocketmq-all-{release}":
            yield release, known.source


def gather(clone: Path) -> dict[str, list[list[str]]]:
    """For each method the releases at which its text is new, with its digest."""
    rows: dict[str, list[list[str]]] = {method: [] for method in list_cited_methods()}
    for release, tag in list_tags():
        source = Source(clone, tag)
        for method, row in rows.items():
            row.append([release, compute_digest(read_cited(source, method, release))])
    return {
        method: [next(same) for _, same in groupby(row, key=lambda pair: pair[1])]
        for method, row in sorted(rows.items())
    }


def main() -> None:
    """Write the table."""
    (clone,) = sys.argv[1:]
    rows = (f"  {json.dumps(m)}: {json.dumps(row)}" for m, row in gather(Path(clone)).items())
    head, table = json.dumps([release for release, _ in list_tags()]), ",\n".join(rows)
    text = f'{{\n "releases": {head},\n "methods": {{\n{table}\n }}\n}}\n'
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
