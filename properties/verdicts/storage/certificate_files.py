"""Files of certificates: what several of them have alike is stored once.

Releases and variants differ in few rules, and the schedule that refutes a claim of one of them
mostly refutes it in the others. So a certificate only names its schedules, its rows of verdicts and
the fingerprints of its rules, each by a digest of its content. They are in the file of its world in
``certificates/parts/``, which never changes what a name stands for: certificates can be written in
any order, and one process after another.

A part that is missing, or is not what its digest says, leaves each certificate that names it
unreadable, and so stale. What no certificate names any more is removed.

Tables beside the certificates have an entry a line for each structure, and the steps of their
schedules once (``step_codes``).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from properties.verdicts.storage.step_codes import (
    compute_code,
    pack_all,
    pack_schedule,
    unpack_all,
    unpack_schedule,
)

PARTS_FOLDER = "parts"
"""The folder of the shared parts, beside the certificates."""

Document = dict[str, Any]
Parts = Mapping[str, str]
"""Shared parts by digest, as JSON without blanks: what is read of them is nobody else's."""

_LINE = re.compile(r'"([0-9a-f]{8}|[0-9a-f]{12})": (.*?),?')
_NAME = re.compile(r"[0-9a-f]{12}|[0-9a-f]{8}")


def read_document(path: Path) -> Document:
    """A file of certificates' folder, with its parts if it names any.

    Raises OSError, and ValueError for one that is damaged or lacks a part.
    """
    document: Document = json.loads(path.read_text(encoding="utf-8"))
    if "steps" in document:
        return unpack_entries(path, document)
    if "parts" not in document:
        return document
    try:
        return unpack(document, read_parts(path.parent / document["parts"]))
    except (KeyError, TypeError, AttributeError) as problem:
        raise ValueError(f"{path} is no certificate") from problem


def read_entries(path: Path) -> Document:
    """The entries of a table, only to be read. Raises OSError, and ValueError if it is damaged."""
    state = path.stat()
    return _read_entries(path.resolve(), state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=16)
def _read_entries(path: Path, _changed_ns: int, _bytes: int) -> Document:
    document = read_document(path)
    if not isinstance(document, dict):
        raise ValueError(f"{path} is no table")
    return document


def unpack_entries(path: Path, document: Document) -> Document:
    """The entries of a table with their schedules. Raises ValueError if it is damaged."""
    try:
        steps = {
            code: text
            for code, step in document["steps"].items()
            if code == compute_code(text := json.dumps(step, separators=(",", ":")))
        }
        entries: Document = unpack_all(document["entries"], steps)
    except (KeyError, TypeError, AttributeError) as problem:
        raise ValueError(f"{path} is no table") from problem
    return entries


def read_parts(path: Path) -> Parts:
    """The parts in a file; none if there is no file. Raises OSError, ValueError."""
    if not path.exists():
        return {}
    state = path.stat()
    return _read_parts(path.resolve(), state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=8)
def _read_parts(path: Path, _changed_ns: int, _bytes: int) -> Parts:
    lines = map(_LINE.fullmatch, path.read_text(encoding="utf-8").splitlines())
    found = (line.groups() for line in lines if line)
    return {digest: text for digest, text in found if compute_part_digest(text).startswith(digest)}


def write_document(path: Path, parts_path: Path, document: Document) -> None:
    """Write a certificate and its parts, whole or not at all.

    Parts come before the certificate that names them, and go after it. Raises OSError.
    """
    parts: dict[str, str] = {}
    packed = {"parts": os.path.relpath(parts_path, path.parent), **pack(document, parts)}
    path.parent.mkdir(parents=True, exist_ok=True)
    parts_path.parent.mkdir(parents=True, exist_ok=True)
    with lock(parts_path.parent):
        known = {**read_parts(parts_path), **parts}
        write_parts(parts_path, known)
        write_whole(path, render_lines(packed))
        named = find_named(parts_path, known)
        if named != known.keys():
            write_parts(parts_path, {digest: known[digest] for digest in named})


def write_parts(path: Path, parts: Parts) -> None:
    """Write shared parts, a line each. Raises OSError."""
    write_whole(path, render_parts(parts) + "\n")


def render_parts(parts: Parts) -> str:
    """Parts by digest, a line each."""
    lines = (f"{json.dumps(digest)}: {parts[digest]}" for digest in sorted(parts))
    return "{\n" + ",\n".join(lines) + "\n}"


def render_lines(document: Document) -> str:
    """An object with each value on a line of its own."""
    lines = (
        f"{json.dumps(name)}: {json.dumps(value, separators=(',', ':'))}"
        for name, value in document.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def find_named(parts_path: Path, parts: Parts) -> set[str]:
    """The parts that certificates name, directly or in another part."""
    named: set[str] = set()
    texts = [
        text
        for path in parts_path.parent.parent.rglob("*.json")
        if is_sharing(path, text := path.read_text(encoding="utf-8"), parts_path)
    ]
    while texts:
        found = {name for name in _NAME.findall(texts.pop()) if name in parts} - named
        named |= found
        texts += (parts[name] for name in found)
    return named


def is_sharing(path: Path, text: str, parts_path: Path) -> bool:
    """The file is a certificate that shares these parts."""
    try:
        shared: str = json.loads(text)["parts"]
    except (ValueError, KeyError, TypeError):
        return False
    return (path.parent / shared).resolve() == parts_path.resolve()


def pack(document: Document, parts: dict[str, str]) -> Document:
    """A certificate with the digests of what it shares, which is added to ``parts``."""

    def share(value: Any) -> str:
        text = json.dumps(value, separators=(",", ":"))
        digest = compute_part_digest(text)
        parts[digest] = text
        return digest

    def share_schedule(schedule: Any) -> str:
        return share(pack_schedule(schedule, parts))

    cells, fingerprint = document["cells"], document["fingerprint"]
    faults = list(dict.fromkeys(cell["fault"] for cell in cells))
    claims = dict.fromkeys(cell["guarantee"] for cell in cells)
    told = {(cell["guarantee"], cell["fault"]): pack_cell(cell, share_schedule) for cell in cells}
    rows = {claim: share([told.get((claim, fault)) for fault in faults]) for claim in claims}
    return document | {
        "fingerprint": {
            "frame": fingerprint["frame"],
            "rules": [share(list(rule)) for rule in fingerprint["rules"].items()],
            "claims": pack_named(fingerprint["claims"], share),
            "lemmas": pack_named(fingerprint["lemmas"], share),
        },
        "inductive_set": share(document["inductive_set"]),
        "cells": {"faults": share(faults), "rows": rows},
    }


def pack_cell(cell: Document, share: Callable[[Any], str]) -> Any:
    """A verdict without its names: a word, with the digest of its schedule behind it, or more."""
    own = {name: value for name, value in cell.items() if name not in ("guarantee", "fault")}
    if "schedule" in own:
        own["schedule"] = share(own["schedule"])
    if own.keys() <= {"verdict", "schedule"}:
        return " ".join(own[name] for name in ("verdict", "schedule") if name in own)
    return own


def unpack(packed: Document, parts: Parts) -> Document:
    """The certificate that ``pack`` packed. Raises KeyError for a part that is missing."""

    def load(digest: str) -> Any:
        return json.loads(parts[digest])

    fingerprint, cells = packed["fingerprint"], packed["cells"]
    rows = {claim: load(digest) for claim, digest in cells["rows"].items()}
    document = {name: value for name, value in packed.items() if name != "parts"}
    return document | {
        "fingerprint": {
            "frame": fingerprint["frame"],
            "rules": dict(map(load, fingerprint["rules"])),
            "claims": unpack_named(fingerprint["claims"], load),
            "lemmas": unpack_named(fingerprint["lemmas"], load),
        },
        "inductive_set": load(packed["inductive_set"]),
        "cells": [
            {"guarantee": claim, "fault": fault} | unpack_cell(row[number], load)
            for number, fault in enumerate(load(cells["faults"]))
            for claim, row in rows.items()
            if row[number] is not None
        ],
    }


def unpack_cell(packed: str | Document, load: Callable[[str], Any]) -> Document:
    """What ``pack_cell`` packed."""
    if isinstance(packed, str):
        packed = dict(zip(("verdict", "schedule"), packed.split(), strict=False))
    if "schedule" not in packed:
        return packed
    return packed | {"schedule": unpack_schedule(load(packed["schedule"]), load)}


def pack_named(texts: Mapping[str, str], share: Callable[[Any], str]) -> str:
    """The digest of texts by name, whose names are a part of their own, mostly the same one."""
    return share([share([*texts]), *texts.values()])


def unpack_named(digest: str, load: Callable[[str], Any]) -> dict[str, str]:
    """What ``pack_named`` packed. Raises KeyError for a part that is missing, and ValueError."""
    names, *texts = load(digest)
    return dict(zip(load(names), texts, strict=True))


def compute_part_digest(text: str) -> str:
    """The name of a part: a digest of its content."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def write_entry(path: Path, name: str, entry: Any, order: Iterable[str] = ()) -> None:
    """Write one entry of a file that has one for each structure; the others are kept.

    Entries named in ``order`` come first, as they are there. A file that is damaged is begun anew.
    Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with lock(path.parent):
        try:
            document = dict(read_entries(path))
        except (FileNotFoundError, ValueError, TypeError):
            document = {}
        document[name] = entry
        first = {known: document[known] for known in order if known in document}
        write_whole(path, render_entries(first | document))


def render_entries(entries: Document) -> str:
    """A table: the steps of all schedules, then a line for each entry."""
    steps: dict[str, str] = {}
    packed = pack_all(entries, steps)
    return f'{{"steps": {render_parts(steps)},\n"entries": {render_lines(packed)}}}\n'


def write_whole(path: Path, text: str) -> None:
    """Write a file, or leave it as it was. Raises OSError."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


@contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Inside this context no other process is in it for this folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
