"""The thread that creates the log's next two files (``AllocateMappedFileService``).

A caller requests the file that it needs and the one after it, and waits at most five seconds. Here
the thread has always finished its work when a call returns. In a real broker the later file may
appear a little later, and a caller may see its failure a little earlier (oracle, finding 18).
"""

from __future__ import annotations

import enum

from attrs import evolve, field, frozen

from reference.store import mapped_file_queue as queues
from reference.store.mapped_file import MappedFile, name_file
from reference.store.mapped_file_queue import DiskFile, MappedFileQueue


class Creation(enum.Enum):
    """The files of the log that can be opened at the moment."""

    POSSIBLE = "possible"
    NOTHING_NEW = "nothing new"
    """The folder takes no new file; an existing one can be opened."""
    NOTHING = "nothing"
    """The folder cannot be accessed at all."""


@frozen
class AllocateRequest:
    """A requested file."""

    name: str
    mapped_file: MappedFile | None = None
    """None: the thread has not been able to create it yet."""


@frozen
class AllocateMappedFileService:
    """Requests whose files have not been fetched yet."""

    requests: tuple[AllocateRequest, ...] = field(default=())
    has_exception: bool = False
    """The thread's last attempt failed: every caller is refused immediately."""
    is_stopped: bool = False


def can_open(queue: MappedFileQueue, name: str, creation: Creation) -> bool:
    """The file can be opened or created."""
    if creation is Creation.NOTHING_NEW:
        return any(file.name == name for file in queue.other_files)
    return creation is Creation.POSSIBLE


def run(
    queue: MappedFileQueue, service: AllocateMappedFileService, creation: Creation, now_ms: int
) -> tuple[MappedFileQueue, AllocateMappedFileService]:
    """The thread does its work (``AllocateMappedFileService#mmapOperation``).

    It retries the lowest file again and again, so files after one that fails are not created.
    """
    if service.is_stopped:
        return queue, service
    done = {request.name: request for request in service.requests}
    has_exception = service.has_exception
    pending = (request for request in service.requests if request.mapped_file is None)
    for request in sorted(pending, key=lambda request: int(request.name)):
        if not can_open(queue, request.name, creation):
            has_exception = True
            break
        try:
            queue, opened = queues.take_from_disk(queue, request.name, now_ms)
        except OSError:
            has_exception = True
            break
        done[request.name] = evolve(request, mapped_file=opened)
        has_exception = False
    return queue, evolve(service, requests=tuple(done.values()), has_exception=has_exception)


def put_request_and_return_mapped_file(
    queue: MappedFileQueue,
    service: AllocateMappedFileService,
    create_offset_bytes: int,
    creation: Creation,
    now_ms: int,
) -> tuple[MappedFileQueue, AllocateMappedFileService, MappedFile | None]:
    """The file that begins at an offset, with a request for the one after it; None: refused.

    ``AllocateMappedFileService#putRequestAndReturnMappedFile``: the first failing call waits five
    seconds (T2-00733); later ones are refused immediately, even for a file created before.
    """
    wanted = name_file(create_offset_bytes)
    names = (wanted, name_file(create_offset_bytes + queue.file_size_bytes))
    asked = {request.name for request in service.requests}
    new = tuple(AllocateRequest(name) for name in names if name not in asked)
    is_refused = service.has_exception
    service = evolve(service, requests=(*service.requests, *new))
    queue, service = run(queue, service, creation, now_ms)
    request = next(request for request in service.requests if request.name == wanted)
    if is_refused or request.mapped_file is None:
        return queue, service, None
    others = tuple(other for other in service.requests if other is not request)
    return queue, evolve(service, requests=others), request.mapped_file


def get_or_create_last_mapped_file(
    queue: MappedFileQueue,
    service: AllocateMappedFileService,
    start_offset_bytes: int,
    creation: Creation,
    now_ms: int,
) -> tuple[MappedFileQueue, AllocateMappedFileService, MappedFile | None]:
    """The file to write to, created if it does not exist; None if that fails.

    ``MappedFileQueue#getLastMappedFile(long)``.
    """
    create_offset = queues.compute_create_offset(queue, start_offset_bytes)
    if create_offset is None:
        return queue, service, queues.get_last_mapped_file(queue)
    queue, service, file = put_request_and_return_mapped_file(
        queue, service, create_offset, creation, now_ms
    )
    if file is not None:
        queue = queues.add_file(queue, file)
    return queue, service, queues.get_last_mapped_file(queue) if file else None


def shut_down(service: AllocateMappedFileService) -> AllocateMappedFileService:
    """Delete the files that have not been fetched, and create no more."""
    unmade = tuple(evolve(request, mapped_file=None) for request in service.requests)
    return evolve(service, requests=unmade, has_exception=True, is_stopped=True)


def list_disk_files(service: AllocateMappedFileService) -> tuple[DiskFile, ...]:
    """The files in the folder that were created in advance."""
    made = (request.mapped_file for request in service.requests)
    return tuple(DiskFile(f.name, f.content, f.last_modified_ms) for f in made if f is not None)
