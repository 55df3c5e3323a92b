"""The pages that the book has in Chinese too, each beside its original.

``rmqspec docs --write`` with an original and its translation, in this order, writes both anew.
"""

from __future__ import annotations

from pathlib import Path

from book.bilingual import Pair
from properties.generated_text import SPEC

PHRASES = Path(__file__).parent
"""A file of phrases for each page."""

PAIRS = (
    Pair(SPEC / "operators.md", SPEC / "zh" / "operators.md", PHRASES / "operators.toml"),
    Pair(
        SPEC / "README.md",
        SPEC / "zh" / "README.md",
        PHRASES / "front.toml",
        kept=frozenset({"contents"}),
    ),
)
"""Every page in two languages."""
