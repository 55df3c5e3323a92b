"""The archive: its bytes depend on its content alone, and what is damaged is noticed."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from properties.vectors import archive as archives
from properties.vectors.archive import (
    ArchiveError,
    make_archive,
    pack,
    read_archive,
    write_archive,
)
from properties.vectors.question import RELEASES
from properties.vectors.sets.copying import COPYING
from properties.vectors.sets.progress import PROGRESS

SETS = (PROGRESS, COPYING)


def hear(_text: str) -> None:
    """Progress that nobody reads."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of two sets."""
    path = tmp_path_factory.mktemp("archive") / "vectors.zip"
    write_archive(path, hear, SETS)
    return path


def test_the_same_sets_give_the_same_bytes(file: Path) -> None:
    """Neither time nor order comes in."""
    assert file.read_bytes() == pack(make_archive(hear, SETS).contents)


def test_the_manifest_names_every_file_with_its_sum(file: Path) -> None:
    """By the ZIP alone, without the code that made it."""
    with zipfile.ZipFile(file) as packed:
        contents = {name: packed.read(name) for name in packed.namelist()}
    manifest = json.loads(contents.pop("manifest.json"))
    assert set(manifest["files"]) == set(contents)
    for path, data in contents.items():
        assert manifest["files"][path]["sha256"] == hashlib.sha256(data).hexdigest()
        if path.endswith(".jsonl"):
            assert manifest["files"][path]["count"] == len(data.decode().splitlines()) > 0
        if path.endswith("schema.json"):
            schema = json.loads(data)
            assert schema["$schema"].endswith("2020-12/schema")
            Draft202012Validator.check_schema(schema)
    assert {"LICENSE", "NOTICE"} <= set(contents)
    drivers = ("reference_driver.py", "Driver.java", "driver.go", "driver.rs")
    assert {f"drivers/{name}" for name in drivers} <= set(contents)


def test_every_release_has_its_sets_or_a_reason(file: Path) -> None:
    """What is the same for another release is named, and not copied."""
    releases = read_archive(file).manifest["releases"]
    assert list(RELEASES) == list(releases)
    assert releases["4.9.8"]["progress"] == {"file": "4.4.0/progress.jsonl", "sameAs": "4.4.0"}
    assert releases["4.9.8"]["copying"] == {"file": "4.9.8/copying.jsonl"}
    assert releases["5.3.3"]["progress"]["file"] is None
    assert releases["5.3.3"]["progress"]["reason"]


def test_sections_are_in_the_book() -> None:
    """Of every rule of every release, and of every set's functions."""
    book = archives.ROOT / "spec"
    manifest = make_archive(hear, ()).manifest
    vectors = [v for s in SETS for v in archives.list_vectors(s, "4.4.0")]
    sections = {*manifest["sections"].values(), *(v["section"] for v in vectors)}
    assert len(sections) >= 60
    for section in sections:
        page, _, anchor = section.partition("#")
        headings = {
            archives_anchor(line.lstrip("# "))
            for line in (book / page).read_text(encoding="utf-8").splitlines()
            if line.startswith("#")
        }
        assert anchor in headings, section


def archives_anchor(heading: str) -> str:
    """The anchor of a heading."""
    from properties.generated_text import compute_anchor  # noqa: PLC0415

    return compute_anchor(heading)


def test_what_is_no_archive_is_told_in_one_line(file: Path, tmp_path: Path) -> None:
    """A missing file, another file, an archive with a changed file, another format."""
    other = tmp_path / "other.zip"
    with pytest.raises(ArchiveError, match="No such file"):
        read_archive(other)
    other.write_text("text")
    with pytest.raises(ArchiveError, match="no archive of vectors"):
        read_archive(other)
    contents = dict(read_archive(file).contents)
    other.write_bytes(pack({**contents, "LICENSE": b"none"}))
    with pytest.raises(ArchiveError, match="LICENSE is not what the manifest says"):
        read_archive(other)
    del contents["NOTICE"]
    other.write_bytes(pack(contents))
    with pytest.raises(ArchiveError, match="lacks NOTICE"):
        read_archive(other)
    other.write_bytes(pack({"manifest.json": b'{"format": 2, "files": {}}'}))
    with pytest.raises(ArchiveError, match="format 2"):
        read_archive(other)


def test_an_existing_file_is_left_as_it_is(file: Path) -> None:
    """Nothing is overwritten."""
    before = file.read_bytes()
    with pytest.raises(FileExistsError):
        write_archive(file, hear, SETS)
    assert file.read_bytes() == before
