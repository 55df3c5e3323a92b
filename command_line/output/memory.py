"""Answers that were proved before, kept outside the project by a digest of all they rest on.

An entry is read back only where its own digest fits its content, and a folder that cannot be
written keeps nothing: memory may make an answer faster, never another one or an error.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from attrs import frozen

from reference.checkout import get_user_cache

ROOT = Path(__file__).parents[2]

ROOMS = ("reference", "properties")
"""What verdicts rest on: rules, claims, proofs, certificates, words."""

SUFFIXES = (".py", ".toml", ".json")

SOLVER = "z3-solver"


def get_folder() -> Path:
    """Where answers are kept: below XDG_CACHE_HOME, or ``~/.cache``."""
    return get_user_cache()


@frozen
class Memory:
    """Answers on disk."""

    folder: Path
    is_recalling: bool = True
    """Answers are taken from there; they are kept there in any case."""

    def recall(self, key: str) -> Any | None:
        """What was kept under a key; None where nothing usable is."""
        if not self.is_recalling:
            return None
        try:
            document = json.loads(self._locate(key).read_text(encoding="utf-8"))
            content = document["content"]
            return json.loads(content) if document["digest"] == compute_digest(content) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, key: str, answer: Any) -> None:
        """Keep an answer of plain data under a key; where that is not possible, keep nothing."""
        content = json.dumps(answer)
        document = json.dumps({"digest": compute_digest(content), "content": content})
        path = self._locate(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(f".{os.getpid()}")
            unfinished.write_text(document, encoding="utf-8")
            unfinished.replace(path)

    def _locate(self, key: str) -> Path:
        return self.folder / f"{key}.json"


def make_key(*parts: object) -> str:
    """The key of an answer: of what was asked, and of all that the answer rests on."""
    return compute_digest(json.dumps([compute_source_digest(), *map(repr, parts)]))


def compute_digest(text: str) -> str:
    """A digest of a text."""
    return hashlib.blake2b(text.encode(), digest_size=20).hexdigest()


@cache
def compute_source_digest(root: Path = ROOT) -> str:
    """A digest of rules, claims and certificates, of the solver and of Python."""
    digest = hashlib.blake2b(digest_size=20)
    for file in list_sources(root):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(root)} {len(content)}\n".encode())
        digest.update(content)
    with suppress(PackageNotFoundError):
        digest.update(version(SOLVER).encode())
    digest.update(sys.version.encode())
    return digest.hexdigest()


def list_sources(root: Path) -> Iterable[Path]:
    """Every file that a verdict may rest on, in a fixed order."""
    found = (file for room in ROOMS for file in (root / room).rglob("*"))
    return sorted(file for file in found if file.suffix in SUFFIXES)
