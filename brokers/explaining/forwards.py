"""A recording of one group of brokers, explained forwards, moment by moment, without a search.

Hidden steps are taken as soon as what is still to be seen allows them, so no choice is ever taken
back. Only two moments whose stamps lie within the tolerance of a recorder may change places.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from attrs import evolve

from brokers.explaining.explanation import GroupExplanation, Progress
from brokers.explaining.refusal import Refusal
from brokers.explaining.scene import Scene
from brokers.explaining.seen.moments import Key, NotedMoment
from brokers.explaining.told.teller import tell_forwards
from brokers.explaining.told.verdict import CONFORMS, REJECTED, GroupVerdict
from brokers.recordings.groups import LINK_PREFIX
from brokers.recordings.kinds import IGNORED_KINDS
from brokers.recordings.reading import Event, Recording
from reference.releases.versions import Version

BLAMED_MAX = 6
"""How many later moments are tried that may be false in place of one that is refused."""


def explain_forwards(
    recording: Recording,
    version: Version,
    progress: Progress = None,
    *,
    is_clock_exact: bool = False,
    is_schedule_kept: bool = False,
) -> GroupVerdict:
    """The verdict on one group of brokers; ``progress`` is told how many moments are explained.

    ``is_clock_exact``: no stamp is late, so what takes too long is refused as well.

    Raises:
        OutsideTheModel: a group that the model has no structure for.
    """
    stranger = next((e for e in recording.events if is_stranger(recording, e)), None)
    if stranger is not None:
        recording = cut_before(recording, stranger)
    begin = partial(GroupExplanation.begin, recording, version, is_clock_exact=is_clock_exact)
    explanation = begin(is_schedule_kept=is_schedule_kept)
    stuck = explanation.run(progress)
    if stuck is not None and (blamed := find_false_moment(begin, explanation, stuck[0])):
        begin = partial(begin, left_out=blamed)
        explanation = begin(is_schedule_kept=is_schedule_kept)
        stuck = explanation.run()
    verdict = evolve(make_verdict(explanation, stuck), tell=partial(tell_forwards, begin))
    if stuck is None and stranger is not None:
        reason = "it is about no broker and no link of the configuration"
        return evolve(verdict, word=REJECTED, seq=stranger.seq, reason=reason)
    return verdict


def make_verdict(
    explanation: GroupExplanation, stuck: tuple[NotedMoment, Refusal] | None
) -> GroupVerdict:
    """What an explanation has come to."""
    observer, scene = explanation.observer, explanation.observer.scene
    verdict = GroupVerdict(
        CONFORMS,
        explanation.explained,
        {},
        observer.checked,
        explanation.acknowledged.told if scene.plan.puts else None,
        scene.plan.parameters,
        tuple(scene.schedule or ()),
        cluster=scene.cluster,
    )
    if stuck is None:
        return verdict
    moment, refusal = stuck
    nearest = refusal.nearest
    return evolve(
        verdict,
        word=REJECTED,
        seq=moment.event.seq,
        reason=str(refusal),
        nearest=nearest,
        message=None if nearest is None else nearest.message,
    )


def find_false_moment(
    begin: Callable[..., GroupExplanation], explanation: GroupExplanation, stuck: NotedMoment
) -> Key | None:
    """A later moment that alone makes this one impossible; None if there is none.

    What it shows holds steps back before it. Where nothing is refused before it once that is left
    out, and it is refused then, it is more likely to be false than what came first.
    """
    for key in list_bounding(explanation.observer.scene, stuck):
        found = begin(left_out=key).run()
        if found is not None and found[0].key == key:
            return key
    return None


def list_bounding(scene: Scene, stuck: NotedMoment) -> list[Key]:
    """The later moments that bound a leaf most, the nearest first."""
    bounding = {pin.key: pin.t_ms for pin in scene.pins.list_lowest() if pin.key != stuck.key}
    return sorted(bounding, key=lambda key: bounding[key])[:BLAMED_MAX]


def is_stranger(recording: Recording, event: Event) -> bool:
    """An event is about no broker, or no link, of the configuration."""
    master, *slaves = recording.config["nodes"]
    if event.kind in IGNORED_KINDS:
        return False
    is_link = "link" in event.data and event["link"].removeprefix(LINK_PREFIX) not in slaves
    return is_link or event.data.get("node", master) not in {master, *slaves}


def cut_before(recording: Recording, event: Event) -> Recording:
    """The recording as it was before an event was noted."""
    return evolve(recording, events=recording.events[: recording.events.index(event)])
