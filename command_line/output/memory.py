"""Answers that were proved before, kept outside the project by a digest of all they rest on.

An entry is used only if its digest fits its content and its key. So no accident changes an answer:
a file that is damaged, cut off, or copied to the name of another question is not used, and a folder
that cannot be written keeps nothing. The digest has no secret. A program that rewrites an entry
with its digest changes what is answered; therefore the screen says when an answer is remembered,
and ``--recheck`` proves again. Entries that were not used for long are removed, and so are the
oldest of too many.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from attrs import field, frozen

from command_line.output.progress import ProgressLine
from properties.checkout import ROOT, get_user_cache

ROOMS = ("reference", "brokers", "properties")
"""What verdicts rest on: rules, claims, proofs, certificates, words."""

SUFFIXES = (".py", ".toml", ".json")

SOLVER = "z3-solver"

REMEMBERED = "remembered from an earlier run; --recheck proves again"
"""What is said below a remembered answer."""

UNUSED_DAYS = 30
"""An entry that was not used for longer is removed."""

MEBIBYTES_MAX = 64
"""All entries together; beyond that those that were not used for longest are removed."""

DAY_SECONDS = 86_400


def get_folder() -> Path:
    """Where answers are kept: below XDG_CACHE_HOME, or ``~/.cache``."""
    return get_user_cache()


@frozen
class Memory:
    """Answers on disk."""

    folder: Path
    is_recalling: bool = True
    """Answers are taken from there; they are kept there in any case."""
    clock: Callable[[], float] = time.time
    """Seconds since the epoch, as files have them."""
    bytes_max: int = MEBIBYTES_MAX * 1024**2
    kept: set[str] = field(factory=set, eq=False)
    """The keys of what this program has computed and kept."""
    recalled: set[str] = field(factory=set, eq=False)
    """The keys of what this program has taken from an earlier one."""

    def recall(self, key: str) -> Any | None:
        """What was kept under a key; None where nothing usable is."""
        if not self.is_recalling:
            return None
        path = self._locate(key)
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            content = document["content"]
            is_whole = document["digest"] == compute_entry_digest(key, content)
            answer = json.loads(content) if is_whole else None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        self._touch(path)
        if answer is not None and key not in self.kept:
            self.recalled.add(key)
        return answer

    def keep(self, key: str, answer: Any) -> None:
        """Keep an answer of plain data under a key; where that is not possible, keep nothing."""
        content = json.dumps(answer)
        digest = compute_entry_digest(key, content)
        document = json.dumps({"digest": digest, "content": content})
        self.kept.add(key)
        path = self._locate(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(f".{os.getpid()}")
            unfinished.write_text(document, encoding="utf-8")
            unfinished.replace(path)
            self._touch(path)
            self.prune()

    def prune(self) -> None:
        """Remove entries unused for ``UNUSED_DAYS``, then the oldest until all fit the limit.

        Other programs may remove entries at the same time.
        """
        ages = sorted(self._list_entries(), reverse=True)
        limit = self.clock() - UNUSED_DAYS * DAY_SECONDS
        total = 0
        for used_seconds, size, path in ages:
            total += size
            if used_seconds < limit or total > self.bytes_max:
                with suppress(OSError):
                    path.unlink()

    def _list_entries(self) -> Iterable[tuple[float, int, Path]]:
        """When each file was used last, its bytes, and its path; unfinished files too."""
        for path in self.folder.iterdir():
            with suppress(OSError):
                state = path.stat()
                yield state.st_mtime, state.st_size, path

    def _touch(self, path: Path) -> None:
        """Note that an entry is used now: by the time of its file."""
        with suppress(OSError):
            os.utime(path, (self.clock(), self.clock()))

    def _locate(self, key: str) -> Path:
        return self.folder / f"{key}.json"


def open_memory(memory: Memory) -> AbstractContextManager[None]:
    """Inside this context verdicts that were decided before are taken from memory."""
    from properties.verdicts.remembering import remember_in  # noqa: PLC0415

    return remember_in(memory, make_key)


def make_key(*parts: object) -> str:
    """The key of an answer: of what was asked, and of all that the answer rests on."""
    return compute_digest(json.dumps([compute_source_digest(), *map(repr, parts)]))


def tell_remembered(memory: Memory, progress: ProgressLine) -> None:
    """Say below an answer that it is an earlier one, as far as anything of it is."""
    if memory.recalled:
        progress.conclude(REMEMBERED)


def compute_entry_digest(key: str, content: str) -> str:
    """A digest of an answer and of its key: of what was asked, and all that the answer rests on."""
    return compute_digest(f"{key}\n{content}")


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
