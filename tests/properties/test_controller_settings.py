"""Settings of controller mode: who answers a put, and when one is refused."""

from __future__ import annotations

import pytest

from properties.scenarios.analysis.log import compute_structure
from properties.verdicts import certificates
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import VerdictWord
from properties.worlds.replication.structures import CONTROLLED_GROUPS
from properties.worlds.replication.world import ClaimedGroup
from reference.configuration.deployments import change_master, sample_group
from reference.releases.versions import parse_version
from reference.worlds.replication.changes.controller_mode.settings.ack_by_master_alone import (
    ACK_BY_MASTER_ALONE,
)
from reference.worlds.replication.parameters import Parameters
from tests.structures import name_of

KEPT = "acknowledged_is_kept_on_some_broker"

PAIRS = [s for s in CONTROLLED_GROUPS if s.slaves]


@pytest.mark.parametrize("structure", PAIRS, ids=name_of)
def test_who_answers_decides_what_a_stop_takes(structure: ClaimedGroup) -> None:
    """Of a master that answers alone everything; with the other setting nothing was found."""
    is_alone = ACK_BY_MASTER_ALONE in structure.variants
    word = load_cells(structure)[KEPT, "none"].word
    assert word is (VerdictWord.REFUTED if is_alone else VerdictWord.UNDECIDED)
    assert load_cells(structure)[KEPT, "master disk loss"].word is VerdictWord.REFUTED


@pytest.mark.nightly
@pytest.mark.parametrize("structure", CONTROLLED_GROUPS, ids=name_of)
def test_certificates_prove_and_refute_again(structure: ClaimedGroup) -> None:
    """The same verdicts as are stored."""
    document = certificates.load(structure)
    assert document is not None
    cells = certificates.recheck(structure, Parameters(), document)
    assert {v.word for v in cells if v.fault == "none"} == {
        v.word for v in load_cells(structure).values() if v.fault == "none"
    }


@pytest.mark.parametrize(("text", "is_alone"), [("false", True), ("true", False)])
def test_the_file_decides_whether_a_master_answers_alone(text: str, is_alone: bool) -> None:
    """Without ``allAckInSyncStateSet``, the default, no put waits for the other members."""
    group = sample_group(parse_version("5.3.0-controller"))
    changed = change_master(group, "allAckInSyncStateSet", text)
    assert (ACK_BY_MASTER_ALONE in compute_structure(changed).variants) is is_alone
