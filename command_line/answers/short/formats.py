"""The short answer in each of its formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from command_line.answers.short.groups import ShortAnswer
from command_line.answers.short.junit import render_junit
from command_line.answers.short.markdown import render_markdown
from command_line.answers.short.page import render_page
from command_line.answers.short.sarif import render_sarif
from command_line.answers.short.screen import get_width, render_screen
from command_line.answers.short.shown import ShownAnswers
from reference.configuration.broker_group import ConfigurationWarning
from reference.releases.versions import Version

RENDERERS: Mapping[str, Callable[[ShownAnswers], str]] = {
    "markdown": render_markdown,
    "sarif": render_sarif,
    "junit": render_junit,
    "html": render_page,
}
"""The writer of each format except text, which needs a width."""


def render(  # noqa: PLR0913, PLR0917
    output: str,
    answers: Sequence[ShortAnswer],
    before: Sequence[ShortAnswer],
    warnings: Sequence[ConfigurationWarning],
    version: Version,
    words: Sequence[str],
) -> str:
    """The answers in a format; ``before`` are those without what is changed, or nothing."""
    shown = ShownAnswers(tuple(answers), tuple(before), tuple(warnings), version, tuple(words))
    if output == "text":
        return render_screen(shown, get_width())
    return RENDERERS[output](shown)
