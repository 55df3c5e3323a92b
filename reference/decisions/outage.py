"""What a cluster of several groups does while the master of one of them is down.

Groups replicate independently: no group holds another's messages. The cost of an outage follows
from the files alone, without any step of the machine.
"""

from __future__ import annotations

from attrs import frozen

from reference.configuration.broker_group import BrokerGroup, Deployment


@frozen
class Outage:
    """One group's master is down; everything else of its cluster runs."""

    group: BrokerGroup
    """The group that has lost its master."""
    takes_sends: tuple[str, ...]
    """``brokerName`` of the groups that producers use; empty: every send of the cluster fails.

    A producer keeps only queues of groups whose master is listed, and throws if there are none
    (R-PR-02: MQClientInstance#topicRouteData2TopicPublishInfo). Topics that only this group has
    cannot be sent to at all."""
    serves_reads: tuple[int, ...]
    """``brokerId`` of the slaves from which its messages can be read; empty: they are unreadable
    until the master is back.

    The group's name stays registered as long as any slave lives (R-NS-06), and consumers use any
    listed address (R-CC-01: MQClientInstance#findBrokerAddressInSubscribe), whatever
    ``slaveReadEnable`` says (recordings, finding 14). What no slave has received is unreadable."""


def compute_outage(deployment: Deployment, group: BrokerGroup) -> Outage:
    """The outage of one group's master in its cluster."""
    others = (
        other.broker_name
        for other in deployment.groups
        if other.cluster == group.cluster and other.broker_name != group.broker_name
    )
    return Outage(group, tuple(others), tuple(slave.broker_id for slave in group.slaves))


def describe_outage(outage: Outage) -> str:
    """One sentence for an operator."""
    name = outage.group.broker_name
    sends = (
        f"sends go to {', '.join(outage.takes_sends)}"
        if outage.takes_sends
        else "every send of the cluster fails"
    )
    slaves = ", ".join(map(str, outage.serves_reads))
    reads = (
        f"what its slaves have received is read from broker id {slaves}"
        if outage.serves_reads
        else "its messages are unreadable until it is back"
    )
    return f"While the master of {name} is down, {sends}; {reads}."
