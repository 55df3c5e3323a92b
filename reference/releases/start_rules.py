"""What a start does with a store's files, as far as releases differ in it.

Source: MappedFileQueue#load, CommitLog#recoverNormally and #checkMessageAndReturnSize at the tags
of the releases named below; between two tags the change may be anywhere.
"""

from __future__ import annotations

from attrs import frozen

from reference.releases.known_differences import EMPTY_QUEUE_FILE_ENDS_START
from reference.releases.releases import CLASSIC, is_since
from reference.store.records import FORMAT_4_4_0, RecordFormat

IGNORES_AGAIN = "4.9.2"
"""This release alone ignores files of another length again."""


@frozen
class StartRules:
    """How a release starts over files."""

    is_other_length_refused: bool = False
    """A file of another length than the others ends the start; else it and all later ones are
    ignored (``MappedFileQueue#load``; since 4.5.1, not in 4.9.2)."""
    is_folder_skipped: bool = False
    """A folder among the files does not count as a file (since 5.1.0)."""
    is_empty_last_file_deleted: bool = False
    """A last file of no bytes is deleted (since 5.1.3)."""
    is_begin_found_by_queues: bool = False
    """After a normal exit recovery begins at the file to which the consume queues reach, and
    dispatches what lies behind; else it begins at the third last file (since 5.3.2)."""
    are_queues_caught_up: bool = False
    """A start dispatches from where the queues end to the log's end, and waits for that
    (``DefaultMessageStore#start``, 4.5.1 to 4.9.8; later only with ``recheckReputOffsetFromCq``);
    else dispatch goes on at the log's end."""
    are_queues_destroyed: bool = False
    """A log without any file destroys the queues after a normal exit too (since 4.5.1)."""
    are_entries_known_by_end: bool = False
    """A queue remembers where its last message ends, and not where it begins (since 4.5.1)."""
    is_empty_queue_file_fatal: bool = False
    """A queue whose last file has no entry and is not its first one ends the start: the search for
    its lowest entry looks 20 bytes before that file (``EMPTY_QUEUE_FILE_ENDS_START``)."""
    record_format: RecordFormat = FORMAT_4_4_0


def make_start_rules(release: str) -> StartRules:
    """The rules of a release that the model knows."""
    return StartRules(
        is_other_length_refused=is_since(release, "4.5.1") and release != IGNORES_AGAIN,
        is_folder_skipped=is_since(release, "5.1.0"),
        is_empty_last_file_deleted=is_since(release, "5.1.3"),
        is_begin_found_by_queues=is_since(release, "5.3.2"),
        are_queues_caught_up=is_since(release, "4.5.1") and not is_since(release, "5.0.0"),
        are_queues_destroyed=is_since(release, "4.5.1"),
        are_entries_known_by_end=is_since(release, "4.5.1"),
        is_empty_queue_file_fatal=EMPTY_QUEUE_FILE_ENDS_START.span.covers(release, CLASSIC),
        record_format=RecordFormat(
            has_ipv6_hosts=is_since(release, "4.6.0"),
            has_long_topics=is_since(release, "5.1.0"),
            is_size_checked_first=is_since(release, "5.3.2"),
        ),
    )
