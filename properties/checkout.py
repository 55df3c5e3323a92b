"""Whether the program runs in a checkout of the project, and what its hints name then.

An installed copy has no book, no tests and no script ``./rmqspec``.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The folder of README.md."""

IS_CHECKOUT = (ROOT / "spec").is_dir() and (ROOT / "pyproject.toml").is_file()
"""False for an installed copy."""

PROGRAM = "./rmqspec" if IS_CHECKOUT else "rmqspec"
"""How the program is called in hints."""

FULL_ENVIRONMENT = (
    "run `./rmqspec test --version` once, which installs it, or pip install -e '.[fuzz,test,docs]'"
    if IS_CHECKOUT
    else "install the extras: pip install 'rmqspec[fuzz,test]'"
)
"""What to do where a package is missing that only some verbs need."""


def name_page(page: str) -> str:
    """A page of the book as hints name it: ``spec/PAGE``, and where that is to be found."""
    return f"spec/{page}" if IS_CHECKOUT else f"spec/{page} in a checkout"


def get_user_cache() -> Path:
    """The folder for what may be lost: below XDG_CACHE_HOME, or ``~/.cache``.

    Raises RuntimeError for a user without a home.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "rmqspec"
