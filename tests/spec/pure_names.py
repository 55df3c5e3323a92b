"""Names of the pure functions beside the rules, as ledgers write them: ``read:answer_pull``."""

from __future__ import annotations

import importlib
import pkgutil

import reference.decisions.clients
import reference.decisions.controller
import reference.decisions.delay
import reference.decisions.metadata
import reference.decisions.name_server
import reference.decisions.progress
import reference.decisions.reading
from properties.scenarios.reading_claims import READING_CLAIMS

READ = "read:"
"""How the name of a function, a table or a claim of the read decision begins."""

PURE_PACKAGES = {
    READ: reference.decisions.reading,
    "progress:": reference.decisions.progress,
    "metadata:": reference.decisions.metadata,
    "name server:": reference.decisions.name_server,
    "controller:": reference.decisions.controller,
    "clients:": reference.decisions.clients,
    "delay:": reference.decisions.delay,
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
