"""The option that names Spark's master; it needs no Spark."""

from __future__ import annotations

import re

import click

MASTERS = re.compile(r"local(\[[0-9*, ]+\])?|local-cluster\[.+\]|(spark|k8s|yarn)(://.+)?")


def parse_master(ctx: click.Context, parameter: click.Parameter, value: str) -> str:
    """A master URL of a form that Spark knows."""
    if not MASTERS.fullmatch(value):
        raise click.BadParameter("give local[N] or spark://HOST:PORT", ctx, parameter)
    return value
