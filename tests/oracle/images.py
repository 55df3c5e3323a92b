"""Log files and queue files as a row of the oracle describes them.

The layout of rows is told in the README beside the tables; it is not repeated here.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

from reference.store.consume_queue import (
    CQ_STORE_UNIT_SIZE_BYTES,
    ENTRY,
    PRE_BLANK,
    ConsumeQueue,
    compute_file_size,
)
from reference.store.content import Content
from reference.store.java import wrap
from reference.store.mapped_file import name_file
from reference.store.mapped_file_queue import DiskFile, MappedFileQueue
from reference.store.records import Record, encode, encode_blank_header

FAR = 1 << 62
STORE_HOST = bytes((127, 0, 0, 1, 0, 0, 0, 2))


def make_body(seed: int, length: int) -> bytes:
    """A body of a seed: no byte of it is 0."""
    return bytes((seed * 31 + index * 7) % 255 + 1 for index in range(length))


def make_properties(length: int) -> str:
    """Properties of a length (bytes)."""
    return "v" * length if length < 4 else f"k\x01{'v' * (length - 3)}\x02"


def _overwrite(data: bytearray, at: int, layout: str, value: int) -> None:
    bits = 8 * struct.calcsize(layout)
    struct.pack_into(layout, data, at, wrap(value, bits))


def make_item(item: Mapping[str, Any]) -> bytes:
    """A record or a blank, with the fields that do not fit its bytes."""
    if "blank" in item:
        size = item["blank"]
        return (encode_blank_header(size) + bytes(max(0, size - 8)))[:size]
    length = item["b"]
    body = bytes(length) if item.get("bz") == 1 else make_body(item["u"], length)
    topic = item["t"].encode()
    properties = item.get("ps", make_properties(item.get("p", 0))).encode()
    record = Record(
        topic=topic,
        queue_id=item["q"],
        queue_offset=item["qo"],
        physical_offset_bytes=item.get("po", item["at"]),
        body=body,
        properties=properties,
        store_timestamp_ms=item["ts"],
        born_timestamp_ms=item["ts"],
        sys_flag=item.get("sf", 0),
        store_host=STORE_HOST,
    )
    data = bytearray(encode(record))
    places = {"size": (0, ">i"), "magic": (4, ">i"), "bl": (84, ">i")}
    places["tl"] = (88 + length, ">b")
    places["pl"] = (89 + length + len(topic), ">h")
    for name, (at, layout) in places.items():
        if name in item:
            _overwrite(data, at, layout, item[name])
    if item.get("crc", 1) == 0:
        data[11] ^= 1
    return bytes(data)


def _list_layer(layer: Mapping[str, Any], begin: int, end: int) -> Iterable[tuple[int, bytes]]:
    if "items" in layer:
        return [(item["at"], make_item(item)) for item in layer["items"]]
    if "hex" in layer:
        return [(layer["at"], bytes.fromhex(layer["hex"]))]
    if "lcg" in layer:
        state, data = layer["lcg"], bytearray()
        for _ in range(end - begin):
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            data.append((state >> 16) & 255)
        return [(begin, bytes(data))]
    return [(begin, bytes(end - begin))]


class Bytes:
    """Bytes at any offsets: zeros where nothing was written."""

    def __init__(self, page_bytes: int) -> None:
        self.page_bytes = page_bytes
        self.pages: dict[int, bytearray] = {}

    def write(self, at: int, data: bytes, begin: int = -FAR, end: int = FAR) -> None:
        """Write those bytes that lie between two offsets."""
        first, last = max(at, begin, 0), min(at + len(data), end)
        while first < last:
            base = first - first % self.page_bytes
            stop = min(last, base + self.page_bytes)
            page = self.pages.setdefault(base, bytearray(self.page_bytes))
            page[first - base : stop - base] = data[first - at : stop - at]
            first = stop

    def read(self, begin: int, end: int) -> bytes:
        """The bytes between two offsets."""
        found = bytearray()
        while begin < end:
            base = begin - begin % self.page_bytes
            stop = min(end, base + self.page_bytes)
            page = self.pages.get(base, bytes(self.page_bytes))
            found += page[begin - base : stop - base]
            begin = stop
        return bytes(found)


def render(image: Mapping[str, Any], file_size: int) -> Bytes:
    """All layers, one over the other."""
    rendered = Bytes(file_size)
    for layer in image["layers"]:
        begin, end = layer.get("from", 0), layer.get("to", FAR)
        is_bounded = "hex" not in layer
        for at, data in _list_layer(layer, begin, end):
            rendered.write(at, data, *((begin, end) if is_bounded else (0, FAR)))
    return rendered


def render_truth(image: Mapping[str, Any], file_size: int) -> Bytes:
    """The undamaged log: the layer that is said to be it, or all of them."""
    layers = image["layers"]
    whole = layers if "truth" not in image else [layers[image["truth"]]]
    plain = [{k: v for k, v in layer.items() if k not in ("from", "to")} for layer in whole]
    return render({"layers": plain}, file_size)


def list_files(image: Mapping[str, Any], file_size: int, now_ms: int) -> tuple[DiskFile, ...]:
    """The files of the log's folder."""
    rendered = render(image, file_size)
    files = []
    for base, length, *name in image["files"]:
        data = rendered.read(base, base + min(length, file_size)).ljust(length, b"\0")
        files.append(DiskFile(name[0] if name else name_file(base), Content(data), now_ms))
    return tuple(files)


def compute_crc(files: Iterable[DiskFile]) -> str:
    """CRC-32 over all files, as rows tell it."""
    crc = 0
    for file in files:
        crc = zlib.crc32(file.content.data, crc)
    return f"{crc:08x}"


def make_consume_queue(row: Mapping[str, Any], file_size: int, now_ms: int) -> ConsumeQueue:
    """A queue's files: the pre-blank, entries, and zeros up to the file's end."""
    size = compute_file_size(file_size)
    first = row["first"] * CQ_STORE_UNIT_SIZE_BYTES
    base = first - first % size
    data = ENTRY.pack(*PRE_BLANK) * ((first - base) // CQ_STORE_UNIT_SIZE_BYTES)
    data += b"".join(ENTRY.pack(offset, length, 0) for offset, length in row["entries"])
    data = data.ljust(max(1, -(-len(data) // size)) * size, b"\0")
    files = tuple(
        DiskFile(name_file(base + at), Content(data[at : at + size]), now_ms)
        for at in range(0, len(data), size)
    )
    queue = MappedFileQueue(size, other_files=files)
    return ConsumeQueue(row["t"], row["q"], queue, has_folder=True)
