"""Output as in a pipe; answers that tests remember lie beside their other temporary files."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _remember_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The user's own memory is neither read nor written; all workers of a run share one."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # Each worker has a folder of its own in that of the run.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        yield


@pytest.fixture(autouse=True)
def _write_to_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """No terminal limits the width; pytest-xdist sets COLUMNS for its own lines."""
    monkeypatch.delenv("COLUMNS", raising=False)
