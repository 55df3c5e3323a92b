"""Bytes, with the origin of each.

The writer states the provenance; it is never inferred. It moves with the bytes when they are cut,
written or copied, all of which happens here. A later part of the model compares it with the content
of an abstract log.
"""

from __future__ import annotations

from mmap import mmap
from typing import TypeAlias

from attrs import field, frozen
from attrs.validators import instance_of

Origin: TypeAlias = int | tuple[int, int]
"""Opaque, or the epoch of a master's log and the offset in it (bytes)."""
Origins: TypeAlias = tuple[Origin | None, ...]


Data: TypeAlias = bytes | mmap
"""In memory, or in a file: then a write changes them in place, and the content before it is gone.
"""


@frozen
class Content:
    """Some bytes, with or without provenance.

    Raises ValueError if the numbers of origins and bytes differ.
    """

    data: Data = field(validator=instance_of((bytes, mmap)))
    origins: Origins | None = None
    """The origin of each byte; None: never written, so it is zero.

    None as a whole: provenance is not kept, which is cheaper."""

    def __attrs_post_init__(self) -> None:
        if self.origins is not None and len(self.origins) != len(self.data):
            raise ValueError(f"{len(self.data)} bytes have {len(self.origins)} origins")

    def __len__(self) -> int:
        return len(self.data)


NOTHING = Content(b"")


def create_zeros(length_bytes: int) -> Content:
    """Bytes of a new file, never written."""
    return Content(bytes(length_bytes))


def list_origins(content: Content) -> Origins:
    """An origin for each byte; all None if provenance is not kept."""
    return content.origins if content.origins is not None else (None,) * len(content)


def cut(content: Content, begin: int, end: int) -> Content:
    """The bytes from one position to another (bytes, 0 <= begin <= end)."""
    origins = None if content.origins is None else content.origins[begin:end]
    return Content(content.data[begin:end], origins)


def join(first: Content, second: Content) -> Content:
    """One content after the other."""
    data = first.data[:] + second.data[:]
    if first.origins is None and second.origins is None:
        return Content(data)
    return Content(data, list_origins(first) + list_origins(second))


def write(content: Content, position: int, written: Content) -> Content:
    """The content with some bytes overwritten; its length does not change.

    Raises ValueError if the bytes do not lie within it.
    """
    end = position + len(written)
    if position < 0 or end > len(content):
        raise ValueError(f"[{position}, {end}) is outside of {len(content)} bytes")
    if not written:
        return content
    if isinstance(content.data, mmap):
        content.data[position:end] = written.data
        return content
    data = content.data[:position] + written.data + content.data[end:]
    if content.origins is None and written.origins is None:
        return Content(data)
    origins = list_origins(content)
    return Content(data, origins[:position] + list_origins(written) + origins[end:])


def lengthen(content: Content, length_bytes: int) -> Content:
    """The content extended to at least this length by zeros, as in a file that is lengthened."""
    missing = length_bytes - len(content)
    return join(content, create_zeros(missing)) if missing > 0 else content


def tell_origins(data: bytes, epoch: int, offset_bytes: int) -> Content:
    """Bytes of the log of an epoch, from an offset on."""
    return Content(data, tuple((epoch, offset_bytes + index) for index in range(len(data))))
