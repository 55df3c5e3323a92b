"""What only a search knows: no edit and no merge changes it without being noticed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line.output import exit_codes
from properties.schedules.judgement import find_needless_steps, is_refuted_by
from properties.verdicts import certificates
from properties.verdicts.fingerprint import SEAL, compute_seal, is_sealed
from properties.verdicts.renewal import list_added, renew
from properties.verdicts.storage.certificate_files import read_document
from properties.verdicts.verdict import InternalDisagreementError, VerdictWord, search_structure
from properties.worlds.toy import TOY
from tests.command_line.run import CONF, assert_one_line, run
from tests.structures import SYNCHRONOUS_PAIR

TANK = TOY.structures[0]
CLAIM, FAULT = "acknowledgement_is_truthful", "every fault"

Document = dict[str, Any]


def read() -> Document:
    """The certificate of the synchronous pair."""
    document = certificates.load(SYNCHRONOUS_PAIR)
    assert document is not None
    return document


def find_cell(document: Document, claim: str = CLAIM, fault: str = FAULT) -> Document:
    """One of its cells."""
    cells: list[Document] = document["cells"]
    return next(c for c in cells if (c["guarantee"], c["fault"]) == (claim, fault))


def leave_open(document: Document) -> None:
    """A refuted cell becomes an undecided one."""
    cell = find_cell(document)
    assert cell["verdict"] == "refuted"
    del cell["schedule"]
    cell |= {"verdict": "undecided", "is_shortest": False}


def lengthen(document: Document) -> None:
    """A longer schedule without a needless step takes the place of the shortest one."""
    later, sooner = find_cell(document), find_cell(document, fault="master power loss")
    assert len(later["schedule"]) < len(sooner["schedule"])
    later["schedule"] = sooner["schedule"]


def claim_shortest(document: Document) -> None:
    """A schedule of which that is not known is called the shortest."""
    cell = next(c for c in document["cells"] if c.get("is_shortest") is False)
    del cell["is_shortest"]


def take_rules_of_another(document: Document) -> None:
    """A merge takes rules from one side, and verdicts from the other."""
    rules = document["fingerprint"]["rules"]
    first, second, *_ = rules
    rules[first], rules[second] = rules[second], rules[first]


def remove_seal(document: Document) -> None:
    """A certificate of an earlier program, or half of a merge."""
    del document[SEAL]


EDITS = (leave_open, lengthen, claim_shortest, take_rules_of_another, remove_seal)


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_certificate_has_a_broken_seal(edit: Callable[[Document], None]) -> None:
    """Whatever is changed of what only a search knows."""
    document = read()
    assert is_sealed(document)
    edit(document)
    assert not is_sealed(document)


@pytest.mark.parametrize("edit", [leave_open, lengthen, claim_shortest, remove_seal])
def test_it_is_not_used(edit: Callable[[Document], None], tmp_path: Path) -> None:
    """It gives no answer, and the message says what to do."""
    document = read()
    edit(document)
    certificates.write(SYNCHRONOUS_PAIR, document, tmp_path)
    with pytest.raises(InternalDisagreementError, match=r"prove --search --structure"):
        certificates.load(SYNCHRONOUS_PAIR, tmp_path)


def test_check_says_which_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, and the code of an internal disagreement."""
    document = read()
    leave_open(document)
    monkeypatch.setattr(certificates, "read", lambda structure, folder=None: document)
    result = run("check", CONF / "2m-2s-sync", env={"XDG_CACHE_HOME": str(tmp_path)})
    told = assert_one_line(result, exit_codes.INTERNAL_DISAGREEMENT)
    assert SYNCHRONOUS_PAIR.name in told


def test_a_seal_does_not_excuse_what_is_expected_otherwise() -> None:
    """Expected verdicts are a second source: what they decide is not left open."""
    document = read()
    leave_open(document)
    document[SEAL] = compute_seal(document)
    assert is_sealed(document)
    with pytest.raises(InternalDisagreementError, match=f"{CLAIM} under {FAULT} undecided"):
        certificates.decode_cells(SYNCHRONOUS_PAIR, document)


def test_every_certificate_is_sealed() -> None:
    """Those that are shipped."""
    found = 0
    for path in certificates.CERTIFICATE_FOLDER.rglob("*.json"):
        document = read_document(path)
        if isinstance(document, dict) and "inductive_set" in document:
            found += 1
            assert is_sealed(document), path
    assert found > 200


def test_a_renewal_trusts_no_broken_seal(tmp_path: Path) -> None:
    """It keeps words and schedules, and no claim that one is the shortest."""
    verdicts = search_structure(TANK)
    path = certificates.save(TANK, verdicts, tmp_path)
    for is_broken in (False, True):
        document = read_document(path)
        del document["fingerprint"]["claims"]["tank_never_overflows"]
        document[SEAL] = "" if is_broken else compute_seal(document)
        renewed = renew(TANK, document).verdicts
        refuted = [v for v in renewed if v.word is VerdictWord.REFUTED]
        assert [v.word for v in verdicts] == [v.word for v in renewed]
        kept = [v for v in refuted if v.guarantee != "tank_never_overflows"]
        assert kept
        assert all(v.is_shortest is not is_broken for v in kept)


def test_additions_are_not_searched_from_a_broken_seal(tmp_path: Path) -> None:
    """What was searched before is not known."""
    path = certificates.save(TANK, search_structure(TANK), tmp_path)
    document = read_document(path)
    name = next(iter(document["fingerprint"]["rules"]))
    del document["fingerprint"]["rules"][name]
    document[SEAL] = compute_seal(document)
    assert (name,) == list_added(TANK, document)
    document[SEAL] = ""
    assert () == list_added(TANK, document)


def test_the_longer_schedule_is_one_that_only_a_seal_refuses() -> None:
    """It refutes, and needs every step: nothing else would notice it."""
    document = read()
    lengthen(document)
    world = SYNCHRONOUS_PAIR.world
    parameters = world.make_search_parameters(world.get_fault_model(FAULT))
    schedule = certificates.decode_schedule(find_cell(document)["schedule"])

    def is_refuting(trial: Any) -> bool:
        return is_refuted_by(CLAIM, SYNCHRONOUS_PAIR, parameters, trial)

    assert is_refuting(schedule)
    assert [] == find_needless_steps(schedule, is_refuting)
