"""Output as in a pipe; answers that tests remember lie beside their other temporary files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _remember_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The user's own memory is neither read nor written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True)
def _write_to_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """No terminal limits the width; pytest-xdist sets COLUMNS for its own lines."""
    monkeypatch.delenv("COLUMNS", raising=False)
