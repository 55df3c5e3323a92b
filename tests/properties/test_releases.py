"""Releases: their certificates hold, and what the chapters on versions say of them is so."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from attrs import evolve

from properties.comparison.difference_search import (
    LOOKED_AT,
    RULE_SET_NAMES,
    check_differences,
    get_released,
    load_differences,
)
from properties.comparison.repairs import (
    decide_repair,
    find_proved,
    list_repaired_releases,
    load_all_repairs,
    load_repairs,
    save_repairs,
)
from properties.comparison.upgrades import (
    Turn,
    compute_changes,
    compute_difference,
    compute_difference_changes,
    group_alike,
    list_turned,
)
from properties.schedules.judgement import is_refuted_by
from properties.verdicts import certificates
from properties.verdicts.certificates import load_cells
from properties.verdicts.expectations import find_expectation
from properties.verdicts.storage.certificate_files import read_entries
from properties.verdicts.verdict import InternalDisagreementError, VerdictWord
from properties.worlds.catalogue import Tag, list_tagged_groups
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import DIFFERENCES, ClaimedGroup
from reference.language.fault_account import count_fault, is_within_limit
from reference.language.rule import RuleBody, between, replace_at, rule, when
from reference.language.variant import Variant
from reference.releases.versions import parse_version
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.connection import change_link
from reference.worlds.replication.parameters import Parameters
from reference.worlds.replication.replication import (
    compute_frame_max_bytes,
    compute_log_to_append,
    has_bytes_in_flight,
    is_accepting,
    is_in_step,
)
from reference.worlds.replication.state import Cluster
from tests.structures import SYNCHRONOUS_PAIR, name_of

BETTER = ("4.5.1", "4.6.0", "4.7.0", "4.9.3", "5.0.0-quorum")
"""Releases with other rules than 4.4.0, of which no cell is worse."""
MENDED = {
    "dispatch_reaches_the_end": "4.5.1",
    "acknowledgement_is_truthful": "4.7.0",
    "acknowledged_is_held_twice": "4.7.0",
}
"""What turns, and since when: an overtaken dispatch goes on, and a put waits for both at once."""
QUICK = ("4.9.3", "5.0.0-quorum", "5.0.0-controller")
"""The releases whose certificates are checked again in each run; the others are nightly."""
LATER = [name for name in RULE_SET_NAMES if name != "4.4.0"]


def get_words(structure: ClaimedGroup) -> dict[tuple[str, str], VerdictWord]:
    """The certified words of a structure."""
    return {(v.guarantee, v.fault): v.word for v in load_cells(structure).values()}


@pytest.mark.parametrize("name", BETTER)
@pytest.mark.parametrize("structure", list_tagged_groups(Tag.RELEASED), ids=name_of)
def test_no_cell_gets_worse(structure: ClaimedGroup, name: str) -> None:
    """What 4.x repaired, and inSyncReplicas=2 of 5.x, are no losses; what turns is mended."""
    before, after = get_words(structure), get_words(get_released(name, structure))
    turned = {key for key, word in before.items() if after[key] is not word}
    assert {after[key] for key in turned} <= {VerdictWord.PROVED}
    for claim, since in MENDED.items():
        is_mended = claim in {key[0] for key in turned}
        is_both = claim == "dispatch_reaches_the_end" or (
            structure.is_sync_master and structure.is_sync_flush and structure.slaves > 0
        )
        assert is_mended is (is_both and since <= name)
    assert {key[0] for key in turned} <= set(MENDED)


@pytest.mark.parametrize("name", ["4.7.1", "4.8.0"])
@pytest.mark.parametrize("structure", list_tagged_groups(Tag.RELEASED), ids=name_of)
def test_puts_that_wait_in_turn_are_acknowledged_too_soon(
    structure: ClaimedGroup, name: str
) -> None:
    """Without any failure a slave may report a put that it has in part; nothing else falls."""
    before, after = (get_words(get_released(n, structure)) for n in ("4.7.0", name))
    turned = {key for key, word in before.items() if after[key] is not word}
    assert {after[key] for key in turned} <= {VerdictWord.REFUTED}
    claims = {"acknowledgement_is_truthful", "acknowledged_is_held_twice"}
    is_pair = structure.is_sync_master and structure.slaves > 0
    assert {claim for claim, _ in turned} == (claims if is_pair else set())
    assert all((claim, "none") in turned for claim in claims) is is_pair


@pytest.mark.parametrize("name", LATER)
def test_every_cell_of_a_release_is_as_expected(name: str) -> None:
    """All are decided, but for what is left open of a controller, which is expected too."""
    for structure in dict.fromkeys(get_released(name, s) for s in list_tagged_groups(Tag.RELEASED)):
        for (guarantee, fault), word in get_words(structure).items():
            assert word is find_expectation(guarantee, structure, fault).verdict


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.nightly) for n in LATER]
)
def test_certificates_of_releases_hold(name: str) -> None:
    """Lemmas prove again, schedules refute again: the stock synchronous pair."""
    structure = get_released(name, SYNCHRONOUS_PAIR)
    document = certificates.load_required(structure)
    assert len(load_cells(structure)) == len(
        certificates.recheck(structure, Parameters(), document)
    )


@pytest.mark.parametrize(
    "name", [n if n == "4.9.3" else pytest.param(n, marks=pytest.mark.nightly) for n in LOOKED_AT]
)
def test_observable_differences_are_reached_or_impossible(name: str) -> None:
    """Each schedule ends in its difference, each impossible one is excluded by induction."""
    differences = load_differences(name)
    assert list(DIFFERENCES) == [difference.name for difference in differences]
    assert [] == list(check_differences(name, differences))


def test_observable_differences_tell_releases_apart() -> None:
    """Each is possible in some release or with a repair; most are impossible in another."""
    table = {name: load_differences(name) for name in LOOKED_AT}
    for index in range(len(DIFFERENCES)):
        assert {row[index].is_impossible for row in table.values()} >= {False}
    both = [
        i for i in range(len(DIFFERENCES)) if any(row[i].is_impossible for row in table.values())
    ]
    assert len(both) >= len(DIFFERENCES) - 2


def test_both_false_acknowledgements_live_on() -> None:
    """They are in every release that waits for a slave without a controller."""
    for release in list_repaired_releases():
        seen = {s.name: s for s in load_differences(release)}
        assert seen["a_slave_ahead_answers_a_put"].schedule
        assert seen["an_empty_slave_answers_a_put"].schedule
    seen = {s.name: s for s in load_differences("5.0.0")}
    assert seen["an_empty_slave_answers_a_put"].is_impossible
    seen = {s.name: s for s in load_differences("5.0.0-controller")}
    rules = {action.rule_name for action in seen["an_empty_slave_answers_a_put"].schedule}
    assert {"fail_file_creation", "append_at_wrong_offset"} <= rules


def test_repairs_cost_no_cell() -> None:
    """The one of the transfer start removes both lies in every release that has them."""
    repairs = load_all_repairs()
    assert {r.release for r in repairs} == set(list_repaired_releases())
    for repair in repairs:
        assert () == repair.lost
        if repair.variant == "ack_above_transfer_start":
            assert {"late join", "master power loss"} <= set(repair.repaired_columns)
            assert () == repair.endless


@pytest.mark.parametrize(
    ("release", "variant"),
    [
        ("4.9.3", "ack_above_transfer_start"),
        pytest.param("5.0.0-quorum", "epoch_check", marks=pytest.mark.nightly),
    ],
)
def test_a_repair_is_decided_as_it_is_stored(release: str, variant: str) -> None:
    """Induction comes to the same again."""
    assert decide_repair(release, variant) in load_all_repairs()


def test_repairs_of_one_release_are_written_alone(tmp_path: Path) -> None:
    """Those of others are kept; what is missing or damaged is said to be so."""
    path = tmp_path / "repairs.json"
    for release in ("4.9.3", "4.4.0"):
        save_repairs(release, load_repairs(release), path)
    assert ["4.4.0", "4.9.3"] == list(read_entries(path))
    assert load_repairs("4.9.3") == load_repairs("4.9.3", path)
    with pytest.raises(InternalDisagreementError, match=r'renew "repairs of 5\.0\.0-quorum"'):
        load_repairs("5.0.0-quorum", path)
    path.write_text("{")
    with pytest.raises(InternalDisagreementError, match=r"no repair of 4\.9\.3 is stored"):
        load_repairs("4.9.3", path)


def test_the_stock_pair_loses_its_promises_in_5() -> None:
    """A SYNC_MASTER that waits for nobody holds what an ASYNC_MASTER holds."""
    before, after = (
        load_cells(get_released(name, SYNCHRONOUS_PAIR)).values() for name in ("4.9.3", "5.0.0")
    )
    changes = compute_changes(before, after)
    worse = list_turned(changes, Turn.WORSE)
    assert {"acknowledged_is_held_twice", "acknowledgement_is_truthful"} == {
        c.after.guarantee for c in worse
    }
    assert [] == list_turned(changes, Turn.BETTER)
    back = compute_changes(after, before)
    assert len(worse) == len(list_turned(back, Turn.BETTER))
    assert sum(len(alike) for alike in group_alike(changes)) == len(changes)
    asynchronous = get_released("4.9.3", CERTIFIED_BY_NAME["ASYNC_MASTER/ASYNC_FLUSH/1 slave"])
    assert get_words(asynchronous) == get_words(get_released("5.0.0", SYNCHRONOUS_PAIR))


def test_a_check_of_reports_closes_short_ways() -> None:
    """From 4.9.3 on the short way to a stuck group is gone; another one is not."""
    name, fault = "slaves_reach_the_masters_end", "master power loss"
    before, after = (get_released(release, SYNCHRONOUS_PAIR) for release in ("4.7.0", "4.9.3"))
    schedule = next(
        v.schedule for v in load_cells(before).values() if (v.guarantee, v.fault) == (name, fault)
    )
    world = before.world
    parameters = world.make_search_parameters(world.get_fault_model(fault))
    assert is_refuted_by(name, before, parameters, schedule)
    assert not is_refuted_by(name, after, parameters, schedule)
    assert get_words(before) == get_words(after)


def test_a_difference_has_two_sides() -> None:
    """What an upgrade brings, a downgrade takes away."""
    old, new = parse_version("4.4.0"), parse_version("4.9.8")
    there, back = compute_difference(old, new), compute_difference(new, old)
    assert there.gained == back.lost
    assert () == there.lost
    assert {"report_capped_from_second", "slave_timeout"} <= {c.name for c in there.gained}
    changed = {before.name for before, _ in compute_difference_changes(old, new)}
    assert "reports_use_up_the_wait" in changed
    assert [] == compute_difference_changes(parse_version("4.9.3"), new)


def test_what_is_proved_stays_proved_if_unwritten_frames_are_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From 5.3.4 on a failed write is not counted (failed_append_not_counted): no rule has this."""
    changed = Variant("dropped", "A slave drops a frame that it fails to write.", "Issue 9693.")

    @rule(who="fault", source="DefaultMappedFile#appendMessage", into=changed.rules, says="drops")
    def drop_unwritten_frame(cluster: Cluster, slave: int) -> RuleBody:
        """The file is there, the frame is not, and the next one does not fit."""
        broker, link = cluster.slaves[slave], cluster.links[slave]
        yield when(
            is_link_open=link.is_open,
            is_accepting=is_accepting(broker),
            has_bytes_in_flight=has_bytes_in_flight(link),
            is_in_step=is_in_step(broker, link),
            is_within_limit=is_within_limit(cluster, "swallowed_disk_errors"),
        )
        size = yield between("size_bytes", 1, compute_frame_max_bytes(cluster, slave))
        log = compute_log_to_append(cluster, slave)
        slaves = replace_at(cluster.slaves, slave, evolve(broker, log=log))
        arrived, reported = link.arrived_offset + size, log.max_offset
        opened = evolve(cluster, slaves=slaves)
        dropped = change_link(opened, slave, arrived_offset=arrived, reported_offset=reported)
        return count_fault(dropped, "swallowed_disk_errors")

    monkeypatch.setitem(cast(dict[str, Variant], VARIANTS), "dropped", changed)
    proved = set(find_proved(get_released("5.3.0-quorum", SYNCHRONOUS_PAIR)))
    dropping = evolve(SYNCHRONOUS_PAIR, variants=("dropped", "5.3.0-quorum"))
    assert proved
    assert proved <= set(find_proved(dropping))
