"""Texts with generated parts: which of them are not as they would be written today."""

from __future__ import annotations

import pytest

from command_line import docs
from command_line.renewal import pages
from tests.command_line.run import run


@pytest.mark.parametrize(("added", "code"), [("one more line", 1), ("", 0)])
def test_a_stale_text_is_named(added: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what writes it again; the tests of the texts run all the same."""
    ran: list[list[str]] = []
    updates = {"README.md": lambda text: text, "CONTRIBUTING.md": lambda text: text + added}
    monkeypatch.setattr(pages, "UPDATES", updates)
    monkeypatch.setattr(docs, "run_pytest", lambda words: bool(ran.append(words)))
    result = run("docs", "--check")
    assert code == result.returncode
    advice = "stale: CONTRIBUTING.md; run ./rmqspec docs --write CONTRIBUTING.md"
    assert bool(added) == (advice in result.stdout)
    assert "README.md" not in result.stdout
    assert [["tests/spec", "-m", ""]] == ran
