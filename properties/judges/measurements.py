"""Measurements of the project itself: how well its own judges and tests do.

They take minutes to hours and nothing is computed from them, so they are kept in
``.rmqspec/measurements/`` of a checkout, which git does not have. Each says at which commit it was
made and from which rules.

Rules are imported only where a digest of them is asked for: mistakes are planted in modules that a
program has not imported, and it reads the measured ones before.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from properties.checkout import ROOT

FOLDER = ROOT / ".rmqspec" / "measurements"


@frozen
class Measurement:
    """What was measured, when, and from what."""

    commit: str
    """The commit that was checked out; empty if that is unknown."""
    rules: str
    """The digest of the rules, claims and lemmas of all worlds."""
    result: Any
    """As JSON has it."""

    @property
    def is_of_these_rules(self) -> bool:
        """No rule, claim or lemma has changed since."""
        return self.rules == compute_digest_of_all()

    def describe(self) -> str:
        """Of which commit it is, and whether it is current: a sentence for a page."""
        where = f"at commit {self.commit}" if self.commit else "at an unknown commit"
        if self.is_of_these_rules:
            return f"Measured {where}; no rule, claim or lemma has changed since."
        return f"Measured {where}; rules, claims or lemmas have changed since."


def write_measurement(name: str, result: Any, folder: Path | None = None) -> Path:
    """Keep a measurement with the present commit and rules. Raises OSError."""
    from properties.verdicts.storage.certificate_files import write_whole  # noqa: PLC0415

    path = (folder or FOLDER) / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = json.dumps({"commit": find_commit(), "rules": compute_digest_of_all()})
    rows = json.dumps(result, separators=(",", ":"))
    write_whole(path, f'{head.removesuffix("}")}, "result": {rows}}}\n')
    return path


def read_measurement(name: str, folder: Path | None = None) -> Measurement | None:
    """What was measured last; None if nothing was, or if the file is damaged."""
    try:
        told = json.loads(((folder or FOLDER) / f"{name}.json").read_text(encoding="utf-8"))
        return Measurement(str(told["commit"]), str(told["rules"]), told["result"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def find_commit() -> str:
    """The commit that is checked out, with a plus sign if files differ from it; else empty."""
    try:
        commit = run_git("rev-parse", "--short", "HEAD")
        return commit + ("+" if run_git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def run_git(*words: str) -> str:
    """What git says. Raises OSError, and CalledProcessError outside of a checkout by git."""
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@cache
def compute_digest_of_all() -> str:
    """A digest of the rules, claims and lemmas of the structures of all worlds."""
    from properties.verdicts.fingerprint import compute_digest  # noqa: PLC0415
    from properties.worlds.catalogue import WORLDS  # noqa: PLC0415
    from reference.language.machine import record_predicate  # noqa: PLC0415

    text = ""
    for world in WORLDS:
        for structure in world.structures:
            lemmas = structure.world.get_lemmas(structure).items()
            text += compute_digest(structure)
            text += "".join(f"{n} {record_predicate(structure, p.predicate)}\n" for n, p in lemmas)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
