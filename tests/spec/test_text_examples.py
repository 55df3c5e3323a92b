"""The examples in chapters about the code do what the text says."""

from __future__ import annotations

import doctest
import re

import pytest

from properties.generated_text import SPEC

BLOCK = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "chapter",
    [
        pytest.param(name, marks=pytest.mark.xdist_group("kernels"))
        for name in ("tutorial.md", "python_api.md")
    ],
)
def test_examples_print_what_the_chapter_shows(chapter: str) -> None:
    """Every block in order, with the names that earlier blocks have made."""
    text = (SPEC / chapter).read_text(encoding="utf-8")
    parser = doctest.DocTestParser()
    examples = [
        doctest.Example(e.source, e.want, e.exc_msg, text[: block.start()].count("\n") + e.lineno)
        for block in BLOCK.finditer(text)
        for e in parser.get_examples(block[1])
    ]
    assert examples
    told: list[str] = []
    test = doctest.DocTest(examples, {}, chapter, str(SPEC / chapter), 1, None)
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.append).failed
    assert not failed, "".join(told)
