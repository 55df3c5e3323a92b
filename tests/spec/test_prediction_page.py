"""The chapter on refuted cells says what certificates and predictions say."""

import re

import pytest

from properties.book import prediction_page
from properties.prediction import load_predictions


def read() -> str:
    """The text of the chapter."""
    return prediction_page.CHAPTER.read_text(encoding="utf-8")


def test_every_prediction_has_its_section() -> None:
    """The classes and each prediction stand once, each between its marks, in their order."""
    names = ["classes", *(p.name for p in load_predictions())]
    for edge in ("begin", "end"):
        assert names == re.findall(rf"<!-- {edge} generated: ([\w ]+) -->", read())
    assert names[1:] == re.findall(r"^### (\w+)$", read(), re.MULTILINE)


def test_a_drift_is_put_right() -> None:
    """What stands between the marks is replaced; a mark of nobody is an error."""
    spoilt = read().replace("## KILLED", "## STOPPED")
    assert spoilt != read()
    assert prediction_page.update(spoilt) == read()
    with pytest.raises(KeyError):
        prediction_page.update(read().replace("generated: classes", "generated: groups"))
