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
    FALSE,
    IN_SYNC_REPLICAS,
    MIN_IN_SYNC_REPLICAS,
    TRUE,
    is_known_in,
)
from reference.releases.releases import CONTROLLER, QUORUM
from reference.releases.versions import Version

ENABLE_ACTING, ENABLE_AUTO = "enableSlaveActingMaster", "enableAutoInSyncReplicas"


def is_set(settings: Mapping[str, str], key: str) -> bool:
    """A broker with these settings reads the key as true (Boolean#parseBoolean)."""
    return settings.get(key, FALSE).strip().lower() == TRUE


def is_acting_asked(settings: Mapping[str, str], version: Version) -> bool:
    """A broker of this version acts for its master, or lets a slave act for it."""
    return is_known_in(ENABLE_ACTING, version) and is_set(settings, ENABLE_ACTING)


def is_answered_by_those_in_sync(master: Mapping[str, str], version: Version) -> bool:
    """A put of a SYNC_MASTER needs as many brokers as are in sync, at most two.

    ``CommitLog#calcNeedAckNums`` at 5.0.0 to 5.3.3.
    """
    is_one_enough = read_minimum(master) == "1"
    is_asked = version.mode == QUORUM and is_acting_asked(master, version)
    return is_asked and is_set(master, ENABLE_AUTO) and is_one_enough


def is_refused_without_slave(master: Mapping[str, str], version: Version) -> bool:
    """A put of a SYNC_MASTER is refused while fewer than two brokers are in sync."""
    is_asked = version.mode == QUORUM and is_acting_asked(master, version)
    return is_asked and not is_answered_by_those_in_sync(master, version)


def read_minimum(settings: Mapping[str, str]) -> str:
    """``minInSyncReplicas`` as in the file."""
    return settings.get(MIN_IN_SYNC_REPLICAS, "1").strip()


def explain_acting(members: Sequence[Mapping[str, str]], version: Version) -> Iterator[str]:
    """Why the model does not cover a group of these brokers, the master first."""
    asked = [settings for settings in members if is_acting_asked(settings, version)]
    if not asked:
        return
    if len(asked) < len(members):
        yield f"{ENABLE_ACTING}=true is in some files of the group only; set it in all"
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
