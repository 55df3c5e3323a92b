"""A cluster of several groups while one master is down."""

from __future__ import annotations

from pathlib import Path

import pytest

from brokers.configuration_files import read_deployments
from reference.decisions.outage import compute_outage, describe_outage

CONF = Path(__file__).parents[2] / "data" / "conf"


@pytest.mark.parametrize(
    ("folder", "sends", "reads"),
    [
        ("2m-2s-sync", ("broker-b",), (1,)),
        ("2m-2s-async", ("broker-b",), (1,)),
        ("2m-noslave", ("broker-b", "broker-trace"), ()),
    ],
)
def test_stock_clusters(folder: str, sends: tuple[str, ...], reads: tuple[int, ...]) -> None:
    """Sends go to the other group; without a slave nothing of this group can be read."""
    deployments, _ = read_deployments([CONF / folder])
    (deployment,) = deployments
    outage = compute_outage(deployment, deployment.groups[0])
    assert (sends, reads) == (outage.takes_sends, outage.serves_reads)
    assert ("unreadable" in describe_outage(outage)) == (not reads)


def test_groups_of_other_clusters_take_no_sends(tmp_path: Path) -> None:
    """Producers of a cluster know the groups of this cluster only."""
    for cluster, name in (("one", "a"), ("two", "b")):
        text = (
            f"brokerClusterName={cluster}\nbrokerName={name}\nbrokerId=0\nbrokerRole=SYNC_MASTER\n"
        )
        (tmp_path / f"{name}.properties").write_text(text)
    deployments, _ = read_deployments([tmp_path])
    (deployment,) = deployments
    outage = compute_outage(deployment, deployment.groups[0])
    assert () == outage.takes_sends
    assert "every send of the cluster fails" in describe_outage(outage)
