"""A slave whose files have another size than its master's."""

from __future__ import annotations

from attrs import evolve

from reference.language.machine import Action, compute_machine
from reference.worlds.replication.changes.settings.frame_beyond_slave_file import VARIANT
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from reference.worlds.replication.state import Cluster
from reference.worlds.replication.structure import Structure

SIZES = evolve(
    SMALL_PARAMETERS,
    mapped_file_size_bytes=8,
    ha_transfer_batch_size_bytes=8,
    ghost_log_size_max_bytes=32,
)
FILE = 4
"""Of the slave: half of its master's."""
OWN = Structure(variants=(VARIANT.name,), slave_file_size_bytes=FILE)
SAME = Structure(variants=(VARIANT.name,))
MEET = ("connect_slave[0]", "report_offset[0]", "receive_report[0]", "position_transfer[0]")
OTHER = Action("append_other_message", {"size_bytes": 3})


def send(size: int) -> Action:
    """The master sends a frame."""
    return Action("transfer_batch[0]", {"size_bytes": size})


def run(structure: Structure, *actions: Action | str) -> Cluster:
    """The state after these steps, none of which may be refused."""
    cluster = structure.make_initial(SIZES)
    for action in actions:
        step = Action(action) if isinstance(action, str) else action
        outcome = compute_machine(structure).step(cluster, step)
        assert not outcome.is_refused, f"{step}: {outcome.failed}"
        cluster = outcome.cluster
    return cluster


def can(cluster: Cluster, rule: str, size: int) -> bool:
    """A step that takes so many bytes of a frame is possible."""
    machine = compute_machine(cluster.structure)
    return not machine.step(cluster, Action(rule, {"size_bytes": size})).is_refused


def test_a_frame_that_crosses_the_file_is_dropped() -> None:
    """And the connection closes at the next one (slave_file_size_differs seq 125 to 128)."""
    copied = (*MEET, OTHER, send(3), Action("append_to_slave[0]", {"size_bytes": 3}))
    steps = (*copied, Action("append_other_message", {"size_bytes": 2}), send(2))
    sent = run(OWN, *steps)
    assert 3 == sent.slaves[0].log.max_offset
    assert not can(sent, "append_to_slave[0]", 2)
    drop = Action("drop_frame_beyond_file[0]", {"size_bytes": 2})
    dropped = run(OWN, *steps, drop)
    assert dropped.slaves == sent.slaves
    assert not run(OWN, *steps, drop, "refuse_frame[0]").links[0].is_open


def test_a_frame_that_fits_is_never_dropped() -> None:
    """With its master's size every frame fits, since frames end with a file of the master."""
    steps = (*MEET, OTHER, send(3))
    for structure in (OWN, SAME):
        sent = run(structure, *steps)
        assert can(sent, "append_to_slave[0]", 3)
        for size in (1, 2, 3):
            assert not can(sent, "drop_frame_beyond_file[0]", size)


def test_a_full_file_is_followed_by_one_of_the_slaves_size() -> None:
    """Its base is a multiple of that size, not of the master's."""
    log = (
        run(
            OWN,
            *MEET,
            OTHER,
            Action("append_other_message", {"size_bytes": 1}),
            send(4),
            Action("append_to_slave[0]", {"size_bytes": 4}),
            Action("append_other_message", {"size_bytes": 1}),
            send(1),
            Action("append_to_slave[0]", {"size_bytes": 1}),
        )
        .slaves[0]
        .log
    )
    assert (log.last_file_offset, log.max_offset) == (FILE, 5)
