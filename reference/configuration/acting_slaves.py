"""Groups of 5.x whose slave acts for a master that is down (``enableSlaveActingMaster``, V-49).

An acting slave serves consumers under the master's id, and takes no puts. The log is copied as in
any other group: only ``CommitLog#asyncPutMessage`` and ``BrokerController`` read the key, and
neither does anything with the bytes of a slave. What the key changes of the log is how many
brokers a put of a SYNC_MASTER needs; consumers of such groups are not modelled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reference.configuration.later_keys import (
    CONTROLLER_ADDRESS,
    ENABLE_CONTROLLER,
    IN_SYNC_REPLICAS,
    MIN_IN_SYNC_REPLICAS,
    explain_partly_set,
    is_known_in,
    is_set,
)
from reference.releases.releases import CONTROLLER, QUORUM
from reference.releases.versions import Version

ENABLE_ACTING, ENABLE_AUTO = "enableSlaveActingMaster", "enableAutoInSyncReplicas"


def is_acting_asked(settings: Mapping[str, str], version: Version) -> bool:
    """A broker of this version acts for its master, or lets a slave act for it."""
    return is_known_in(ENABLE_ACTING, version) and is_set(settings, ENABLE_ACTING)


def is_counting_in_sync(master: Mapping[str, str], version: Version) -> bool:
    """A SYNC_MASTER counts before a put who is in sync (``CommitLog#asyncPutMessage`` at 5.0.0)."""
    return version.mode == QUORUM and is_acting_asked(master, version)


def is_one_enough(master: Mapping[str, str]) -> bool:
    """Such a master needs at most as many brokers as are in sync: itself, if no other is.

    ``CommitLog#calcNeedAckNums`` at 5.0.0 to 5.3.3.
    """
    return is_set(master, ENABLE_AUTO) and read_minimum(master) == "1"


def read_minimum(settings: Mapping[str, str]) -> str:
    """``minInSyncReplicas`` as in the file."""
    return settings.get(MIN_IN_SYNC_REPLICAS, "1").strip()


def explain_acting(members: Sequence[Mapping[str, str]], version: Version) -> Iterator[str]:
    """Why the model does not cover a group of these brokers, the master first."""
    asked = [settings for settings in members if is_acting_asked(settings, version)]
    if not asked:
        return
    yield from explain_partly_set(ENABLE_ACTING, len(asked), len(members))
    if version.mode == CONTROLLER:
        yield (
            f"{ENABLE_ACTING}=true is outside the model with a controller; leave it out, or "
            f"{ENABLE_CONTROLLER} and {CONTROLLER_ADDRESS}"
        )
        return
    minimum = read_minimum(members[0])
    if minimum not in ("1", "2") or (minimum == "2" and version.mode != QUORUM):
        yield (
            f"{MIN_IN_SYNC_REPLICAS}={minimum} is outside the model, which has 1, and 2 with "
            f"{IN_SYNC_REPLICAS}=2"
        )
