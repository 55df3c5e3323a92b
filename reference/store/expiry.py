"""Deletion: of old files, of files on a full disk, and of files that a reader has held too long."""

from __future__ import annotations

from attrs import evolve, frozen

from reference.store import consume_queue as consume_queues
from reference.store import mapped_file_queue as queues
from reference.store.records import HOUR_MS
from reference.store.store import Flag, Store, get_min_physical_offset, replace_consume_queues

MANUAL_DELETE_TIMES = 20
"""The number of runs that an operator's command affects."""
DISK_SPACE_WARNING_RATIO = 0.90
DISK_SPACE_CLEAN_FORCIBLY_RATIO = 0.85


@frozen
class CleanConfig:
    """Settings of the deletion; the defaults of 4.4.0."""

    file_reserved_hours: int = 72
    disk_max_used_space_ratio: int = 75
    """Percent."""
    is_clean_file_forcibly_enabled: bool = True
    destroy_mapped_file_interval_forcibly_ms: int = 120_000
    redelete_hanged_file_interval_ms: int = 120_000


@frozen
class ExpiryEnvironment:
    """What the service checks: time and disks."""

    now_ms: int
    is_time_to_delete: bool = False
    """It is the hour ``deleteWhen``."""
    log_disk_ratio: float = 0.0
    """Used fraction of the log's disk; below 0: it cannot be determined."""
    queue_disk_ratio: float = 0.0
    """Used fraction of the consume queues' disk."""


@frozen
class CleanCommitLogService:
    """State of the service between two runs."""

    manual_delete_times: int = 0
    last_redelete_ms: int = 0
    is_clean_immediately: bool = False


@frozen
class CleanConsumeQueueService:
    """State of the cleaning of queues between two runs."""

    last_physical_min_offset_bytes: int = 0


def clean_consume_queues(
    store: Store, service: CleanConsumeQueueService, now_ms: int
) -> tuple[Store, CleanConsumeQueueService]:
    """Every queue begins where the log does (``CleanConsumeQueueService#deleteExpiredFiles``).

    It acts only if the log's beginning has moved since the previous run.
    """
    begin = get_min_physical_offset(store)
    if begin <= service.last_physical_min_offset_bytes:
        return store, service
    cleaned = (
        consume_queues.delete_expired_file(queue, begin, now_ms)
        for queue in store.consume_queues.values()
    )
    return replace_consume_queues(store, *cleaned), CleanConsumeQueueService(begin)


def delete_expired_file(
    store: Store,
    expired_time_ms: int,
    interval_forcibly_ms: int,
    now_ms: int,
    *,
    is_clean_immediately: bool,
) -> tuple[Store, int]:
    """Delete old files of the log; returns how many (``CommitLog#deleteExpiredFile``)."""
    log, deleted = queues.delete_expired_file_by_time(
        store.commit_log,
        expired_time_ms,
        interval_forcibly_ms,
        now_ms,
        is_clean_immediately=is_clean_immediately,
    )
    return evolve(store, commit_log=log), deleted


def retry_delete_first_file(
    store: Store, interval_forcibly_ms: int, now_ms: int
) -> tuple[Store, bool]:
    """Delete the first file if that was tried before (``CommitLog#retryDeleteFirstFile``)."""
    log, is_deleted = queues.retry_delete_first_file(store.commit_log, interval_forcibly_ms, now_ms)
    return evolve(store, commit_log=log), is_deleted


def execute_delete_files_manually(service: CleanCommitLogService) -> CleanCommitLogService:
    """The next twenty runs delete, whatever the hour (``executeDeleteFilesManually``)."""
    return evolve(service, manual_delete_times=MANUAL_DELETE_TIMES)


def run(
    store: Store, service: CleanCommitLogService, config: CleanConfig, around: ExpiryEnvironment
) -> tuple[Store, CleanCommitLogService]:
    """One run, every ten seconds (``CleanCommitLogService#run``)."""
    store, service = delete_expired_files(store, service, config, around)
    return redelete_hanged_file(store, service, config, around)


def delete_expired_files(
    store: Store, service: CleanCommitLogService, config: CleanConfig, around: ExpiryEnvironment
) -> tuple[Store, CleanCommitLogService]:
    """Delete at the hour, on a full disk or on command.

    Above 85 percent, files of any age are deleted, flushed and copied or not.
    """
    store, service, is_space_full = is_space_to_delete(store, service, config, around)
    is_manual = service.manual_delete_times > 0
    if not (around.is_time_to_delete or is_space_full or is_manual):
        return store, service
    if is_manual:
        service = evolve(service, manual_delete_times=service.manual_delete_times - 1)
    store, _ = delete_expired_file(
        store,
        config.file_reserved_hours * HOUR_MS,
        config.destroy_mapped_file_interval_forcibly_ms,
        around.now_ms,
        is_clean_immediately=config.is_clean_file_forcibly_enabled and service.is_clean_immediately,
    )
    return store, service


def is_space_to_delete(
    store: Store, service: CleanCommitLogService, config: CleanConfig, around: ExpiryEnvironment
) -> tuple[Store, CleanCommitLogService, bool]:
    """Some disk is too full; above 90 percent puts are refused until it no longer is.

    ``CleanCommitLogService#isSpaceToDelete``: the log's disk first. If that one is too full, the
    other is not checked; if it is not, the other's state overwrites the mark.
    """
    service = evolve(service, is_clean_immediately=False)
    for ratio in (around.log_disk_ratio, around.queue_disk_ratio):
        flags = store.running_flags
        if ratio > DISK_SPACE_CLEAN_FORCIBLY_RATIO:
            service = evolve(service, is_clean_immediately=True)
        if ratio > DISK_SPACE_WARNING_RATIO:
            store = evolve(store, running_flags=flags | Flag.DISK_FULL)
        elif ratio <= DISK_SPACE_CLEAN_FORCIBLY_RATIO:
            store = evolve(store, running_flags=flags & ~Flag.DISK_FULL)
        if ratio < 0 or ratio > config.disk_max_used_space_ratio / 100:
            return store, service, True
    return store, service, False


def redelete_hanged_file(
    store: Store, service: CleanCommitLogService, config: CleanConfig, around: ExpiryEnvironment
) -> tuple[Store, CleanCommitLogService]:
    """Every two minutes, retry deleting the first file if a reader has kept it."""
    waited_ms = around.now_ms - service.last_redelete_ms
    if waited_ms <= config.redelete_hanged_file_interval_ms:
        return store, service
    interval_ms = config.destroy_mapped_file_interval_forcibly_ms
    store, _ = retry_delete_first_file(store, interval_ms, around.now_ms)
    return store, evolve(service, last_redelete_ms=around.now_ms)
