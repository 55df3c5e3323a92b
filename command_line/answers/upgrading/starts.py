"""Starts that fail after an upgrade, because a broker's files have another length than it asks."""

from __future__ import annotations

from collections.abc import Iterator

from reference.configuration.broker_group import BrokerConfiguration, BrokerGroup
from reference.configuration.later_keys import get_name_in
from reference.releases.start_rules import make_start_rules
from reference.releases.versions import Version

FILES = {
    "mapedFileSizeCommitLog": "the files of its commit log",
    "mapedFileSizeConsumeQueue": "the files of its consume queues",
}
"""What has the size that a key sets."""


def list_failed_starts(before: BrokerGroup, after: BrokerGroup) -> Iterator[str]:
    """A sentence for each broker and key of which the later release asks for another length."""
    olds, news = ((g.master, *g.slaves) for g in (before, after))
    for number, (old, new) in enumerate(zip(olds, news, strict=True)):
        who = f"slave {number}" if number else "the master"
        yield from _compare(who, old, new, after.version)


def _compare(
    who: str, old: BrokerConfiguration, new: BrokerConfiguration, version: Version
) -> Iterator[str]:
    is_refused = make_start_rules(version.release).is_other_length_refused
    fails = "does not start" if is_refused else "starts without them, with an empty log or queues"
    for key, files in FILES.items():
        has, asks = old.get(key), new.get(key)
        if has != asks:
            yield (
                f"{who} {fails}: {files} have {has} bytes, and {version.release} would make them "
                f"{asks} bytes long; set {get_name_in(key, version)}={has} (MappedFileQueue#load)"
            )
