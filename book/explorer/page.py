"""The explorer as one file, which needs neither network nor server.

Its parts are plain files beside this module; rules and claims are written for it, and the words
come from the book.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from book.explorer.deployments import Deployment, find_aliases, list_deployments
from book.explorer.leaf_texts import describe_leaves
from book.explorer.schedules import describe_opened, list_phenomena
from book.explorer.texts import describe_claims, describe_rule
from properties.exports.javascript import ENGINE_FILE, Source, list_conditions
from properties.property import Predicate
from properties.z3.induction import get_leaf_names
from reference.language.operators import negate
from reference.language.rule import Rule
from reference.language.terms import Term
from reference.worlds.replication.state import PHASE_NAMES, STATUS_NAMES

FOLDER = Path(__file__).parent
FILE = "index.html"
SCRIPTS = ("address.js", "session.js", "drawing.js", "panels.js", "app.js")
"""In the order in which they are loaded, behind the engine and the data."""

SIZE_MAX_BYTES = 2_000_000
"""The page is smaller than this; a test holds it."""

LEAVES_MAX = 6
"""The most leaves of a condition that are shown with their values."""

_PLACE = re.compile(r"/\* (\w+) \*/")


class Rules:
    """The texts of all rules, each once: most structures share them."""

    def __init__(self) -> None:
        self.texts: list[dict[str, Any]] = []
        self._places: dict[str, int] = {}

    def find_place(self, structure: Any, rule: Rule, conditions: Iterable[str]) -> int:
        """The place of a rule's text in the list, which it gets if it is new."""
        described = describe_rule(structure, rule, conditions)
        key = json.dumps(described)
        if key not in self._places:
            self._places[key] = len(self.texts)
            self.texts.append(described)
        return self._places[key]


def make_source(deployment: Deployment) -> Source:
    """The data of a deployment: rules, claims, and the phenomena of its known issues.

    A claim breaks where it does not hold; a phenomenon is seen where its negation does not.
    """
    shown = list_phenomena(deployment)
    return Source(deployment.structure, {n: _deny(s.is_shown_in) for n, s in shown.items()})


def _deny(predicate: Predicate) -> Predicate:
    return lambda state: negate(predicate(state))


def describe_deployment(deployment: Deployment, source: Source, rules: Rules) -> dict[str, Any]:
    """The structure for the engine, with its texts for the page."""
    structure, places = deployment.structure, {path: i for i, path in enumerate(source.paths)}
    described = source.describe()
    for entry, recorded in zip(described["instances"], source.instances, strict=True):
        rule, conditions = recorded.instance.rule, entry["conditions"]
        entry["rule"] = rules.find_place(structure, rule, conditions)
        terms = list_conditions(recorded).values()
        entry["reads"] = [list_read(term, places) for term in terms]
    shown = [
        {"name": name, "kind": "seen", "text": each.sentence, "why": "", "section": ""}
        for name, each in list_phenomena(deployment).items()
    ]
    return {
        **described,
        "key": deployment.key,
        "label": deployment.label,
        "shelf": deployment.shelf,
        "claimTexts": [*describe_claims(structure), *shown],
    }


def list_read(term: Term, places: Mapping[str, int]) -> list[int]:
    """The places of the leaves that a condition reads; empty where they are many."""
    read = sorted(places[name] for name in get_leaf_names(term))
    return read if len(read) <= LEAVES_MAX else []


def be_silent(_told: str) -> None:
    """Report no progress."""


def write_data(show: Callable[[str], None] = be_silent) -> str:
    """All structures and texts as a script; ``show`` gets the structure in progress."""
    rules, texts, written = Rules(), dict[str, str](), []
    for deployment in list_deployments():
        show(f"the explorer: {deployment.key}")
        source = make_source(deployment)
        described = describe_deployment(deployment, source, rules)
        texts |= describe_leaves(deployment.structure)
        written.append(f"{{...{pack(described)},\nread: {source.write()}}}")
    data = {
        "rules": rules.texts,
        "leaves": texts,
        "releases": find_aliases(),
        "phases": PHASE_NAMES,
        "statuses": STATUS_NAMES,
        **describe_opened(),
    }
    structures = ",\n".join(written)
    return f"const BOOK = {pack(data)};\nconst STRUCTURES = [\n{structures}\n];\n"


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
