"""How long a put takes, by its answer."""

from __future__ import annotations

from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.view import View
from reference.worlds.replication.state import Message


def get_message(view: View, put: RecordedPut) -> Message:
    """The followed message of a put that was appended."""
    return view.cluster.messages[view.followed.index(put.number)]
