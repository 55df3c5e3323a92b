"""Where compiled kernels are kept, by the hash of their source."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from properties.checkout import IS_CHECKOUT, ROOT, get_user_cache


def get_cache_folder() -> Path:
    """Where generated kernels lie: RMQSPEC_CACHE, else beside the code, else a temporary folder.

    Those of an installed copy are in the user's cache, since beside its code are other packages.
    """
    given = os.environ.get("RMQSPEC_CACHE")
    try:
        beside = ROOT / ".rmqspec" if IS_CHECKOUT else get_user_cache()
        folder = Path(given) if given else beside / "kernels"
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except (OSError, RuntimeError):
        pass
    fallback = Path(tempfile.gettempdir()) / f"rmqspec-kernels-{os.getuid()}"
    fallback.mkdir(mode=0o700, exist_ok=True)
    return fallback
