"""Names of the pure functions beside the rules, as ledgers write them: ``read:answer_pull``."""

from __future__ import annotations

import importlib
import pkgutil

import reference.clients
import reference.metadata
import reference.name_server
import reference.progress
import reference.read
from properties.reading import READING_CLAIMS

READ = "read:"
"""How the name of a function, a table or a claim of the read decision begins."""

PURE_PACKAGES = {
    READ: reference.read,
    "progress:": reference.progress,
    "metadata:": reference.metadata,
    "name server:": reference.name_server,
    "clients:": reference.clients,
}
"""How names of pure functions begin, and where they are."""


def find_pure_names() -> set[str]:
    """What the modules of the pure functions define, and the claims about reads."""
    names = {READ + name for name in READING_CLAIMS}
    for prefix, package in PURE_PACKAGES.items():
        for found in pkgutil.iter_modules(package.__path__):
            module = importlib.import_module(f"{package.__name__}.{found.name}")
            names |= {prefix + name for name in vars(module)}
    return names
