"""The seal of a certificate: what a search has found, bound to the rules that were searched.

Proofs are made again and schedules replayed at each use. That a schedule is the shortest, and that
a verdict is open, only a search knows: an edit or a merge that changes one of these, or takes rules
from one side and verdicts from the other, breaks the seal. A seal has no secret, so it protects
from accidents, not from somebody who computes it anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

SEAL = "seal"
"""The key of a certificate's seal."""


def compute_seal(document: Mapping[str, Any]) -> str:
    """The seal that fits a certificate.

    Raises KeyError, TypeError or AttributeError for what is no certificate.
    """
    searched = sorted(
        json.dumps(
            {
                "guarantee": cell["guarantee"],
                "fault": cell["fault"],
                "verdict": cell["verdict"],
                "steps": len(cell.get("schedule", ())),
                "depth": cell.get("depth"),
                "is_shortest": cell.get("is_shortest", True),
            }
        )
        for cell in document["cells"]
    )
    text = json.dumps([document["structure"], document["fingerprint"], searched], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def is_sealed(document: Mapping[str, Any]) -> bool:
    """A certificate is as a search or a renewal has written it, as far as nothing else tells."""
    try:
        return bool(document[SEAL] == compute_seal(document))
    except (KeyError, TypeError, AttributeError):
        return False
