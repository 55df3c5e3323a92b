"""The settings that the page for operators recommends, with the verdicts that they rest on."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from book.links import link_claim
from book.operators.cells import find_vacuous
from properties.verdicts.certificates import load_cells
from properties.worlds.catalogue import STRUCTURES
from reference.configuration.keys import BROKER_CONFIG, MESSAGE_STORE_CONFIG
from reference.decisions.clients.sending import SendSettings
from reference.decisions.progress.client_offsets import ConsumeFromWhere

SETTINGS_FILE = Path(__file__).parent / "settings.toml"

CLIENT_DEFAULTS: Mapping[str, Any] = {
    "sendMsgTimeout": SendSettings().timeout_ms,
    "retryTimesWhenSendFailed": SendSettings().retries,
    "retryAnotherBrokerWhenNotStoreOK": SendSettings().is_weak_status_retried,
    "consumeFromWhere": ConsumeFromWhere.LAST_OFFSET.value,
}
"""What clients do where nothing is set."""


@frozen
class RecommendedSetting:
    """A key, its recommended value, the reason, and the cells that show it."""

    key: str
    value: str
    why: str
    verdicts: tuple[tuple[str, str, str], ...] = field(converter=tuple)
    """Structure, claim, column."""

    @property
    def default(self) -> str:
        """What RocketMQ 4.4.0 does where it is not set; empty where it is no key."""
        if self.key in CLIENT_DEFAULTS:
            return say_value(CLIENT_DEFAULTS[self.key])
        known = {**MESSAGE_STORE_CONFIG, **BROKER_CONFIG}
        return say_value(known[self.key].default) if self.key in known else ""

    @property
    def name(self) -> str:
        """The key as code; what is no key as it is."""
        return f"`{self.key}`" if self.default else self.key


def say_value(value: Any) -> str:
    """A value as a properties file has it."""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


@cache
def load_settings() -> tuple[RecommendedSetting, ...]:
    """Every setting, in the order of the table."""
    entries: list[dict[str, Any]] = tomllib.loads(SETTINGS_FILE.read_text())["setting"]
    return tuple(RecommendedSetting(**entry) for entry in entries)


def list_rows() -> Iterator[Iterable[str]]:
    """The rows of the table."""
    for each in load_settings():
        verdicts = "; ".join(say_verdict(*cell) for cell in each.verdicts)
        yield (each.name, each.default, each.value, each.why, verdicts)


def say_verdict(structure_name: str, claim: str, fault: str) -> str:
    """A cell: in which group, what is claimed, under which faults, and the verdict."""
    cell = load_cells(STRUCTURES[structure_name])[claim, fault]
    word = cell.dispute or cell.word.value
    if (claim, fault) in find_vacuous(structure_name):
        word += " (vacuous)"
    return f"`{structure_name}`, {link_claim(claim)}, {fault}: {word}"
