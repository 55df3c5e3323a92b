"""The chapter on refuted cells says what certificates and predictions say."""

import re

from book.usage import prediction_page
from properties.scenarios.predictions import load_predictions


def read() -> str:
    """The text of the chapter."""
    return prediction_page.PAGE.path.read_text(encoding="utf-8")


def test_every_prediction_has_its_section() -> None:
    """Each prediction stands once, below its name, in the order of the data."""
    names = [prediction.name for prediction in load_predictions()]
    assert names == re.findall(r"^### (\w+)$", read(), re.MULTILINE)
