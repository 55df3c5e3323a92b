"""Wordings are those of real lines, and say which events and signs they are."""

from __future__ import annotations

import ast
import inspect
import string

import pytest

from brokers.broker_logs import watching
from brokers.broker_logs.folders import LOGS, find_brokers
from brokers.broker_logs.lines import read_lines
from brokers.broker_logs.unseen import list_unseen
from brokers.broker_logs.wordings import (
    FIELD,
    RELEASES,
    Matcher,
    Wording,
    load_plain_lines,
    load_wordings,
)
from brokers.recordings.kinds import EXPLAINED_KINDS, IGNORED_KINDS
from properties.scenarios.procedures.signs import Sign, load_pair_signs, load_signs
from tests.brokers.broker_logs.real_logs import LOGGED, list_recorded_lines, unpack_logs

WORDINGS = load_wordings()


@pytest.fixture(name="seen", scope="module")
def gather_seen(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    """Every wording, and the words, of a line that a real broker wrote."""
    matcher, seen = Matcher(WORDINGS), set()
    folder = tmp_path_factory.mktemp("logs")
    lines = [(log, *line) for line in list_recorded_lines() for log in LOGS]
    for name in LOGGED:
        for broker in find_brokers([unpack_logs(name, folder)]):
            told = read_lines(dict(broker.files), pytest.fail)
            lines += [(line.log, line.thread, line.text) for line in told]
    for log, thread, text in lines:
        if match := matcher.match(log, thread, text):
            seen.add((match.wording.name, match.text))
    return seen


@pytest.mark.parametrize("wording", WORDINGS, ids=lambda each: each.name)
def test_a_real_line_has_the_words(wording: Wording, seen: set[tuple[str, str]]) -> None:
    """Or the form is marked as read in the source only."""
    for form in wording.forms:
        assert form.is_inferred is ((wording.name, form.text) not in seen), form.text


@pytest.mark.parametrize("wording", WORDINGS, ids=lambda each: each.name)
def test_wordings_are_well_formed(wording: Wording) -> None:
    """A known file, kind of event and release; each form has the fields that the words need."""
    assert wording.log in LOGS
    assert wording.event in {"", "config", *EXPLAINED_KINDS, *IGNORED_KINDS}
    needed = {name for _, name, _, _ in string.Formatter().parse(wording.says) if name}
    for form in wording.forms:
        assert form.at
        assert set(form.at) <= set(RELEASES)
        assert "#" in form.source
        assert needed <= {found[1] for found in FIELD.finditer(form.text) if found[1]}


def test_names_are_unique() -> None:
    """Of wordings and of signs."""
    names = [wording.name for wording in WORDINGS]
    assert len(names) == len(set(names))
    signs = [sign.name for sign in (*load_pair_signs(), *load_signs())]
    assert len(signs) == len(set(signs))


def find_texts(source: str) -> set[str]:
    """Every text that stands in a program."""
    nodes = ast.walk(ast.parse(source))
    return {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def test_every_sign_can_be_found() -> None:
    """By a wording that is one, or by the watch; and every sign of a wording has a meaning."""
    known = {sign.name for sign in (*load_pair_signs(), *load_signs())}
    by_wording = {each.sign for each in (*WORDINGS, *load_plain_lines()) if each.sign}
    assert by_wording <= known
    assert set() == known - by_wording - find_texts(inspect.getsource(watching))


def test_the_watch_follows_known_wordings() -> None:
    """Each of its functions is named after one."""
    prefix = "_see_"
    names = {
        name.removeprefix(prefix) for name in vars(watching.LogWatch) if name.startswith(prefix)
    }
    assert names
    assert names <= {wording.name for wording in WORDINGS}


@pytest.mark.parametrize("sign", load_signs(), ids=lambda each: each.name)
def test_lines_of_controller_signs_are_wordings(sign: Sign) -> None:
    """What the operators' guide quotes is part of a wording."""
    fixed = sign.log.split("[")[0].strip()
    assert any(fixed in form.text for wording in WORDINGS for form in wording.forms)


def test_what_is_not_logged_depends_on_the_release() -> None:
    """Later ones log more."""
    assert set(list_unseen("5.3.3")) < set(list_unseen("4.9.8")) < set(list_unseen("4.4.0"))
    assert set(list_unseen()) == set(list_unseen("4.4.0"))
