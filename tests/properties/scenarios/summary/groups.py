"""Every group that the short answer is tested on: roles, flushing, slaves, reads from slaves."""

from __future__ import annotations

import itertools

from attrs import evolve

from reference.configuration.broker_group import BrokerGroup
from reference.configuration.deployments import assume_slaves, change_master, sample_group

SETTINGS = tuple(
    itertools.product(
        ("SYNC_MASTER", "ASYNC_MASTER"),
        ("ASYNC_FLUSH", "SYNC_FLUSH"),
        (0, 1, 2, 3),
        ("false", "true"),
    )
)
"""Role, flush, slaves, slaveReadEnable."""


def make_group(role: str, flush: str, slaves: int, is_open: str) -> BrokerGroup:
    """A group with these settings, the slaves set like their master."""
    group = evolve(sample_group(), slaves=())
    for key, value in (
        ("brokerRole", role),
        ("flushDiskType", flush),
        ("slaveReadEnable", is_open),
    ):
        group = change_master(group, key, value)
    return assume_slaves(group, slaves)
