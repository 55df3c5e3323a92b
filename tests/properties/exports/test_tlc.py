"""TLC, the model checker of TLA+, on the exported modules: it accepts them and counts the same."""

from __future__ import annotations

import pytest

from book.implementers.model_checkers_page import write_shown
from properties.exports.instances import JudgedInstance, load_spin_counts
from properties.exports.tla import Module
from properties.exports.tlc import (
    QUICK_STATES_MAX,
    MissingTlcError,
    TlcError,
    ask,
    export,
    find_first_violations,
    find_tlc,
    is_counted,
    list_instances,
    list_kept,
    load_tlc_counts,
    read_result,
    run_tlc,
)
from properties.verdicts.fingerprint import compute_digest
from properties.worlds.replication.structures import STOCK_PAIR

try:
    find_tlc()
    MISSING = ""
except MissingTlcError as problem:
    MISSING = str(problem)

needs_tlc = pytest.mark.skipif(bool(MISSING), reason=MISSING or "TLC is there")

RENEW = (
    "other rules; renew with `python -m properties.exports.tlc`, "
    "then `./rmqspec docs --write spec/tla.md`"
)

INSTANCES = {j.name: j for j in list_instances()}
QUICK = [
    j
    for j in INSTANCES.values()
    if is_counted(j) and load_spin_counts()[j.name]["states"] <= QUICK_STATES_MAX
]
PAIR = next(j for j in INSTANCES.values() if j.structure is STOCK_PAIR and j.fault == "disk errors")


@needs_tlc
@pytest.mark.nightly
@pytest.mark.parametrize("judged", QUICK, ids=lambda j: j.name)
def test_tlc_counts_the_same_states(judged: JudgedInstance) -> None:
    """As many as SPIN and our search; the guarantees that hold are judged on the way."""
    result = run_tlc(export(judged), list_kept(judged))
    assert not result.violated
    assert result.states == load_spin_counts()[judged.name]["states"], RENEW


@needs_tlc
@pytest.mark.nightly
@pytest.mark.parametrize("claim", ["slave_is_prefix_of_master", "message_is_stored_once"])
def test_tlc_finds_violations_of_a_pair_of_the_same_length(claim: str) -> None:
    """Breadth first, so as few steps as ours."""
    result = run_tlc(export(PAIR), [claim])
    assert (result.violated, result.steps) == (
        claim,
        load_spin_counts()[PAIR.name]["shortest"][claim],
    )


@needs_tlc
@pytest.mark.nightly
@pytest.mark.parametrize("name", ["reading/open slow", "delay/4.4.0"])
def test_one_search_finds_the_first_violation_of_each_claim(name: str) -> None:
    """As a search for each of them does, and no violation of what holds."""
    judged = next(j for j in INSTANCES.values() if j.name.startswith(name))
    module, shortest = export(judged), load_spin_counts()[judged.name]["shortest"]
    alone = {claim: run_tlc(module, [claim]).steps for claim in shortest}
    assert alone == shortest
    claims = [*list_kept(judged), *shortest, "FALSE"]
    assert {**alone, "FALSE": 0} == find_first_violations(module, claims)


@needs_tlc
@pytest.mark.nightly
@pytest.mark.parametrize("judged", INSTANCES.values(), ids=lambda j: j.name)
def test_tlc_agrees_on_everything(judged: JudgedInstance) -> None:
    """States, violated guarantees, shortest lengths: as recorded, and as SPIN says."""
    found = ask(judged)
    assert found == load_tlc_counts()[judged.name], RENEW


@pytest.mark.parametrize("name", INSTANCES)
def test_recorded_counts_are_spins(name: str) -> None:
    """The data was made from the rules as they are, and nobody contradicts anybody."""
    entry, spins = load_tlc_counts()[name], load_spin_counts()[name]
    assert compute_digest(INSTANCES[name].structure) == entry["digest"], RENEW
    assert entry["shortest"] == spins["shortest"]
    assert entry["states"] in (None, spins["states"])
    assert (entry["states"] is not None) == is_counted(INSTANCES[name])


@needs_tlc
@pytest.mark.nightly
def test_a_wrong_module_is_noticed() -> None:
    """Another condition gives other states; a text that is none is refused in one line."""
    judged = QUICK[0]
    module = export(judged)
    wrong = module.text.replace("fill_file ==\n    /\\ is_store_open", "fill_file ==\n    /\\ TRUE")
    assert wrong != module.text
    other = Module(module.name, wrong, module.configuration, 0, 0)
    assert run_tlc(other, ()).states != load_spin_counts()[judged.name]["states"]
    broken = Module(module.name, module.text.replace("Init ==", "Init =="[:-1]), "", 0, 0)
    with pytest.raises(TlcError, match="did not finish"):
        run_tlc(broken, ())


@needs_tlc
@pytest.mark.nightly
def test_the_kept_module_is_accepted() -> None:
    """The module of the stock pair as it lies in spec/, with a guarantee that falls at once."""
    result = run_tlc(write_shown(), ["message_is_stored_once"])
    assert (result.violated, result.steps) == ("message_is_stored_once", 3)


def test_output_that_is_not_understood_is_refused() -> None:
    """No counts, no answer."""
    with pytest.raises(TlcError, match="no message"):
        read_result("java: command not found")


def test_every_world_is_among_the_instances() -> None:
    """TLC has judged all four."""
    assert 4 == len({type(j.structure) for j in INSTANCES.values()})
