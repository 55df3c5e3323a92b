"""The text of every ``--help``, as it is recorded for a checkout without an environment."""

from __future__ import annotations

from collections.abc import Iterator

import click

from command_line.output.recorded_help import FILE, VERSION

WIDTH = 78
"""Columns of a recorded text: those of a terminal of 80 columns or more, without its margin."""

HEAD = (
    "# The text of every --help, for a checkout that has no environment yet; written by\n"
    "# `rmqspec docs --write`.\n\n"
)


def render_help_texts() -> str:
    """The file of recorded texts."""
    return HEAD + "\n".join(f"\"{key}\" = '''\n{text}'''\n" for key, text in list_texts())


def list_texts() -> Iterator[tuple[str, str]]:
    """Each text by its key: the version, the program, each verb."""
    # The program loads this module for `docs`, so it is complete only when this is called.
    from command_line.main import VERSION_LINE, group  # noqa: PLC0415

    yield VERSION, f"{VERSION_LINE}\n"
    root = make_context(group, None, "rmqspec")
    yield from list_helps(group, root, "")


def list_helps(
    command: click.Command, context: click.Context, key: str
) -> Iterator[tuple[str, str]]:
    """The text of a command, and of those below it."""
    yield key, f"{command.get_help(context)}\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            each = command.get_command(context, name)
            assert each is not None, name
            inside = make_context(each, context, name)
            yield from list_helps(each, inside, f"{key} {name}".strip())


def make_context(command: click.Command, parent: click.Context | None, name: str) -> click.Context:
    """The context in which a command's help is formatted, always as wide."""
    settings = {**command.context_settings, "terminal_width": WIDTH}
    return click.Context(command, parent=parent, info_name=name, **settings)


__all__ = ["FILE", "render_help_texts"]
