"""Data of tests that nobody reads by eye, compressed by xz."""

from __future__ import annotations

import lzma
from pathlib import Path

from properties.checkout import ROOT
from properties.verdicts.storage.certificate_files import write_whole

SUFFIX = ".xz"

UNPACKED = ROOT / ".rmqspec" / "unpacked"


def read_compressed(path: Path) -> str:
    """The text of a file, whether it is compressed or not.

    Raises OSError, and UnicodeDecodeError for what is no text; a damaged file is an OSError, too.
    """
    if path.suffix != SUFFIX:
        return path.read_text(encoding="utf-8")
    try:
        with lzma.open(path) as file:
            return file.read().decode()
    except (lzma.LZMAError, EOFError) as problem:
        raise OSError(5, "damaged") from problem


def unpack(folder: Path) -> Path:
    """A folder with the files of this one, unpacked, for readers that want plain files.

    Raises OSError.
    """
    target = UNPACKED / folder.name
    target.mkdir(parents=True, exist_ok=True)
    names = {path.name.removesuffix(SUFFIX): path for path in folder.glob(f"*{SUFFIX}")}
    for name, path in names.items():
        text, plain = read_compressed(path), target / name
        if not plain.exists() or plain.read_text(encoding="utf-8") != text:
            write_whole(plain, text)
    for plain in target.iterdir():
        if plain.name not in names and not plain.name.startswith("."):
            plain.unlink()
    return target
