"""The questions of the set ``store``: puts, frames, files at a start, and single records."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import evolve

from properties.vectors import schema
from properties.vectors.question import Ask, Data
from reference.releases.versions import USUAL
from reference.store import records
from reference.store.records import Record

SEED = 4405
PUTS, APPENDS, RECOVERIES, RECORDS = 150, 150, 250, 200
NOW_MS = 1_700_000_000_000
LOCALHOST = records.LOCALHOST_1.hex()
LONG_HOST = bytes(range(16)) + bytes((0, 0, 0x2A, 0x9F))
FIXED_BYTES = 91
"""Of a record, besides topic, body and properties."""
SPARE_BYTES = records.END_FILE_MIN_BLANK_LENGTH
FILE_BYTES = 512


def draw_body(draw: random.Random, length: int) -> bytes:
    """A body without a byte of zero."""
    return bytes(draw.randrange(1, 256) for _ in range(length))


def draw_put(draw: random.Random, room: int, now_ms: int) -> Data:
    """A message that just fits what is left of a file, just does not, or is of any size."""
    topic = draw.choice((*("t", "topic") * 6, "é", "x" * 127, "x" * 128))
    properties = draw.choice(("", "", "TAGS\x01A\x02", "DELAY\x013\x02TAGS\x01b\x02"))
    fixed = FIXED_BYTES + len(topic.encode()) + len(properties)
    exact = room - SPARE_BYTES - fixed
    length = draw.choice((0, 1, 40, exact - 1, exact, exact + 1))
    return {
        "topic": topic,
        "queueId": draw.choice((0, 1, 7)),
        "body": draw_body(draw, min(max(0, length), FILE_BYTES)).hex(),
        "properties": properties,
        "sysFlag": draw.choice((0, 0, 0, 1, 4, 8, 12)),
        "flag": draw.choice((0, 5)),
        "bornTimestamp": now_ms - 3,
        "bornHost": LOCALHOST,
        "storeHost": LOCALHOST,
        "reconsumeTimes": draw.choice((0, 2)),
        "storeTimestamp": now_ms,
    }


def compute_size(told: Data) -> int:
    """Bytes of a message in the log; of a batch the bytes that its client sends."""
    if "batch" in told:
        return sum(22 + len(item["body"]) // 2 for item in told["batch"])
    size = FIXED_BYTES + len(told["topic"].encode()) + len(told["body"]) // 2
    return size + len(told["properties"].encode())


def make_batch(draw: random.Random, told: Data) -> Data:
    """A batch instead of a message."""
    items = [
        {"body": draw_body(draw, draw.choice((0, 10, 60))).hex(), "properties": "", "flag": 0}
        for _ in range(draw.choice((1, 2, 3)))
    ]
    left = ("properties", "body", "flag", "reconsumeTimes")
    return {**{k: v for k, v in told.items() if k not in left}, "batch": items}


def list_puts(draw: random.Random) -> Iterator[Ask]:
    """A master's puts into files of 512 bytes."""
    for _ in range(PUTS):
        puts, at = [], 0
        for number in range(draw.choice((1, 3, 6))):
            told = draw_put(draw, FILE_BYTES - at % FILE_BYTES, NOW_MS + number)
            size = compute_size(told)
            at += size if at % FILE_BYTES + size + SPARE_BYTES <= FILE_BYTES else FILE_BYTES
            puts.append(make_batch(draw, told) if draw.random() < 0.15 else told)
        if draw.random() < 0.04 and "batch" not in puts[-1]:
            puts[-1] |= {"properties": "k\x01" + "v" * draw.choice((32_764, 32_765)) + "\x02"}
        role = draw.choice(("ASYNC_MASTER",) * 24 + ("SLAVE",))
        sizes = [compute_size(told) for told in puts]
        near = draw.choice(sizes) + draw.choice((-1, 0, 1))
        most = draw.choice((FILE_BYTES, FILE_BYTES, 40_000, FILE_BYTES - SPARE_BYTES, near))
        ask = {
            "kind": "put",
            "brokerRole": role,
            "fileBytes": FILE_BYTES,
            "maxMessageSize": most,
            "puts": puts,
        }
        yield Ask(f"{len(puts)} puts", ask)


def list_appends(draw: random.Random) -> Iterator[Ask]:
    """Frames into files of 64 bytes: in step, out of step, empty, at a file's end, across it."""
    size = 64
    for _ in range(APPENDS):
        frames, at = [], draw.choice((0, 0, 0, 64, 128, 70, 1))
        for _ in range(draw.choice((1, 2, 4, 6))):
            left = size - at % size
            length = draw.choice((0, 1, 20, left - 1, left, left, left + 1))
            data = draw_body(draw, length)
            frames.append(
                [at if draw.random() < 0.85 else at + draw.choice((-5, 7, 64)), data.hex()]
            )
            at += length if length <= left else 0
        yield Ask(f"{len(frames)} frames", {"kind": "append", "fileBytes": size, "frames": frames})


def draw_record(draw: random.Random, at: int, number: int, room: int) -> bytes:
    """A record that fits, or a blank to the end of the file."""
    topic = draw.choice((b"t", b"topic"))
    length = draw.choice((0, 1, 30, 90))
    properties = draw.choice((b"", b"TAGS\x01A\x02"))
    record = Record(
        topic=topic,
        queue_id=draw.choice((0, 1)),
        queue_offset=number,
        physical_offset_bytes=at,
        body=draw_body(draw, length),
        properties=properties,
        store_timestamp_ms=NOW_MS + number,
        born_timestamp_ms=NOW_MS,
    )
    data = records.encode(record)
    return data if len(data) + SPARE_BYTES <= room else records.encode_blank_header(room)


def draw_log(draw: random.Random) -> tuple[bytearray, list[int]]:
    """The bytes of a log of one to four files, and where its records begin."""
    data, begins = bytearray(), list[int]()
    most = draw.choice((200, 512, 900, 1400, 2000, 3000))
    while len(data) < most:
        room = FILE_BYTES - len(data) % FILE_BYTES
        begins.append(len(data))
        data += draw_record(draw, len(data), len(begins) - 1, room)
        if data[-4:] == struct.pack(">i", records.BLANK_MAGIC_CODE):
            data += bytes(-len(data) % FILE_BYTES)
    return data, begins


def damage(draw: random.Random, data: bytearray, begins: list[int]) -> None:
    """Nothing, a cut, or a changed byte in a record: its head, its body, its end."""
    at = draw.choice(begins[-4:])
    way = draw.choice(("none", "none", "cut", "cut", "byte", "size", "magic", "crc", "zeros"))
    if way == "cut":
        del data[draw.randrange(at, len(data) + 1) :]
    elif way == "zeros":
        begin = draw.randrange(at, len(data))
        data[begin:] = bytes(len(data) - begin)
    elif way != "none":
        place = {"size": 3, "magic": 7, "crc": 11}.get(way, draw.randrange(100))
        if at + place < len(data):
            data[at + place] ^= draw.choice((1, 0x80, 0xFF))


def list_recoveries(draw: random.Random) -> Iterator[Ask]:
    """Logs that are whole, cut or damaged; after a clean stop and after a kill."""
    for _ in range(RECOVERIES):
        data, begins = draw_log(draw)
        damage(draw, data, begins)
        bases = list(range(0, max(1, len(data)), FILE_BYTES))
        files = {str(b): data[b : b + FILE_BYTES].rstrip(b"\0").hex() for b in bases}
        if draw.random() < 0.15:
            files[str(bases[-1] + FILE_BYTES)] = ""
        if draw.random() < 0.15 and len(files) > 1:
            del files["0"]
        stamp = NOW_MS + draw.choice((0, 2999, 3000, 3001, 3003, 3006, 10_000))
        ask = {
            "kind": "recovery",
            "fileBytes": FILE_BYTES,
            "files": files,
            "abort": draw.random() < 0.5,
            "checkpoint": [stamp, stamp, 0],
            "checkCRCOnRecover": draw.random() < 0.8,
        }
        yield Ask(f"recovery of {len(files)} files", ask)


def draw_single(draw: random.Random) -> bytes:
    """A record with short or long hosts, a short or long topic, damaged or not."""
    flag = draw.choice((0, 0, records.BORN_HOST_IPV6, records.STORE_HOST_IPV6, 0x30))
    plain = Record(
        topic=b"topic",
        queue_id=3,
        queue_offset=9,
        physical_offset_bytes=4096,
        body=draw_body(draw, draw.choice((0, 5, 40))),
        properties=draw.choice((b"", b"TAGS\x01A\x02", b"DELAY\x01x\x02")),
        store_timestamp_ms=NOW_MS,
        born_timestamp_ms=NOW_MS - 1,
        sys_flag=flag,
    )
    data = records.encode(evolve(plain, sys_flag=0)) if not flag else encode_long(plain)
    if draw.random() < 0.3:
        data = lengthen_topic(data, len(plain.properties))
    return data


def encode_long(record: Record) -> bytes:
    """A record whose hosts have twenty bytes where its flag says so."""
    flag = record.sys_flag
    layout = records.HEADERS[flag & 0x30]
    born, store = (
        LONG_HOST if flag & bit else records.LOCALHOST_1
        for bit in (records.BORN_HOST_IPV6, records.STORE_HOST_IPV6)
    )
    plain = records.encode(evolve(record, sys_flag=0))
    fields: list[Any] = list(records.HEADER.unpack_from(plain))
    fields[0] += layout.size - records.HEADER.size
    fields[records.SYS_FLAG_INDEX] = flag
    fields[9], fields[11] = born, store
    return layout.pack(*fields) + plain[records.HEADER.size :]


def lengthen_topic(data: bytes, properties_bytes: int) -> bytes:
    """The record with two bytes for its topic's length, under the other magic."""
    begin = len(data) - properties_bytes - 2 - len(b"topic") - 1
    size, magic = len(data) + 1, records.LONG_TOPIC_MAGIC_CODE
    return struct.pack(">ii", size, magic) + data[8:begin] + b"\0" + data[begin:]


def list_records(draw: random.Random) -> Iterator[Ask]:
    """Single records, with bytes behind them, cut, or with a changed byte."""
    yield Ask("a blank", {"kind": "record", "bytes": "00000040cbd43194", "checkCRC": True})
    yield Ask("a cut blank", {"kind": "record", "bytes": "00000040cbd431", "checkCRC": True})
    for _ in range(RECORDS):
        data = bytearray(draw_single(draw) + bytes(draw.choice((0, 0, 8))))
        way = draw.choice(("none", "none", "none", "cut", "byte", "size"))
        if way == "cut":
            del data[draw.choice((4, 8, 20, 87, 88, 90, 91, len(data) - 1)) :]
        elif way != "none":
            data[3 if way == "size" else draw.randrange(len(data))] ^= draw.choice((1, 4, 0x80))
        ask = {"kind": "record", "bytes": data.hex(), "checkCRC": draw.random() < 0.8}
        yield Ask(f"a record of {len(data)} bytes", ask)


def list_asks(release: str) -> Iterator[Ask]:
    """All kinds for 4.4.0; of later releases the format of a record is known."""
    draw = random.Random(SEED)
    yield from list_records(draw)
    if release == USUAL:
        yield from list_puts(draw)
        yield from list_appends(draw)
        yield from list_recoveries(draw)


HOSTS = dict.fromkeys(("bornHost", "storeHost"), schema.HEX)
ITEM = {"body": schema.HEX, "properties": schema.TEXT, "flag": schema.INTEGER}
COMMON = {
    "topic": schema.TEXT,
    **HOSTS,
    **dict.fromkeys(("queueId", "sysFlag", "bornTimestamp", "storeTimestamp"), schema.INTEGER),
}
PUT: Data = {
    "oneOf": [
        schema.make_object({**COMMON, **ITEM, "reconsumeTimes": schema.COUNT}),
        schema.make_object({**COMMON, "batch": schema.make_list(schema.make_object(ITEM))}),
    ]
}
FRAME = schema.describe(
    {"type": "array", "prefixItems": [schema.INTEGER, schema.HEX]}, "Offset and bytes."
)
ASKS: Mapping[str, Data] = {
    "put": schema.make_object(
        {
            "brokerRole": schema.make_choice("ASYNC_MASTER", "SLAVE"),
            "fileBytes": schema.COUNT,
            "maxMessageSize": schema.COUNT,
            "puts": schema.make_list(PUT),
        }
    ),
    "append": schema.make_object({"fileBytes": schema.COUNT, "frames": schema.make_list(FRAME)}),
    "recovery": schema.make_object(
        {
            "fileBytes": schema.COUNT,
            "files": schema.describe(
                schema.make_table(schema.HEX), "By offset; zeros follow up to the file's size."
            ),
            "abort": schema.FLAG,
            "checkpoint": schema.describe(
                schema.make_list(schema.COUNT), "Time stamps of log, queues, index (ms)."
            ),
            "checkCRCOnRecover": schema.FLAG,
        }
    ),
    "record": schema.make_object({"bytes": schema.HEX, "checkCRC": schema.FLAG}),
}
