"""What a release says of itself agrees wherever it is written."""

from __future__ import annotations

import re
import tomllib

import click.testing

from command_line.main import group
from properties.checkout import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_version_is_the_same_everywhere() -> None:
    """In the project's settings, at the top of the changelog, and in what the program prints."""
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert (
        PROJECT["version"] == re.findall(r"^## \[([\d.]+)\] - \d{4}-\d\d-\d\d$", changelog, re.M)[0]
    )
    printed = click.testing.CliRunner().invoke(group, ["--version"]).output
    assert printed.startswith(f"rmqspec {PROJECT['version']},")


def test_the_licence_is_named_and_there() -> None:
    """The files that an installation takes along exist."""
    assert "Apache-2.0" == PROJECT["license"]
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])
