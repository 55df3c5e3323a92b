"""A toy whose rules change while a test runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from properties.verdicts import certificates
from properties.verdicts.fingerprint import compute_fingerprint
from properties.verdicts.storage.certificate_files import read_document
from properties.verdicts.verdict import search_structure
from properties.worlds.toy import TOY
from properties.z3 import induction
from reference.language.machine import compute_machine, count_arguments, record_machine
from reference.language.rule import RuleBody, when
from reference.worlds.toy import TANK_RULES, Tank

TANK = TOY.structures[0]


def forget() -> None:
    """Let everything be computed of the rules that there are now."""
    for cached in (
        compute_machine,
        record_machine,
        count_arguments,
        compute_fingerprint,
        induction._prove_lemmas,
        induction._list_inductive,
        certificates.decide_fault_models,
    ):
        cached.cache_clear()


@pytest.fixture
def document(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """The certificate of the toy as it is."""
    forget()
    path = certificates.save(TANK, search_structure(TANK), tmp_path)
    yield read_document(path)
    forget()


@pytest.fixture
def change(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Any], None]:
    """Give a rule of the toy other conditions, by what becomes of the named ones."""

    def change_conditions(name: str, become: Callable[[Tank, dict[str, Any]], Any]) -> None:
        function = TANK_RULES[name].function

        def changed(tank: Tank) -> RuleBody:
            steps = function(tank)
            yield when(**become(tank, dict(next(steps).named)))  # type: ignore[call-overload]
            return (yield from steps)

        monkeypatch.setitem(TANK_RULES, name, evolve(TANK_RULES[name], function=changed))
        forget()

    return change_conditions


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Tank], RuleBody]], None]:
    """Give the toy one more rule, of the operator's."""

    def add_rule(function: Callable[[Tank], RuleBody]) -> None:
        name = function.__name__
        added = evolve(TANK_RULES["turn_tap"], name=name, function=function)
        monkeypatch.setitem(TANK_RULES, name, added)
        forget()

    return add_rule
