"""Masters whose frames have other bounds, or another header."""

from __future__ import annotations

import struct

from brokers.broker.host import Transport
from brokers.broker.mutants.mutant import mutant
from brokers.broker.mutants.positions import move
from brokers.broker.mutants.walking import compute_whole_bytes, is_blank
from brokers.broker.replication.master_ha import HaConnection, MasterHa
from brokers.wire.replication import FRAME_HEADER

SOURCE = "HAConnection.WriteSocketService#run, DefaultMessageStore#getCommitLogData"
BATCHES = "implementers.md#7-batches-are-bytes-not-messages"
HEADER = "wire_format.md#the-frame-master-to-slave"
LARGE_BYTES = 2**21
"""A slave's buffer still holds it."""


@mutant(BATCHES, SOURCE)
class FramesEndAtMessages(MasterHa):
    """A frame has whole messages only, as long as one fits."""

    def _limit_batch(self, connection: HaConnection, begin: int, size: int) -> int:
        """Less than could be sent."""
        return compute_whole_bytes(self.store.read(begin, size)) or size


@mutant("replication.md#transfer_batch", SOURCE)
class FramesCrossFiles(MasterHa):
    """A frame goes on in the next file of the log."""

    def _send_batch(self, connection: HaConnection, transport: Transport) -> bool:
        """The rest of one file, and of the next."""
        begin = connection.get("next_transfer_offset")
        if self.rules.find_ranges(connection.name("transfer_batch")) is None:
            return False
        limit = self.rules.parameters.ha_transfer_batch_size_bytes
        body = self.store.read(begin, limit)
        while piece := self.store.read(begin + len(body), limit - len(body)):
            body += piece
        if body:
            move(self, connection, begin + len(body))
            connection.last_write_ms = self.host.now_ms()
            transport.send(self.encode(connection, begin, body))
        return bool(body)


@mutant("replication.md#transfer_batch", SOURCE)
class FramesLargerThanABatch(MasterHa):
    """A frame has all bytes up to the end of the file, whatever haTransferBatchSize says."""

    def accept(self, connection: HaConnection) -> None:
        """The rules are told of another size."""
        self.rules.learn_all({"parameters.ha_transfer_batch_size_bytes": LARGE_BYTES})
        super().accept(connection)


@mutant(HEADER, SOURCE)
class FrameNamesItsEnd(MasterHa):
    """A frame carries the offset behind its last byte, not that of its first."""

    def encode(self, connection: HaConnection, offset: int, body: bytes) -> bytes:
        """Another offset."""
        return super().encode(connection, offset + len(body), body)


@mutant(HEADER, SOURCE)
class LengthCountsTheHeader(MasterHa):
    """The length in a frame counts its header, too."""

    def encode(self, connection: HaConnection, offset: int, body: bytes) -> bytes:
        """Twelve more."""
        return FRAME_HEADER.pack(offset, len(body) + FRAME_HEADER.size) + body


@mutant(HEADER, SOURCE)
class FramesAreLittleEndian(MasterHa):
    """Offset and length of a frame have their lowest byte first."""

    def encode(self, connection: HaConnection, offset: int, body: bytes) -> bytes:
        """The order of most processors."""
        return struct.pack("<qi", offset, len(body)) + body


@mutant("commit_log.md#files-and-the-blank-at-the-end-of-a-file", SOURCE)
class BlanksAreLeftOut(MasterHa):
    """The blank at the end of a file is not sent: the next frame begins with the next file."""

    def _limit_batch(self, connection: HaConnection, begin: int, size: int) -> int:
        """Up to the blank."""
        data = self.store.read(begin, size)
        whole = compute_whole_bytes(data)
        return whole if whole and is_blank(data[whole:]) else size

    def _send_batch(self, connection: HaConnection, transport: Transport) -> bool:
        """Over the blank."""
        begin = connection.get("next_transfer_offset")
        size = self.settings.number("mapedFileSizeCommitLog")
        if is_blank(self.store.read(begin, size)):
            move(self, connection, begin - begin % size + size)
        return super()._send_batch(connection, transport)


@mutant("wire_format.md#the-life-of-a-connection", SOURCE)
class WaitsForEachReport(MasterHa):
    """A frame is sent only when the one before it is reported."""

    def _send_batch(self, connection: HaConnection, transport: Transport) -> bool:
        """One frame at a time."""
        is_first = connection.get("next_transfer_offset") == connection.get("transfer_start_offset")
        reported = connection.get("slave_ack_offset")
        if not is_first and reported < connection.get("next_transfer_offset"):
            return False
        return super()._send_batch(connection, transport)


@mutant("implementers.md#13-consumers-see-messages-that-are-neither-flushed-nor-copied", SOURCE)
class SendsFlushedBytesOnly(MasterHa):
    """A slave is sent only what the master has flushed."""

    def _limit_batch(self, connection: HaConnection, begin: int, size: int) -> int:
        """Up to what is on the disk."""
        return max(0, min(size, self.store.flushed_offset - begin))
