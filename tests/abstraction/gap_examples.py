"""The smallest example of each gap, open or closed: the group before the step, and the step."""

from __future__ import annotations

from collections.abc import Callable

from reference.store import put
from reference.store.allocation import Creation
from tests.abstraction import ends, steps
from tests.abstraction.covering import Step
from tests.abstraction.group import FILE_SIZE, make_group


class History:
    """A group, and what was done to it last."""

    def __init__(self) -> None:
        self.group = make_group()
        self.before = self.group
        self.step: Step | None = None

    def do(self, make: Callable[..., Step | None], *facts: object, **more: object) -> History:
        """One more step, which has to be possible."""
        self.before, self.step = self.group, make(self.group, *facts, **more)
        assert self.step is not None
        self.group = self.step.after
        return self

    def put(self, size: int, properties: int = 0, *, is_followed: bool = False) -> History:
        """A message of so many bytes."""
        text = f"k\x01{'v' * (properties - 3)}\x02" if properties else ""
        body = bytes(1 + i % 255 for i in range(size - properties - 92))
        message = put.MessageToPut("T", 0, body=body, properties=text)
        return self.do(steps.put_message, message, is_followed=is_followed)

    def copy(self, size: int = FILE_SIZE, creation: Creation = Creation.POSSIBLE) -> History:
        """A frame of at most so many bytes comes to the slave."""
        if not self.group.link.is_open:
            self.group = steps.connect(self.group)
        self.group = steps.send(self.group, size)
        return self.do(steps.append, size, creation)

    def reopen_slave(self) -> History:
        """The slave is killed and starts again."""
        return self.do(ends.kill, "slave").do(ends.restart_slave)


def keep_blank() -> History:
    """A master is killed behind its blank; the next file is there."""
    return History().put(100).do(steps.fill_file).do(ends.kill, "master").do(ends.restart_master)


def keep_blank_in_power_loss() -> History:
    """The same after a power loss that keeps the blank's first bytes."""
    lost = History().put(100).do(steps.fill_file)
    return lost.do(ends.lose_master_power, 300, 0)


def find_refused_file() -> History:
    """The file for a first frame was refused, made, and found."""
    refused = History().put(100).copy(creation=Creation.NOTHING)
    return refused.copy(0).reopen_slave()


def lose_log_to_refused_file() -> History:
    """The refused file lies before the one that the slave's log begins with: it loses all."""
    refused = History().put(400).copy(creation=Creation.NOTHING).put(300)
    return refused.copy().copy().reopen_slave()


def make_file_inside() -> History:
    """A first frame is thrown away, and the next one has no bytes."""
    thrown = History().put(100).copy(creation=Creation.NOTHING)
    thrown.copy(0)
    return thrown.copy(0)


def move_cursor() -> History:
    """A slave begins at the second file with a record in part."""
    begun = History().put(400).put(300).copy(50)
    return begun.do(steps.dispatch_broker, "slave")


def break_queues() -> History:
    """A record without properties is cut inside its topic."""
    message = put.MessageToPut("TopicA", 0, body=b"b")
    torn = History().do(steps.put_message, message, is_followed=False).copy(94)
    torn.reopen_slave().do(ends.begin_stop, "slave")
    return torn.do(ends.finish_stop, "slave", is_dispatched=True)


def expire_last_bytes() -> History:
    """A heartbeat makes the next file, and the full one expires."""
    full = History().put(100).copy().do(steps.fill_file).copy().copy(0)
    return full.do(steps.expire, "slave")


def mix_lives() -> History:
    """A followed record of 200 bytes, of which the slave got 160, and 90 of another one."""
    torn = History().put(200, 60, is_followed=True).copy(160).do(ends.lose_master_power, 0, 0)
    return torn.put(250).copy(90).reopen_slave()


def dispatch_mixed_record() -> History:
    """The same, and the slave's dispatcher reads it."""
    torn = History().put(200, 60, is_followed=True).copy(160).do(ends.lose_master_power, 0, 0)
    return torn.put(250).copy(90).do(steps.dispatch_broker, "slave")


def mix_lives_beyond_master() -> History:
    """The same, with another record that ends before the first one did; none is followed."""
    torn = History().put(200, 60).copy(160).do(ends.lose_master_power, 0, 0)
    return torn.put(163).copy(3).reopen_slave()


def tear_at_master() -> History:
    """The master keeps 150 of 200 bytes and takes them for whole; the slave has 145."""
    torn = History().put(200, 60).copy(145).do(ends.lose_master_power, 150, 0)
    return torn.do(ends.kill, "slave").do(ends.restart_slave)


def expire_seam() -> History:
    """The master deletes the file with the seam, the slave restarts."""
    mixed = History().put(222).copy(57).do(ends.lose_master_power, 0, 0).put(142).copy(85)
    return mixed.put(500).copy().copy().do(steps.expire, "master").reopen_slave()


def lose_early_page() -> History:
    """A page of properties in the first of two files is lost, all others are kept."""
    copied = History().put(200, 100).copy().put(200).put(200).copy().copy()
    return copied.do(ends.lose_slave_power, 128, ~(1 << 4))


def lose_only_file() -> History:
    """A slave's only file was never forced, and its folder's entry neither."""
    return History().put(200).copy().do(ends.lose_slave_power, 0, 0, are_files_lost=True)


EXAMPLES: dict[Callable[[], History], str] = {
    find_refused_file: "first file made in advance",
    lose_log_to_refused_file: "first file made in advance",
    break_queues: "queues that cannot be written",
    dispatch_mixed_record: "record of two lives",
    lose_only_file: "file gone with its name",
    lose_early_page: "pages of a later file",
}
"""Which gap each is an example of."""

CLOSED: tuple[Callable[[], History], ...] = (
    expire_last_bytes,
    keep_blank,
    keep_blank_in_power_loss,
    make_file_inside,
    move_cursor,
    mix_lives,
    mix_lives_beyond_master,
    tear_at_master,
    expire_seam,
)
"""Examples of what was a gap once."""
