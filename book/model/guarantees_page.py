"""The verdict tables of ``spec/guarantees.md``, rendered from the certificates.

``rmqspec docs --write spec/guarantees.md`` writes them anew after certificates have changed.
"""

from __future__ import annotations

import re

from book.merged_table import render_merged
from book.model.code_page import CLAIM_SHELF, write_code
from properties.generated_text import SPEC
from properties.verdicts.certified_cells import compute_row
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import CERTIFIED_GROUPS, CLAIMS

CHAPTER = SPEC / "guarantees.md"

BEGIN = "<!-- begin generated: verdicts -->"
END = "<!-- end generated: verdicts -->"

STRUCTURES = sorted(CERTIFIED_GROUPS, key=lambda s: (s.role.name, s.flush_disk_type.name, s.slaves))
"""Every row, in the order of the tables."""

_SECTION = re.compile(
    rf"(^## `(?P<name>\w+)`\n(?:(?!^## ).)*?{re.escape(BEGIN)}\n).*?({re.escape(END)})",
    re.MULTILINE | re.DOTALL,
)


def render_table(guarantee: str) -> str:
    """The Markdown table of one guarantee: every certificate, equal ones merged."""
    rows = {structure.name: compute_row(structure) for structure in STRUCTURES}
    return render_merged(list(rows), list(FAULT_MODEL_BY_NAME), lambda s, c: rows[s][guarantee, c])


def update(text: str) -> str:
    """The chapter with every generated table and all code as they should be."""

    def render(section: re.Match[str]) -> str:
        if section["name"] not in CLAIMS:
            return str(section[0])
        return f"{section[1]}{render_table(section['name'])}\n{section[3]}"

    return write_code(CLAIM_SHELF, _SECTION.sub(render, text))
