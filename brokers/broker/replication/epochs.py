"""The epochs of a broker in controller mode: in its file, and as leaves of the rules.

The rules count epochs from 0 on; a controller's numbers have gaps. So the numbers that a broker
and its peer know are put into their places in order.
Source: EpochFileCache of 5.3.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import define, field

from brokers.broker.ruled_state import RuledState
from brokers.broker.storage.store_files import StoreFiles
from brokers.disk.files.checkpoint_files import Epoch
from reference.worlds.replication.controller.epochs import NO_EPOCH


class EpochRefusedError(Exception):
    """A broker is told to be the master of an epoch that is over: one line."""


@define(eq=False, repr=False)
class LiveEpochs:
    """``EpochFileCache``: a broker's own list, in memory and on disk."""

    files: StoreFiles
    entries: tuple[Epoch, ...] = ()
    received: int = NO_EPOCH
    """``AutoSwitchHAClient.currentReceivedEpoch``: the number that a frame has named last."""

    def load(self) -> None:
        """``#initCacheFromFile``. Raises OSError."""
        self.entries = self.files.read_epochs()

    @property
    def last_number(self) -> int:
        """``#lastEpoch``; -1 without any."""
        return self.entries[-1].number if self.entries else NO_EPOCH

    def keep(self, entries: Iterable[Epoch]) -> None:
        """Have these entries from now on; an emptied list is not written. Raises OSError."""
        changed = tuple(entries)
        if changed != self.entries:
            self.entries = changed
            self.files.write_epochs(changed)

    def list_rows(self) -> list[list[int]]:
        """Each entry's number, begin and end; the last one has none (-1)."""
        following = (*self.entries[1:], None)
        return [
            [entry.number, entry.begin_offset, -1 if later is None else later.begin_offset]
            for entry, later in zip(self.entries, following, strict=False)
        ]


@define(eq=False, repr=False)
class EpochPlaces:
    """Which number has which place in the rules' lists."""

    rules: RuledState
    numbers: tuple[int, ...] = field(default=())

    def number(self, *lists: Iterable[int]) -> None:
        """Give the latest of these numbers their places."""
        known = sorted({number for each in lists for number in each if number >= 0})
        self.numbers = tuple(known[-self.rules.structure.lives :])

    def find(self, number: int) -> int:
        """The place of a number; -1 if it has none."""
        return self.numbers.index(number) if number in self.numbers else NO_EPOCH

    def learn(self, broker: int, entries: Sequence[Epoch], current: int) -> None:
        """Tell the rules a broker's list, and the number of its current epoch."""
        begins = {entry.number: entry.begin_offset for entry in entries}
        path = f"epoch_files.{broker}"
        leaves = dict.fromkeys(
            (f"{path}.starts.{place}" for place in range(self.rules.structure.lives)), NO_EPOCH
        )
        for place, number in enumerate(self.numbers):
            leaves[f"{path}.starts.{place}"] = begins.get(number, NO_EPOCH)
        leaves[f"{path}.current_epoch"] = self.find(current)
        self.rules.learn_all(leaves)

    def list_entries(self, starts: Sequence[int]) -> tuple[Epoch, ...]:
        """Entries of a list of the rules, under the controller's numbers."""
        named = zip(self.numbers, starts, strict=False)
        return tuple(Epoch(number, start) for number, start in named if start != NO_EPOCH)

    def take_over(self, broker: int, own: LiveEpochs) -> None:
        """Have on disk what the rules have made of the list of this broker. Raises OSError."""
        path = f"epoch_files.{broker}"
        starts = [self.rules.get(f"{path}.starts.{place}") for place in range(len(self.numbers))]
        earlier = (e for e in own.entries if self.numbers and e.number < self.numbers[0])
        own.keep((*earlier, *self.list_entries(starts)))
        current = self.rules.get(f"{path}.current_epoch")
        own.received = self.numbers[current] if current != NO_EPOCH else own.received
