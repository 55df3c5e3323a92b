"""Compressed data: read as it was written, and a damaged file is an OSError."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from tests import compressed
from tests.compressed import read_compressed, unpack


def test_it_is_read_as_it_was_written(tmp_path: Path) -> None:
    """And a plain file as it is."""
    packed, plain = tmp_path / "a.jsonl.xz", tmp_path / "a.jsonl"
    plain.write_text("ä\n", encoding="utf-8")
    packed.write_bytes(lzma.compress(plain.read_bytes()))
    assert read_compressed(plain) == read_compressed(packed) == "ä\n"
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(OSError, match="damaged"):
        read_compressed(packed)


def test_a_folder_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that has changed is unpacked again, and one that is gone goes."""
    monkeypatch.setattr(compressed, "UNPACKED", tmp_path / "unpacked")
    folder = tmp_path / "rows"
    folder.mkdir()
    for text in ("old", "new"):
        (folder / "a.jsonl.xz").write_bytes(lzma.compress(text.encode()))
        assert (unpack(folder) / "a.jsonl").read_text() == text
    (folder / "a.jsonl.xz").unlink()
    assert [] == list(unpack(folder).iterdir())
