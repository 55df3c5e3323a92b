"""Slaves that take frames otherwise."""

from __future__ import annotations

from attrs import define

from brokers.broker.host import Transport
from brokers.broker.mutants.mutant import mutant
from brokers.broker.replication.slave_ha import SlaveHa
from brokers.wire.replication import FRAME_HEADER, Frame, FrameReader

TAKE = "HAClient#dispatchReadRequest"
APPEND = f"{TAKE}, CommitLog#appendData"
REFUSED, FRAME = "replication.md#refuse_frame", "wire_format.md#the-frame-master-to-slave"


class WholeFrames(SlaveHa):
    """It compares a frame's offset with the log's end when its body is whole, not before."""

    def _bear_header(self) -> bool:
        """A header alone says nothing."""
        return self.transport is not None


class Lenient(WholeFrames):
    """It has a way of its own with frames that do not begin where its log ends."""

    def take_other(self, frame: Frame) -> bool:
        """Such a frame; False: the connection is closed as usual."""
        raise NotImplementedError

    def _take_learnt(self, frame: Frame) -> bool:
        """It is not closed for it."""
        if self.rules.can("refuse_frame[0]") and self.take_other(frame):
            return True
        return super()._take_learnt(frame)

    def store_rest(self, frame: Frame) -> bool:
        """Append a body at the log's end, and report that."""
        if self.store.append_frame(frame.offset, frame.body):
            self.store.note_append()
            self.reported = self.store.max_offset
            self._report(is_timed=False)
        return True


@mutant(REFUSED, TAKE)
class IgnoresFramesOutOfStep(Lenient):
    """A frame that does not begin where the log ends is left out, and nothing is closed."""

    def take_other(self, frame: Frame) -> bool:
        """It never came."""
        return True


@mutant(REFUSED, TAKE)
class AppendsFramesOutOfStep(Lenient):
    """A frame that does not begin where the log ends is appended there all the same."""

    def take_other(self, frame: Frame) -> bool:
        """Bytes are bytes."""
        return self.store_rest(frame) if frame.body else False


@mutant(REFUSED, TAKE)
class TrimsFrames(Lenient):
    """Of a frame that begins below the log's end only the rest is appended."""

    def take_other(self, frame: Frame) -> bool:
        """What is known is not taken twice."""
        known = self.store.max_offset - frame.offset
        if not 0 < known <= len(frame.body):
            return False
        return self.store_rest(Frame(self.store.max_offset, frame.body[known:]))


@mutant(REFUSED, TAKE)
class TruncatesToTheMaster(Lenient):
    """A slave whose log is longer than where a frame begins cuts it there."""

    def take_other(self, frame: Frame) -> bool:
        """Its master knows better."""
        if not self.store.min_offset <= frame.offset < self.store.max_offset:
            return False
        self.store.truncate(frame.offset)
        self.store.learn_log()
        return self.store_rest(frame)


@mutant("wire_format.md#closing-a-connection", TAKE)
class ComparesWholeFramesOnly(WholeFrames):
    """A frame's offset is compared with the log's end when its body is whole, not before."""


@mutant("wire_format.md#the-heartbeat", TAKE)
class HeartbeatsAreNotCompared(Lenient):
    """The offset of a heartbeat is not compared with the log's end."""

    def take_other(self, frame: Frame) -> bool:
        """It only tells that the master lives."""
        return not frame.body


@mutant("implementers.md#6-a-heartbeat-creates-a-file", APPEND)
class HeartbeatsMakeNoFile(SlaveHa):
    """A heartbeat makes no file: an empty slave stays empty until bytes come."""

    def _append(self, frame: Frame) -> None:
        """Nothing is appended for nothing."""
        if frame.body:
            super()._append(frame)


@mutant("replication.md#append_at_wrong_offset", TAKE)
class EmptySlaveCompares(SlaveHa):
    """A slave without bytes closes a connection whose first frame is not at 0."""

    def _take(self, frame: Frame) -> bool:
        """0 is an end as any other one."""
        if self.store.max_offset == 0 and frame.offset != 0:
            self._close("close_idle_connection[0]")
            return False
        return super()._take(frame)


@define
class EagerReader(FrameReader):
    """It hands on what has come of a body."""

    def feed(self, data: bytes) -> list[Frame]:
        """Whole frames, and the part of the last one."""
        frames = super().feed(data)
        part = bytes(self._pending)
        if len(part) > FRAME_HEADER.size:
            offset, length = FRAME_HEADER.unpack_from(part)
            body = part[FRAME_HEADER.size :]
            rest = FRAME_HEADER.pack(offset + len(body), length - len(body))
            self._pending = bytearray(rest)
            frames.append(Frame(offset, body))
        return frames


@mutant(FRAME, TAKE)
class AppendsHalfFrames(SlaveHa):
    """The part of a frame that has come is appended and reported before the rest."""

    def make_reader(self) -> FrameReader:
        """One that does not wait."""
        return EagerReader()


@mutant(FRAME, "HAClient#dispatchReadRequest, #reportSlaveMaxOffsetPlus")
class ReportsAtTheHeader(SlaveHa):
    """A frame is reported when its header has come, before its body."""

    def received(self, data: bytes) -> None:
        """What is to come counts."""
        super().received(data)
        offset, length = self.reader.announced or (-1, 0)
        is_next = self.transport is not None and offset == self.store.max_offset
        if is_next and offset + length > self.reported:
            self.reported = offset + length
            self._report(is_timed=False)


@mutant("wire_format.md#closing-a-connection", "HAClient#closeMaster")
class KeepsHalfFramesOverConnections(SlaveHa):
    """What has come of a frame when a connection ends is joined to what the next one brings."""

    def opened(self, transport: Transport) -> None:
        """The reader stays."""
        reader = self.reader
        super().opened(transport)
        self.reader = reader


@define
class LateReader(FrameReader):
    """It keeps the last whole frame with a body."""

    kept: Frame | None = None

    def feed(self, data: bytes) -> list[Frame]:
        """Those before it."""
        frames = super().feed(data)
        if self.kept is not None and frames:
            frames, self.kept = [self.kept, *frames], None
        if frames and frames[-1].body:
            self.kept = frames.pop()
        return frames


@mutant("replication.md#append_to_slave", APPEND)
class AppendsOneFrameLate(SlaveHa):
    """A frame is appended and reported only when the next one comes."""

    def make_reader(self) -> FrameReader:
        """One that is a frame behind."""
        return LateReader()
