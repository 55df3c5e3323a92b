"""Verbs that work on the project itself say so where it is not there."""

from __future__ import annotations

from reference.checkout import IS_CHECKOUT
from spark_fuzz.campaign.java import MissingPrerequisiteError


def check_is_checkout(command: str) -> None:
    """Raise MissingPrerequisiteError where the program is an installed copy."""
    if not IS_CHECKOUT:
        raise MissingPrerequisiteError(
            f"`rmqspec {command}` needs a checkout of the project, and this is an installed copy"
        )
