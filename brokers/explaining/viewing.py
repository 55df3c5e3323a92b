"""What checks may look at: the present state, and what was shown beside it."""

from __future__ import annotations

from attrs import evolve

from brokers.explaining.scene import Scene
from brokers.recordings.reading import Event
from brokers.recordings.view import KNOWN, View
from reference.worlds.replication.changes.settings.transient_store_pool import STORE_POOL
from reference.worlds.replication.state import Cluster


def make_view(scene: Scene, event: Event) -> View:
    """Everything that a check may look at, in the present state."""
    return View(
        plan=scene.plan,
        cluster=scene.cluster if event.kind == "put" else show_readable(scene),
        next_put=scene.puts.next_number,
        followed=tuple(put.number for put in scene.puts.slots),
        process=scene.process,
        now_ms=event.t_ms,
        displaced=tuple(link.displaced for link in scene.links),
        **{name: getattr(scene.facts, name) for name in KNOWN},
    )


def show_readable(scene: Scene) -> Cluster:
    """The state, in which the master's log ends where its readers see it: before what is pooled."""
    cluster = scene.cluster
    if STORE_POOL not in scene.plan.structure.variants:
        return cluster
    log = cluster.master.log
    end = max(cluster.committed_offset[0], log.last_file_offset)
    shown = evolve(log, ends=tuple(min(each, end) for each in log.ends))
    return evolve(cluster, master=evolve(cluster.master, log=shown))
