"""The chapter about SPIN is the one that the counts and the exporter give."""

from __future__ import annotations

import re

from book.implementers.model_checkers_page import SPIN_PAGE
from properties.exports.instances import load_spin_counts
from properties.exports.promela import BEGINNING, CHECK_PREFIX
from properties.exports.spin import DEFINES, EVERY_VIOLATION, TRANSLATE
from properties.worlds.judged_instances import JUDGED_INSTANCES

TEXT = SPIN_PAGE.path.read_text(encoding="utf-8")


def test_commands_by_hand_are_those_of_the_judge() -> None:
    """The flags in the text are the ones that the judge gives, and the macros are the model's."""
    commands = "\n".join(re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL))
    assert f"spin {' '.join(TRANSLATE)} -D{CHECK_PREFIX}" in commands
    assert f"cc -O2 {' '.join(DEFINES)} -o pan pan.c" in commands
    assert " ".join(EVERY_VIOLATION) in commands
    assert "#ifdef WIDE" in BEGINNING


def test_number_of_the_example_was_counted() -> None:
    """What the text promises by hand is what was counted."""
    promised = int(re.findall(r"(\d+) states, stored", TEXT)[0])
    judged = next(j for j in JUDGED_INSTANCES if j.name.startswith("SYNC_MASTER/SYNC_FLUSH/0"))
    name = judged.name.replace("none", "master power loss")
    entry = load_spin_counts()[name]
    assert promised == entry["states"]
    assert "(at depth 3)" in TEXT
    assert 3 == entry["shortest"]["read_is_kept_on_master"]
