"""What real 4.4.0 brokers left on disk is found to be what is known of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from brokers.disk.comparison.accounting import list_missing
from brokers.disk.comparison.handshake import (
    HandshakeOutcome,
    HandshakeReaction,
    compute_handshake,
    find_consistent_point,
)
from brokers.disk.comparison.table_comparison import TableKind
from brokers.disk.files.checkpoint_files import Epoch
from brokers.disk.findings import FindingKind
from brokers.disk.reading import read_stored_broker
from command_line.answers.stores.mending import Mend, choose_mend
from command_line.answers.stores.pair import Pair, compare_stores
from reference.releases.start_rules import make_start_rules
from tests.brokers.disk.real_stores import PAIRS, SINGLE, unpack

LATER = "v533_"
"""How names of pairs of 5.3.3 begin."""
KINDS = {
    "delay_promotion_keep": FindingKind.DIVERGED,
    "empty_first_file": FindingKind.FOREIGN,
    "equal_versions": FindingKind.EQUAL,
    "full_file_skipped": FindingKind.GAP,
    "group_skip_old": FindingKind.EQUAL,
    "operators_torn_roll_advice": FindingKind.EQUAL,
    "torn_roll_control": FindingKind.EQUAL,
    "torn_roll_kill": FindingKind.DIVERGED,
    "v533_controller_h_slave_power_loss_below_epoch": FindingKind.BEHIND,
    "v533_controller_x_truncated_bytes_acknowledge": FindingKind.DIVERGED,
}


@pytest.fixture
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Pair:
    """The pair of a name."""
    folder = unpack(request.param, tmp_path)
    rules = make_start_rules("5.3.3" if request.param.startswith(LATER) else "4.4.0")
    master = read_stored_broker("master", folder / "master", rules)
    slave = read_stored_broker("slave", folder / "slave1", rules)
    return compare_stores(master, slave, (), lambda _: None)


def test_every_pair_has_an_expected_kind() -> None:
    """None is left out."""
    assert set(PAIRS) == {*KINDS, SINGLE}


@pytest.mark.parametrize("pair", KINDS, indirect=True)
def test_the_kind(pair: Pair) -> None:
    """As it is known."""
    assert KINDS[pair.slave.path.parent.name] is pair.kind


@pytest.mark.parametrize("pair", ["torn_roll_kill"], indirect=True)
def test_a_record_against_a_blank(pair: Pair) -> None:
    """Equal max offsets hide that the slave lacks a record."""
    assert pair.master.start.end_offset == pair.slave.start.end_offset == 19384
    (finding,) = pair.logs.findings
    assert finding.on_master
    assert finding.on_slave
    record = finding.on_master.record
    assert record is not None
    assert (finding.offset, record.size_bytes, record.queue) == (14000, 1000, ("T0", 0))
    assert finding.on_slave.kind.value == "a blank"
    assert [r.offset for r in list_missing(pair.master, pair.slave, pair.logs)] == [14000]
    assert not list(list_missing(pair.slave, pair.master, pair.logs))
    assert choose_mend(pair) is Mend.MASTER


@pytest.mark.parametrize("pair", ["empty_first_file"], indirect=True)
def test_bytes_of_another_file(pair: Pair) -> None:
    """slave[0:3000] is the master's 16384 to 19384."""
    (finding,) = pair.logs.findings
    assert (finding.offset, finding.end_offset, finding.shift_bytes) == (0, 3000, 16384)
    assert not list(list_missing(pair.slave, pair.master, pair.logs))


@pytest.mark.parametrize("pair", ["full_file_skipped"], indirect=True)
def test_a_slave_without_a_record(pair: Pair) -> None:
    """Its log begins where its master's ends."""
    assert pair.slave.start.begin_offset == pair.slave.start.end_offset == 16384
    assert pair.choices.if_slave_is_promoted.count == 14


@pytest.mark.parametrize("pair", ["delay_promotion_keep"], indirect=True)
def test_deliveries_that_a_promoted_slave_never_makes(pair: Pair) -> None:
    """Its progress has passed three messages whose deliveries only the old master has."""
    (effect,) = pair.choices.delays
    assert (effect.level, effect.delivered, effect.is_passed) == (3, 3, True)
    assert choose_mend(pair) is Mend.CHOOSE


@pytest.mark.parametrize("pair", ["group_skip_old"], indirect=True)
def test_progress_that_differs(pair: Pair) -> None:
    """A promotion repeats eight messages."""
    (group,) = pair.choices.groups
    assert (group.key, group.queue_id, group.repeats) == ("TG@GG", 0, 8)
    assert {found.kind for found in pair.tables} == {TableKind.BEHIND, TableKind.ONLY_ON_MASTER}


def test_one_store(tmp_path: Path) -> None:
    """A broker without a log comes up."""
    broker = read_stored_broker(
        "master", unpack(SINGLE, tmp_path) / "master", make_start_rules("4.4.0")
    )
    assert broker.is_up_after_start
    assert broker.start.end_offset == 0


LYING = "v533_controller_h_slave_power_loss_below_epoch"


@pytest.mark.parametrize("pair", [LYING], indirect=True)
def test_a_lying_member(pair: Pair) -> None:
    """Its last epoch begins at 6496, and its log ends at 4060: it must not simply start again."""
    ahead = [remark for remark in pair.remarks if remark.kind is FindingKind.EPOCH_AHEAD]
    assert [(remark.offset, remark.end_offset) for remark in ahead] == [(4060, 6496)]
    assert choose_mend(pair) is Mend.EMPTY
    assert compute_handshake(pair.master, pair.slave) == HandshakeOutcome(
        HandshakeReaction.LIES, 11368
    )


@pytest.mark.parametrize("pair", ["v533_controller_x_truncated_bytes_acknowledge"], indirect=True)
def test_truncated_bytes_that_came_back(pair: Pair) -> None:
    """Equal ends, equal epochs, and another record between them."""
    assert pair.master.epochs == pair.slave.epochs
    assert pair.master.start.end_offset == pair.slave.start.end_offset == 2472
    assert (pair.logs.differs_from, pair.logs.differs_until) == (1236, 1634)
    assert compute_handshake(pair.master, pair.slave) == HandshakeOutcome(
        HandshakeReaction.GOES_ON, 2472
    )


@pytest.mark.parametrize("pair", ["torn_roll_kill"], indirect=True)
def test_without_a_controller_there_is_no_such_handshake(pair: Pair) -> None:
    """4.4.0 has no epochs."""
    assert compute_handshake(pair.master, pair.slave) is None


ONE, TWO, LATE = Epoch(1, 0), Epoch(2, 100), Epoch(2, 300)


@pytest.mark.parametrize(
    ("slave", "slave_end", "master", "point"),
    [
        ((ONE,), 80, (ONE, TWO), 80),
        ((ONE,), 150, (ONE, TWO), 100),
        ((ONE, TWO), 250, (ONE, TWO), 200),
        ((ONE, LATE), 350, (ONE, TWO), 100),
        ((ONE, LATE), 250, (ONE, LATE), 2**63 - 1),
        ((Epoch(3, 50),), 80, (ONE, TWO), None),
    ],
    ids=["behind", "old master", "ahead", "another begin", "both lie", "no point"],
)
def test_consistent_points(
    slave: tuple[Epoch, ...], slave_end: int, master: tuple[Epoch, ...], point: int | None
) -> None:
    """Of a master whose log ends at 200."""
    assert point == find_consistent_point(slave, slave_end, master, 200)
