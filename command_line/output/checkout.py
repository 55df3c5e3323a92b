"""Verbs that work on the project itself say so where it is not there."""

from __future__ import annotations

from properties.checkout import IS_CHECKOUT
from spark_fuzz.campaign.java import MissingPrerequisiteError


def check_may_rewrite(command: str) -> None:
    """Raise MissingPrerequisiteError where a verb would write into an installed copy."""
    if not IS_CHECKOUT:
        raise MissingPrerequisiteError(
            f"`rmqspec {command}` needs a checkout of the project, because it rewrites "
            f"certificates: run `./rmqspec {command}` there"
        )


def check_is_checkout(command: str) -> None:
    """Raise MissingPrerequisiteError where the program is an installed copy."""
    if not IS_CHECKOUT:
        raise MissingPrerequisiteError(
            f"`rmqspec {command}` needs a checkout of the project, and this is an installed copy"
        )
