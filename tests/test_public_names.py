"""The names that testers import are what their modules define."""

from __future__ import annotations

from importlib import import_module

import pytest

import rmqspec
from properties.generated_text import SPEC


@pytest.mark.parametrize("name", rmqspec.__all__)
def test_a_public_name_is_what_its_module_defines(name: str) -> None:
    """And the book says how it is used."""
    assert getattr(rmqspec, name) is getattr(import_module(rmqspec.HOMES[name]), name)
    book = (SPEC / "python_api.md").read_text("utf-8") + (SPEC / "tutorial.md").read_text("utf-8")
    assert f"`{name}`" in book or f"{name}(" in book


def test_an_unknown_name_is_told_with_those_that_there_are() -> None:
    """One line, as for any module."""
    assert set(rmqspec.HOMES) == set(rmqspec.__all__)
    with pytest.raises(AttributeError, match="rmqspec has no nothing; it has STRUCTURES, between"):
        rmqspec.nothing  # noqa: B018
