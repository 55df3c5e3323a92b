"""Which corrupted copies of a recording are accepted, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from attrs import evolve

from brokers.explaining.explanation import GroupExplanation
from brokers.explaining.refusal import Refusal
from brokers.explaining.seen.moments import NotedMoment
from brokers.recordings.groups import split_groups
from brokers.recordings.judging import CONFORMS, check_recording, find_version
from brokers.recordings.reading import Event, Recording
from brokers.recordings.roles.places import take_places
from brokers.recordings.settings import find_mode
from tests.brokers.recordings.edits import Corruption

OWN_COPY = "the slave copies by itself at a time that no event tells"
HELD_UP = "the broker may be held up between a change and its version"
FIRST_LOOK = "a broker that is seen for the first time has what its files hold"
NOTHING_STORED = "a group or queue without progress has the same answer"
SHOWN_ONCE = "the time of the day of a change is shown by this look only"
NO_PROGRESS = "a slave takes no progress from a pull"

POSSIBLE: Mapping[str, str] = {
    "drop put": (
        "its bytes may be those of a put that was still under way when the process or the "
        "recording ended; it waits for a slave then, or was called within the last 30 ms; a put "
        "that was refused leaves no trace at all"
    ),
    "drop ha_link_open": "the recording shows neither frames nor reports: nothing needs it",
    "drop ha_report": "the connection ends before the proxy or the master shows any effect of it",
    "drop ha_frame": "the connection ends, or is stalled, before anybody shows that it came",
    "drop delete_expired_files": (
        "the recording tells of no other one, so its broker may have cleaned up by itself "
        "(DefaultMessageStore.CleanCommitLogService#run)"
    ),
    "drop process_exit": "the recording ends, or the node never comes back",
    "drop node_kill9": "the recording ends, or the node never comes back",
    "log_crc.crc32": "only one such checksum of these bytes was recorded: nothing to compare with",
    "node_started.ha_client_connected": "the slave connects within the same few ms",
    "put.connection_count_before": "a connection begins or ends within the tolerance",
    "put.connection_count_after": "a connection begins or ends within the tolerance",
    "put.push2_slave_before": "a report is read within the tolerance",
    "put.push2_slave_after": "a report is read within the tolerance",
    "put.max_offset_after": "another put is under way, whose place in the log nobody has shown",
    "put.wrote_bytes": "the next put has no line, so nothing shows where this one ends",
    "put.wrote_offset": "a put without a line may lie before it",
    "put.queue_offset": "nothing else shows this queue: a whole broker writes to it as well",
    "snapshot.flushed_offset": "the puts of a whole broker are hidden: a flush may end there",
    "snapshot.dispatched_offset": "a whole broker's puts are hidden, and its slave's records",
    "snapshot.max_offset": "the puts of a whole broker are hidden",
    "snapshot.next_transfer_from": "the write service looks for the first report every 10 ms",
    "snapshot.slave_ack_offset": "a report is read within the tolerance",
    "snapshot.queues": (
        "the queues are read after the cursor of the dispatch, which may be behind the log by one "
        "message; those of a whole broker are not judged"
    ),
    "node_started.queues": "the queues of a whole broker are not judged",
    "far snapshot.dispatched_offset": "the dispatch may have begun later: no later look shows less",
    "fallen dispatched_offset": "nobody has shown a higher one in this process",
    "fallen flushed_offset": "nobody has shown a higher one in this process",
    "long duration": "the line of a refused put shows no wait",
    "status": "a large message has used up its wake-ups, or answers just in time (R-HA-21)",
    "far broker_started.ha_client_reported_offset zero": (
        "it is 0 until the slave connects for the first time (HAClient#connectMaster)"
    ),
    "broker_started.topics": FIRST_LOOK,
    "broker_started.topic_data_version /timestamp +1": SHOWN_ONCE,
    "broker_started.topic_data_version /timestamp -1": SHOWN_ONCE,
    "tables.topic_data_version /timestamp +1": SHOWN_ONCE,
    "tables.topic_data_version /timestamp -1": SHOWN_ONCE,
    "broker_started.topic_data_version_counter": FIRST_LOOK,
    "broker_started.subscription_group_data_version_counter": FIRST_LOOK,
    "query_consumer_offset.queue": NOTHING_STORED,
    "query_consumer_offset.group": NOTHING_STORED,
    "query_consumer_offset.topic": NOTHING_STORED,
    "query_consumer_offset.answer": "the memory ratio is set without an event that tells it",
    "pull_message.commit_offset": NO_PROGRESS,
    "far pull_message.commit_offset": NO_PROGRESS,
    "tables.topic_data_version_counter": HELD_UP,
    "tables.consumer_offsets": f"{OWN_COPY}, or nobody records the requests of a consumer",
    "tables.consumer_offset_file": OWN_COPY,
    "tables.subscription_group_data_version_counter": OWN_COPY,
    "tables.delay_offsets_in_memory": "the master delivers at a time that no event tells",
    "pull_message.slave_read_enable": "the setting decides nothing in this answer",
    "pull_message.offset_check_in_slave": "the setting decides nothing in this answer",
    "pull_message.body_bytes": "the sizes of these messages are shown by no other event",
    "far pull_message.body_bytes": "the sizes of these messages are shown by no other event",
    "far get_message.memory_threshold_bytes zero": (
        "accepted, and should not be: 0 is taken for a memory ratio of 0 that no event has set"
    ),
    "pull_message.min_offset": "a whole broker deletes old files by itself, and no later event "
    "shows that this queue has lost nothing",
    "get_message.max_offset": "the dispatch may be behind the log by one message, or the next "
    "put may have been dispatched already",
}
"""Why copies of a name, or of a name and a change, may be accepted."""

EXAMPLES: Mapping[str, tuple[str, int, str]] = {
    "drop put": ("v498_b_sync_no_slave", 12, "left out"),
    "drop ha_report": ("v533_s_idle_500_3000", 34, "left out"),
    "drop process_exit": ("topic_answer", 59, "left out"),
    "log_crc.crc32": ("v533_b_no_slave", 19, "other"),
    "node_started.ha_client_connected": ("l_wait_store_false", 17, "negated"),
    "put.connection_count_before": ("v498_b2_slave_node_rejects_put", 66, "+1"),
    "put.connection_count_after": ("v498_n2_slave_shutdown_without_exit", 53, "+1"),
    "put.queue_offset": ("x2_consumer_offsets_and_sync", 182, "-1"),
    "snapshot.dispatched_offset": ("x4_send_codes_sync_master", 63, "-1"),
    "snapshot.next_transfer_from": ("a_sync_healthy", 21, "-1"),
    "snapshot.queues": ("v498_b_sync_no_slave", 19, "-1"),
    "far snapshot.dispatched_offset": ("v533_b_no_slave", 18, "zero"),
    "far broker_started.ha_client_reported_offset zero": ("x4_send_codes_sync_master", 89, "zero"),
    "broker_started.topics": ("x4_send_codes_sync_master", 18, "without OFFSET_MOVED_EVENT"),
    "broker_started.topic_data_version /timestamp +1": ("topic_answer", 14, "/timestamp +1"),
    "broker_started.topic_data_version /timestamp -1": ("topic_answer", 14, "/timestamp -1"),
    "tables.topic_data_version /timestamp +1": ("deleted_topic_back", 35, "/timestamp +1"),
    "tables.topic_data_version /timestamp -1": ("deleted_topic_back", 35, "/timestamp -1"),
    "broker_started.topic_data_version_counter": ("x4_send_codes_sync_master", 18, "-1"),
    "broker_started.subscription_group_data_version_counter": ("topic_race", 13, "-1"),
    "query_consumer_offset.queue": ("x2_consumer_offsets_and_sync", 95, "+1"),
    "query_consumer_offset.group": ("x2_consumer_offsets_and_sync", 140, "other"),
    "query_consumer_offset.topic": ("x2_consumer_offsets_and_sync", 140, "other"),
    "query_consumer_offset.answer": ("x2_consumer_offsets_and_sync", 140, "other"),
    "pull_message.commit_offset": ("x2_consumer_offsets_and_sync", 99, "+1"),
    "far pull_message.commit_offset": ("x2_consumer_offsets_and_sync", 99, "largest"),
    "tables.topic_data_version_counter": ("x2_consumer_offsets_and_sync", 155, "-1"),
    "tables.consumer_offsets": ("group_skip_old", 208, "without /%RETRY%GG@GG"),
    "tables.consumer_offset_file": (
        "x2_consumer_offsets_and_sync",
        133,
        "without /offsetTable/T0@G01",
    ),
    "tables.delay_offsets_in_memory": ("delay_orderly_stop", 65, "/1 -1"),
    "pull_message.slave_read_enable": ("x1_pull_decision_table", 97, "negated"),
    "pull_message.offset_check_in_slave": ("x1_pull_decision_table", 97, "negated"),
    "pull_message.body_bytes": ("x3_master_crash_slave_offsets", 80, "-1"),
    "far pull_message.body_bytes": ("x2_consumer_offsets_and_sync", 124, "double"),
    "far get_message.memory_threshold_bytes zero": ("k_get_message", 101, "zero"),
    "pull_message.min_offset": ("x3_master_crash_slave_offsets", 80, "+1"),
    "get_message.max_offset": ("group_skip_old", 210, "+1"),
}
"""A copy that is accepted, where one is known: a recording, the event, the change."""


def has_reason(corruption: Corruption) -> bool:
    """The copy may be accepted."""
    names = {corruption.name, f"{corruption.name} {corruption.change}"}
    return not names.isdisjoint(POSSIBLE)


PASSING = frozenset(
    {
        *("tables", "pull_message", "get_message", "queue_ends", "query_consumer_offset"),
        *("update_consumer_offset", "register_broker", "sync_all", "persist_consumer_offsets"),
        *("update_topic", "update_subscription_group"),
    }
)
"""Kinds of events that bound no earlier state, so that a change may be tried in its place alone."""
BOUNDING = "get_message.max_offset_py"


def find_accepted(
    recording: Recording, corruptions: Iterable[Corruption]
) -> Iterator[tuple[Corruption, bool]]:
    """Every corruption in place, and whether it may be explained in the place of its event.

    The original is explained once, and the changed event in the state before its own. What bounds
    earlier states has to be tried as a whole, and counts as explained here.
    """
    tried: dict[int, list[Corruption]] = defaultdict(list)
    kinds = {event.seq: event.kind for event in recording.events}
    for corruption in corruptions:
        if not corruption.is_in_place or corruption.seq not in kinds:
            continue
        name = corruption.name.removeprefix("far ")
        if kinds[corruption.seq] in PASSING and name != BOUNDING:
            tried[corruption.seq].append(corruption)
        else:
            yield corruption, True
    version = find_version(recording)
    assert version is not None
    for group in split_groups(take_places(recording)):
        explanation = GroupExplanation.begin(group, find_mode(group, version.name))
        while explanation.waiting:
            moment = explanation.waiting[0]
            for corruption in tried.pop(moment.event.seq, ()):
                yield corruption, is_explained_in_place(explanation, moment, corruption, recording)
            stuck = explanation.run(moments_max=1)
            assert stuck is None


def is_explained_in_place(
    explanation: GroupExplanation, moment: NotedMoment, corruption: Corruption, whole: Recording
) -> bool:
    """The changed event is explained in the state before its own."""
    events = corruption.apply(whole).events
    event = next(each for each in events if each.seq == corruption.seq)
    before = explanation.observer.scene
    explanation.observer.scene = before.copy()
    try:
        explanation.explain(evolve(moment, event=event))
    except Refusal:
        return False
    else:
        return True
    finally:
        explanation.observer.scene.rewind()
        explanation.observer.scene = before


def may_stand_at(recording: Recording, event: Event) -> bool:
    """The recording conforms with this event in the place of the one of the same ``seq``."""
    events = tuple(event if each.seq == event.seq else each for each in recording.events)
    return check_recording(evolve(recording, events=events)).is_conforming


def judge(recording: Recording, corruption: Corruption) -> str:
    """The verdict on the corrupted copy as a whole."""
    return check_recording(corruption.apply(recording)).verdict


def is_accepted(recording: Recording, corruption: Corruption) -> bool:
    """The corrupted copy conforms as a whole."""
    return judge(recording, corruption) == CONFORMS
