"""Artefacts of modules: what they say about themselves, and what they say when they fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line.renewal import modules
from command_line.renewal.artefact import NotRenewedError
from command_line.renewal.modules import MODULES, is_current, list_modules, make

TOY = """
import sys
from pathlib import Path

file = Path(__file__).with_name("written")
if "--check" in sys.argv:
    sys.exit(not file.exists())
if Path(__file__).with_name("full").exists():
    sys.exit("no space left")
file.touch()
"""


@pytest.fixture(name="folder")
def _make_toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module that writes a file beside itself."""
    (tmp_path / "toy_maker.py").write_text(TOY)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def say(_text: str) -> None:
    """Nobody listens."""


def test_a_module_is_run_and_then_current(folder: Path) -> None:
    """As the command does it."""
    assert not is_current("toy_maker")
    assert "written" == make("toy_maker", say)
    assert (folder / "written").exists()
    assert is_current("toy_maker")


def test_a_module_that_fails_is_told_in_its_own_words(folder: Path) -> None:
    """With the command that shows the rest."""
    (folder / "full").touch()
    with pytest.raises(NotRenewedError, match="no space left; try `python -m toy_maker`"):
        make("toy_maker", say)
    assert not is_current("toy_maker")
    with pytest.raises(NotRenewedError, match="No module named no_such_module"):
        make("no_such_module", say)


def test_every_module_has_an_artefact() -> None:
    """By its name."""
    assert [name for name, *_ in MODULES] == [each.name for each in list_modules()]
    assert modules.CHECK == "--check"
