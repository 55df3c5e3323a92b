"""The keys of a RocketMQ 4.4.0 broker's file, and what a setting changes in the model.

The rules are those of 4.4.0, so its keys are the ones that they speak of; which keys another
release reads, and with which defaults, `reference.configuration.release_keys` says.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from reference.configuration.key import Key, Value, ValueKind
from reference.configuration.later_keys import LATER_KEYS, NAMES_IN_440, NEW_NAMES
from reference.configuration.release_keys import (
    ADDRESS_SERVER,
    find_key,
    get_keys,
    is_source_read,
    list_releases,
    say_known,
    say_source,
    trim,
)
from reference.releases.versions import USUAL, USUAL_VERSION, Version

__all__ = ["KEYS", "Key", "Value", "ValueKind"]

_CLOSE_MATCH = 0.8
_SHORTEST_ADDRESS = 6

KEYS: Mapping[str, Key] = get_keys(USUAL)
"""All keys of 4.4.0 by name."""


def _list_of(owner: str) -> Mapping[str, Key]:
    return {name: key for name, key in KEYS.items() if key.owner == owner}


MESSAGE_STORE_CONFIG = _list_of("MessageStoreConfig")
"""``org.apache.rocketmq.store.config.MessageStoreConfig`` at 4.4.0."""

BROKER_CONFIG = _list_of("BrokerConfig")
"""``org.apache.rocketmq.common.BrokerConfig`` at 4.4.0."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


IDENTITY_KEYS = frozenset(ADDRESS_SERVER) | _names(
    "brokerClusterName brokerId brokerIP1 brokerIP2 brokerName fetchNamesrvAddrByAddressServer "
    "haListenPort listenPort namesrvAddr regionId rocketmqHome storePathCommitLog "
    "storePathRootDir"
)
"""Keys that define who and where a broker is, not how it behaves."""

CLAMPED = {"diskMaxUsedSpaceRatio": (10, 95)}
"""Keys of which a broker runs with the nearest number of a range
(MessageStoreConfig#getDiskMaxUsedSpaceRatio, in every release)."""

OUTSIDE_THE_MODEL: Mapping[str, str] = {
    "duplicationEnable": "RocketMQ 4.4.0 then never dispatches a message to its consume queue",
    "messageStorePlugIn": "a plug-in stands between the broker and its message store",
    "haMasterAddress": "the slave copies from the broker there; the model assumes its master",
}
"""Keys of 4.4.0 whose effect the model does not cover, with the reason."""

LOST_ADDRESS = (
    "from 5.0.0 on the address is lost, because it is set before the HA client is made, and that "
    "of the name server is not used either: the slave never connects. Remove the key"
)
"""What becomes of ``haMasterAddress`` (BrokerController#initialize and DefaultMessageStore#start at
5.0.0 and 5.3.3; recordings of 5.3.3, finding 9). A controller sets the address again."""


def compute_behaviour(name: str, text: str, version: Version) -> str | None:
    """What a setting changes in the behaviour of a broker, normalised; None for nothing."""
    if name in LATER_KEYS:
        return text
    key = find_key(name, version.release)
    if key is None or name not in KEYS or name in IDENTITY_KEYS:
        return None
    value = key.read(trim(key, text, version.release))
    if name == "haMasterAddress":
        return "an address" if len(text) >= _SHORTEST_ADDRESS else None
    return None if value == key.default else str(value)


def explain_refused_value(key: Key, text: str, version: Version) -> str:
    """What a broker does with a value not of the key's kind (MixAll#properties2Object)."""
    blank = ", with a trailing blank" if text != text.rstrip() else ""
    if key.kind is ValueKind.BOOLEAN:
        effect = "silently read this as false"
    elif key.default is None:
        effect = "silently ignore this and run with the host's default"
    else:
        effect = f"silently ignore this and run with {key.name}={key.default}"
    return f"{key.name} is {text!r}{blank}: RocketMQ {version.release} would {effect}"


def explain_unknown_key(name: str, version: Version, similar: str | None) -> str:
    """What a broker does with a key that it does not know, and the key that was perhaps meant.

    That it does not know the key can be said of a release only whose source was read.
    """
    known = f" (it is known {say_known(name)})" if list_releases(name) else ""
    hidden = "it begins with a byte order mark" if name.startswith("\ufeff") else ""
    advice = f"; did you mean {similar}?" if similar else ""
    advice = f": {hidden}{advice}" if hidden else advice
    told = f"RocketMQ {version.release} does not know the key {name} and ignores it"
    if not is_source_read(version.release):
        told = f"{name} is no key that is known of RocketMQ {version.release}"
        told += f" ({say_source(version.release)})"
    return f"{told}{known}{advice}"


def find_similar_key(name: str, version: Version = USUAL_VERSION) -> str | None:
    """The key of a release that is closest to an unknown name, if any is close.

    Its cost is that of one comparison with each key.
    """
    if list_releases(name):
        renamed = NAMES_IN_440.get(name) or NEW_NAMES.get(name)
        return renamed if renamed and find_key(renamed, version.release) else None
    known = {key.lower(): key for key in get_keys(version.release)}
    close = difflib.get_close_matches(name.lower(), known, n=1, cutoff=_CLOSE_MATCH)
    return known[close[0]] if close else None
