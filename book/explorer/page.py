"""The explorer as one file, which needs neither network nor server.

Its parts are plain files beside this module; rules and claims are written for it, and the words
come from the book.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from book.explorer.deployments import ExplorerStructure, find_aliases, list_deployments
from book.explorer.leaf_texts import describe_leaves
from book.explorer.schedules import describe_opened, list_phenomena
from book.explorer.texts import describe_claims, describe_rule
from properties.exports.javascript import ENGINE_FILE, StructureSource, list_conditions
from properties.exports.shared_text import SharedText
from properties.language.property import Predicate
from properties.z3.induction import get_leaf_names
from reference.language.operators import negate
from reference.language.terms import Term
from reference.worlds.replication.state import PHASE_NAMES, STATUS_NAMES

FOLDER = Path(__file__).parent
FILE = "index.html"
SCRIPTS = ("structures.js", "address.js", "session.js", "drawing.js", "panels.js", "app.js")
"""In the order in which they are loaded, behind the engine and the data."""

SIZE_MAX_BYTES = 2_000_000
"""The page is smaller than this; a test holds it."""

LEAVES_MAX = 6
"""The most leaves of a condition that are shown with their values."""

_PLACE = re.compile(r"/\* (\w+) \*/")


class Shared:
    """Data that many structures have in common, each once, and its place in the list."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._places: dict[str, int] = {}

    def find_place(self, item: Any) -> int:
        """The place of this in the list, which it gets if it is new."""
        key = json.dumps(item)
        if key not in self._places:
            self._places[key] = len(self.items)
            self.items.append(item)
        return self._places[key]


def make_source(deployment: ExplorerStructure) -> StructureSource:
    """The data of a deployment: rules, claims, and the phenomena of its known issues.

    A claim breaks where it does not hold; a phenomenon is seen where its negation does not.
    """
    shown = list_phenomena(deployment)
    return StructureSource(
        deployment.structure, {n: _deny(s.is_shown_in) for n, s in shown.items()}
    )


def _deny(predicate: Predicate) -> Predicate:
    return lambda state: negate(predicate(state))


def describe_deployment(
    deployment: ExplorerStructure, source: StructureSource, rules: Shared, shared: Shared
) -> dict[str, Any]:
    """The structure for the engine, with its texts for the page.

    ``structures.js`` puts what is shared back in its place.
    """
    structure, places = deployment.structure, {path: i for i, path in enumerate(source.paths)}
    described = source.describe()
    for entry, recorded in zip(described["instances"], source.instances, strict=True):
        rule = describe_rule(structure, recorded.instance.rule, entry["conditions"])
        entry["rule"] = rules.find_place(rule)
        terms = list_conditions(recorded).values()
        entry["reads"] = [list_read(term, places) for term in terms]
    shown = [
        {"name": name, "kind": "seen", "text": each.sentence, "why": "", "section": ""}
        for name, each in list_phenomena(deployment).items()
    ]
    claims = [*describe_claims(structure), *shown]
    return {
        **{name: shared.find_place(value) for name, value in described.items()},
        "instances": [shared.find_place(entry) for entry in described["instances"]],
        "claimTexts": [shared.find_place(claim) for claim in claims],
        "key": deployment.key,
        "label": deployment.label,
        "shelf": deployment.shelf,
    }


def list_read(term: Term, places: Mapping[str, int]) -> list[int]:
    """The places of the leaves that a condition reads; empty where they are many."""
    read = sorted(places[name] for name in get_leaf_names(term))
    return read if len(read) <= LEAVES_MAX else []


def be_silent(_told: str) -> None:
    """Report no progress."""


def write_data(show: Callable[[str], None] = be_silent) -> str:
    """All structures and texts as a script; ``show`` gets the structure in progress."""
    rules, shared, lines = Shared(), Shared(), SharedText()
    texts, structures = dict[str, str](), []
    for deployment in list_deployments():
        show(f"the explorer: {deployment.key}")
        source = make_source(deployment)
        described = describe_deployment(deployment, source, rules, shared)
        structures.append({**described, "code": source.write(lines)})
        texts |= describe_leaves(deployment.structure)
    data = {
        "rules": rules.items,
        "leaves": texts,
        "releases": find_aliases(),
        "phases": PHASE_NAMES,
        "statuses": STATUS_NAMES,
        **describe_opened(),
    }
    script = {"BOOK": data, "LINES": lines.lines, "SHARED": shared.items, "PACKED": structures}
    return "".join(f"const {name} = {pack(value)};\n" for name, value in script.items())


def pack(data: Any) -> str:
    """Data as JSON that is safe in a script of a page."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")


def write_page(book: str | None, show: Callable[[str], None] = be_silent) -> str:
    """The whole page. ``book`` is where the chapters are, seen from it; None where they are not."""
    parts: dict[str, Callable[[], str]] = {
        "style": lambda: read_part("style.css"),
        "engine": lambda: ENGINE_FILE.read_text(encoding="utf-8"),
        "data": lambda: write_data(show),
        "place": lambda: f"const BOOK_PLACE = {pack(book)};",
        "scripts": lambda: "\n".join(map(read_part, SCRIPTS)),
    }
    return _PLACE.sub(lambda match: parts[match[1]](), read_part("page.html"))


def read_part(name: str) -> str:
    """The text of a file of this folder."""
    return (FOLDER / name).read_text(encoding="utf-8")


def write_explorer(folder: Path, book: str | None, show: Callable[[str], None] = be_silent) -> Path:
    """Write the page into a folder, made where it is missing; where it lies then.

    ``book`` is the folder of the chapters, seen from that of the page.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = None if book is None else f"{book.rstrip('/')}/"
    file = folder / FILE
    file.write_text(write_page(place, show), encoding="utf-8")
    return file
