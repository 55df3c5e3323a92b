"""Where the statements are to be found that a reason cites by their identifiers."""

from __future__ import annotations

import re

from properties.checkout import name_page

CITED = re.compile(r"\b(?:R-[A-Z]{2}-\d+|[KV]-\d+|[A-Z]\d-\d{4,5})\b")
"""The identifier of a statement in the ledger, for example ``R-HC-20``, ``K-32``, ``T1-00967``."""


def list_cited(text: str) -> tuple[str, ...]:
    """The statements that a text cites, each once."""
    return tuple(dict.fromkeys(CITED.findall(text)))


def say_cited(text: str) -> str:
    """A sentence about the statements that a text cites; empty if it cites none."""
    cited = list_cited(text)
    if not cited:
        return ""
    what = "a statement" if len(cited) == 1 else "statements"
    return f"{', '.join(cited)}: {what} about RocketMQ, with sources in {name_page('ledger/')}."
