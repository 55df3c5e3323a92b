"""The options by which `check` and `explain` answer as if a switch had been made.

Nothing here imports an engine: a remembered answer names its commands too.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from properties.checkout import PROGRAM

SWITCHES_FILE = Path(__file__).with_name("actions.toml")

OWNERS: Mapping[str, tuple[str, ...]] = {
    "master": ("",),
    "slaves": ("slave.",),
    "brokers": ("", "slave."),
    "consumers": ("consumer.",),
    "group": (),
}
"""How an option names the owners of a key, by the word of the file."""

WHAT_IF, SLAVES = "--what-if", "--slaves"


@cache
def load_options(file: Path = SWITCHES_FILE) -> Mapping[str, tuple[str, ...]]:
    """The options of each switch, by its text."""
    document: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    return {entry["text"]: make_options(entry) for entry in document["switch"]}


def make_options(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The options of a switch: those that change keys, and the number of slaves."""
    changes = [f"{owner}{entry['key']}={entry['value']}" for owner in OWNERS[entry["of"]]]
    added = entry.get("adds_slaves", 0)
    return (
        *(word for change in changes for word in (WHAT_IF, change)),
        *((SLAVES, str(added)) if added else ()),
    )


def find_options(text: str) -> tuple[str, ...]:
    """The options of a switch by the text of its action; empty for an action that is no switch.

    For example ``("--what-if", "flushDiskType=SYNC_FLUSH")``.
    """
    known = load_options()
    return next((known[e] for e in known if text == e or text.startswith(f"{e}:")), ())


def add_options(words: Sequence[str], options: Sequence[str]) -> tuple[str, ...]:
    """The words about a group and these options; a later number of slaves replaces an earlier."""
    kept = list(words)
    if SLAVES in options and SLAVES in kept:
        place = kept.index(SLAVES)
        del kept[place : place + 2]
    return (*kept, *options)


def say_command(verb: Sequence[str], words: Sequence[str], text: str) -> str:
    """The command that answers as if the switch of an action had been made; empty for others.

    ``verb`` is for example ``("check",)`` or ``("explain", "C41")``; ``words`` are the paths and
    options by which the group was named.
    """
    options = find_options(text)
    return shlex.join([PROGRAM, *verb, *add_options(words, options)]) if options else ""
