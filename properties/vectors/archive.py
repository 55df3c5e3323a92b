"""The archive of all vectors: one ZIP whose bytes depend on nothing but its content.

``manifest.json`` has the files of each release with counts and SHA-256 sums; everything else is
named there.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from properties.checkout import ROOT
from properties.vectors import schema
from properties.vectors.question import RELEASES, Data, VectorSet, list_vectors
from properties.vectors.sets.every_set import SETS
from properties.vectors.sets.log import list_sections

FORMAT = 1
"""Version of the archive and of the protocol; it changes when older readers would fail."""
MANIFEST = "manifest.json"
DRIVERS = Path(__file__).parent / "drivers"
INSTANT = (1980, 1, 1, 0, 0, 0)
"""The time of every file: the earliest that a ZIP can have."""
READABLE_BY_ALL = 0o644 << 16

Tell = Callable[[str], None]


class ArchiveError(Exception):
    """A file that is no archive of vectors, or one whose content is not what it says; one line."""


@frozen
class VectorFile:
    """The vectors of a set for a release, as the archive has them."""

    set_name: str
    release: str
    path: str
    count: int
    sha256: str
    optional: frozenset[str]
    """Members of an answer that may be left out."""


@frozen
class Archive:
    """An archive that has been read; its sums agree."""

    manifest: Data
    contents: Mapping[str, bytes]

    def list_files(self, release: str) -> tuple[VectorFile, ...]:
        """The files that hold for a release. Raises ArchiveError for an unknown one."""
        entries = self.manifest["releases"].get(release)
        if entries is None:
            known = ", ".join(self.manifest["releases"])
            raise ArchiveError(f"there are no vectors of {release}; there are of {known}")
        found = []
        for name, entry in entries.items():
            if entry["file"] is not None:
                told = self.manifest["files"][entry["file"]]
                optional = frozenset(self.manifest["sets"][name]["optional"])
                found.append(
                    VectorFile(
                        name, release, entry["file"], told["count"], told["sha256"], optional
                    )
                )
        return tuple(found)

    def read_vectors(self, file: VectorFile) -> Iterator[Data]:
        """The lines of a file."""
        for line in self.contents[file.path].decode().splitlines():
            yield json.loads(line)


def render(value: Any) -> bytes:
    """A JSON document."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()


def render_lines(vectors: Iterator[Data]) -> bytes:
    """A line for each vector."""
    lines = (json.dumps(v, ensure_ascii=False, separators=(",", ":")) + "\n" for v in vectors)
    return "".join(lines).encode()


def name_file(vector_set: VectorSet, release: str) -> str | None:
    """The file with the vectors for a release; None: there are none."""
    owner = vector_set.releases.get(release)
    return None if owner is None else f"{owner}/{vector_set.name}.jsonl"


def make_contents(sets: Sequence[VectorSet], tell: Tell) -> dict[str, bytes]:
    """The content of every file but the manifest, by its path."""
    contents = {name: (ROOT / name).read_bytes() for name in ("LICENSE", "NOTICE")}
    for each in sets:
        contents[f"schemas/{each.name}.ask.schema.json"] = render(
            schema.name_schema(each.ask_schema, f"{each.name}: question")
        )
        contents[f"schemas/{each.name}.answer.schema.json"] = render(
            schema.name_schema(each.answer_schema, f"{each.name}: answer")
        )
        for release in dict.fromkeys(each.releases.values()):
            tell(f"vectors of {release}: {each.name}")
            contents[str(name_file(each, release))] = render_lines(list_vectors(each, release))
    for file in sorted(DRIVERS.iterdir()):
        if file.is_file() and file.suffix != ".pyc" and file.name != "__init__.py":
            contents[f"drivers/{file.name}"] = file.read_bytes()
    return contents


def list_optional(vector_set: VectorSet) -> list[str]:
    """Members of an answer that may be left out."""
    told = vector_set.answer_schema
    return [name for name in told.get("properties", {}) if name not in told["required"]]


def describe_release(sets: Sequence[VectorSet], release: str) -> Data:
    """For each set its file, or why there is none."""
    entries: Data = {}
    for each in sets:
        file = name_file(each, release)
        entries[each.name] = {"file": file}
        if file is None:
            entries[each.name]["reason"] = each.unknown
        elif each.releases[release] != release:
            entries[each.name]["sameAs"] = each.releases[release]
    return entries


def make_manifest(sets: Sequence[VectorSet], contents: Mapping[str, bytes]) -> Data:
    """What is in the archive."""
    sections: dict[str, str] = {}
    for release in RELEASES:
        sections |= list_sections(release)
    return {
        "format": FORMAT,
        "sets": {
            each.name: {
                "sentence": each.sentence,
                "seed": each.seed,
                "optional": list_optional(each),
            }
            for each in sets
        },
        "releases": {release: describe_release(sets, release) for release in RELEASES},
        "files": {path: describe_file(path, data) for path, data in contents.items()},
        "sections": dict(sorted(sections.items())),
    }


def describe_file(path: str, data: bytes) -> Data:
    """Size and sum of a file, and how many vectors are in it."""
    told: Data = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    if path.endswith(".jsonl"):
        told["count"] = data.count(b"\n")
    return told


def pack(contents: Mapping[str, bytes]) -> bytes:
    """A ZIP of these files, in their order."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, data in contents.items():
            told = zipfile.ZipInfo(path, INSTANT)
            told.compress_type = zipfile.ZIP_DEFLATED
            told.create_system = 3
            told.external_attr = READABLE_BY_ALL
            archive.writestr(told, data)
    return packed.getvalue()


def make_archive(tell: Tell, sets: Sequence[VectorSet] = SETS) -> Archive:
    """The archive of these sets; ``tell`` hears what is being computed."""
    contents = make_contents(sets, tell)
    manifest = make_manifest(sets, contents)
    return Archive(manifest, {MANIFEST: render(manifest), **contents})


def write_archive(file: Path, tell: Tell, sets: Sequence[VectorSet] = SETS) -> Archive:
    """Write the archive into a new file. Raises FileExistsError."""
    archive = make_archive(tell, sets)
    with file.open("xb") as out:
        out.write(pack(archive.contents))
    return archive


def read_archive(file: Path) -> Archive:
    """An archive whose sums agree. Raises ArchiveError."""
    try:
        with zipfile.ZipFile(file) as packed:
            contents = {info.filename: packed.read(info) for info in packed.infolist()}
        manifest = json.loads(contents[MANIFEST])
        files = manifest["files"]
    except OSError as problem:
        raise ArchiveError(f"{file}: {problem.strerror}") from problem
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError) as problem:
        raise ArchiveError(f"{file} is no archive of vectors") from problem
    if manifest.get("format") != FORMAT:
        raise ArchiveError(f"{file} has format {manifest.get('format')!r}, not {FORMAT}")
    for path, told in files.items():
        if path not in contents:
            raise ArchiveError(f"{file} lacks {path}")
        if hashlib.sha256(contents[path]).hexdigest() != told["sha256"]:
            raise ArchiveError(f"{file}: {path} is not what the manifest says")
    return Archive(manifest, contents)
