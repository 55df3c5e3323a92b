"""An assumption: a fact about settings and timers that rules take for granted.

Rules have no clocks, and they read few settings. So some of their conditions hold only as long as
one interval ends before another, or as long as two brokers have the same setting. Such a fact is an
assumption. What was proved through it is not proved for a group that does not meet it.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from reference.configuration.broker_group import BrokerConfiguration, BrokerGroup
from reference.roles import Role


@frozen
class RecordedRun:
    """A run of real brokers that did not meet an assumption."""

    name: str
    """The recording's name."""
    release: str
    """The release of its brokers."""
    moments: tuple[tuple[int, str], ...]
    """What happened, each with the sequence number of its line."""


@frozen
class Assumption:
    """One fact that rules take for granted."""

    name: str
    """Its public identifier."""
    is_met: Callable[[BrokerGroup], bool]
    """The settings and the release of these brokers make it true. Raises ValueError or TypeError
    for a setting that cannot be read, which counts as not met."""
    list_settings: Callable[[BrokerGroup], tuple[str, ...]]
    """What decides in a group, as nouns: ``haSendHeartbeatInterval=1000 (slave 1)``."""
    conditions: tuple[str, ...]
    """The conditions of rules that rest on it, as in ``report_offset: is_earlier_put_over``."""
    without_it: str
    """What happens without it, in a sentence for operators."""
    source: str
    """Class and method at a release."""
    runs: tuple[RecordedRun, ...] = ()
    """Runs of real brokers without it."""
    excluded_fault: str = ""
    """The fault that counts steps beyond these conditions, where the rules have such steps: without
    the assumption they need no failure."""
    awaited_steps: tuple[str, ...] = ()
    """Steps that may never be taken without it, so that waiting for them proves nothing."""
    change: str = ""
    """The variant with the rules of groups that do not meet it; empty if no rules are known. With
    them every claim is decided, so that no verdict rests on the assumption."""
    has_change: Callable[[BrokerGroup], bool] = lambda group: True
    """The variant is that of such a group, which does not follow it already by its release."""
    is_about_every_step: bool = False
    """Without it the rules do not describe all that these brokers do: with a variant's rules claims
    are refuted, but none is proved."""


@frozen
class UnmetAssumption:
    """An assumption that a group does not meet."""

    assumption: Assumption
    settings: tuple[str, ...]
    """What decides in the group."""

    def describe(self) -> str:
        """One line: the settings and what follows."""
        return f"{', '.join(self.settings)}: {self.assumption.without_it}"


def is_met_by(assumption: Assumption, group: BrokerGroup) -> bool:
    """Whether a group meets it; a setting that cannot be read counts as not."""
    try:
        return assumption.is_met(group)
    except (KeyError, TypeError, ValueError):
        return False


def find_change(assumption: Assumption, group: BrokerGroup) -> str:
    """The variant that a group follows that does not meet the assumption; empty for none.

    Empty as well where a setting cannot be read.
    """
    try:
        return assumption.change if assumption.has_change(group) else ""
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return ""


def show_values(group: BrokerGroup, *keys: str) -> tuple[str, ...]:
    """The values of these keys on each broker, those that all brokers share once."""
    brokers = (group.master, *group.slaves)
    shared = {key for key in keys if len({show_value(b, key) for b in brokers}) == 1}
    return tuple(
        text
        for key in keys
        for text in (
            [f"{key}={show_value(group.master, key)}"]
            if key in shared
            else [show_of(broker, key) for broker in brokers]
        )
    )


def show_of(broker: BrokerConfiguration, key: str) -> str:
    """The value of a key with its broker: ``haSendHeartbeatInterval=1000 (slave 1)``."""
    name = "master" if broker.role is not Role.SLAVE else f"slave {broker.broker_id}"
    return f"{key}={show_value(broker, key)} ({name})"


def show_value(broker: BrokerConfiguration, key: str) -> str:
    """The value of a key in force, or the text that cannot be read."""
    try:
        return str(broker.get(key))
    except (KeyError, TypeError, ValueError):
        setting = broker.find_setting(key)
        return setting.value if setting else "?"
