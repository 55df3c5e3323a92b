"""Broker files for tests: written, read, refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from brokers.configuration_files import read_deployments
from reference.configuration.broker_group import (
    BrokerConfiguration,
    BrokerGroup,
    ConfigurationError,
)

STOCK = Path(__file__).parents[1] / "data" / "conf"
STOCK_CONTROLLER = STOCK.parent / "conf_5x" / "controller" / "quick-start"

MASTER = "brokerName=broker-a\nbrokerRole=SYNC_MASTER\n"
SLAVE = "brokerName=broker-a\nbrokerRole=SLAVE\nbrokerId=1\n"


def write(folder: Path, **texts: str) -> Path:
    """One ``.properties`` file for each keyword."""
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.properties").write_text(text, encoding="utf-8")
    return folder


def read_group(folder: Path, **texts: str) -> BrokerGroup:
    """The only group of these files."""
    deployments, _ = read_deployments([write(folder, **texts)])
    return deployments[0].groups[0]


def read_broker(folder: Path, text: str) -> BrokerConfiguration:
    """The only broker of this file."""
    return read_group(folder, a=text).master


def read_warnings(folder: Path, **texts: str) -> list[str]:
    """Warnings with the folder cut off."""
    _, warnings = read_deployments([write(folder, **texts)])
    return [str(warning).removeprefix(f"{folder}/") for warning in warnings]


def refuse(*paths: Path, is_strict: bool = False) -> str:
    """The message with which the paths are refused."""
    with pytest.raises(ConfigurationError) as caught:
        read_deployments(paths, is_strict=is_strict)
    return str(caught.value)
