"""The recorded text of every ``--help``, for a checkout that has no environment yet.

The program ``./rmqspec`` runs this file by itself with any Python 3.11: it imports nothing but the
standard library, and installs nothing. ``rmqspec docs --write`` records the texts again.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

FILE = Path(__file__).with_suffix(".toml")

HELP = ("-h", "--help")
VERSION = "--version"
FOREIGN = "test"
"""The verb whose later arguments go to another program."""

BAD_INPUT = 3
"""The exit code of a line that names no verb, as in ``exit_codes``."""
NOT_RECORDED = 100
"""The exit code of this file for a line that does not ask for help."""


def load_texts() -> dict[str, str]:
    """The text of each verb by its name, that of the program by an empty one, and the version."""
    texts: dict[str, str] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return texts


def find_key(words: Sequence[str], texts: dict[str, str]) -> str | None:
    """Which text a line of arguments asks for; None where it asks for none."""
    if not words or words[0] in HELP:
        return ""
    if list(words) == [VERSION]:
        return VERSION
    own = words[: words.index("--")] if "--" in words else words
    asked = own[1:2] if words[0] == FOREIGN else own[1:]
    if words[0] not in texts or not set(HELP) & set(asked):
        return None
    longer = " ".join(words[:2])
    return longer if longer in texts else words[0]


def main(words: Sequence[str]) -> int:
    """Print the text that a line of arguments asks for; the exit code."""
    texts = load_texts()
    key = find_key(words, texts)
    if key is None:
        return NOT_RECORDED
    (sys.stdout if words else sys.stderr).write(texts[key])
    return 0 if words else BAD_INPUT


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
