"""Releases of RocketMQ, the modes in which a release can run, and how long a change remains."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

RELEASES = (
    "4.4.0",
    "4.5.1",
    "4.5.2",
    "4.6.0",
    "4.6.1",
    "4.7.0",
    "4.7.1",
    "4.8.0",
    "4.9.0",
    "4.9.1",
    "4.9.2",
    "4.9.3",
    "4.9.4",
    "4.9.5",
    "4.9.6",
    "4.9.7",
    "4.9.8",
    "5.0.0",
    "5.1.0",
    "5.1.1",
    "5.1.2",
    "5.1.3",
    "5.1.4",
    "5.2.0",
    "5.3.0",
    "5.3.1",
    "5.3.2",
    "5.3.3",
    "5.3.4",
    "5.4.0",
    "5.5.0",
    "5.5.1",
)
"""The releases that have verdicts, oldest first."""

WITHOUT_VERDICTS: Mapping[str, str] = {
    "4.5.0": "only in this release does a slave skip a record that has not arrived as a whole "
    "(DefaultMessageStore.ReputMessageService#doReput, V-05, issue 1164); 4.5.1 undid that and is "
    "otherwise the same store",
}
"""The releases that the model leaves out, with the reason."""


def sort_release(release: str) -> tuple[int, ...]:
    """A key that sorts releases by their numbers."""
    return tuple(map(int, release.split(".")))


ALL_RELEASES = tuple(sorted((*RELEASES, *WITHOUT_VERDICTS), key=sort_release))
"""Every release that a table may name, oldest first."""

CLASSIC, QUORUM, CONTROLLER = "", "quorum", "controller"
MODES = (CLASSIC, QUORUM, CONTROLLER)
"""How a broker of 5.x replicates: with defaults (``inSyncReplicas=1``), with
``inSyncReplicas=2``, or with ``enableControllerMode`` and ``allAckInSyncStateSet``."""

FIRST_RELEASE_WITH_MODES = "5.0.0"


def get_modes(release: str) -> tuple[str, ...]:
    """The modes of a release: only 5.x has others than the classic one."""
    return MODES if is_since(release, FIRST_RELEASE_WITH_MODES) else (CLASSIC,)


def is_since(release: str, first: str) -> bool:
    """The release is this one or a later one. Raises ValueError for an unknown release."""
    return ALL_RELEASES.index(release) >= ALL_RELEASES.index(first)


@frozen
class Span:
    """The releases, and their modes, in which something is so."""

    since: str
    """The first release with it."""
    until: str = ""
    """The first release without it; empty if there is none."""
    modes: tuple[str, ...] = MODES
    """The modes with it."""

    def covers(self, release: str, mode: str) -> bool:
        """A broker of this release behaves so in this mode."""
        is_gone = bool(self.until) and is_since(release, self.until)
        return is_since(release, self.since) and not is_gone and mode in self.modes
