"""One followed message stands for all: what makes two of them behave as one.

A proof follows one arbitrary message. That what holds of it holds of every one needs that messages
do not get in one another's way, in the log and in the line of the group transfer. With the lemma
below all that is proved of one followed message is proved of two, which a test asks.
"""

from __future__ import annotations

import itertools

from properties.property import Property, PropertyRole
from reference.lineage import is_written
from reference.operations import all_of, implies
from reference.state import NOT_SENT, Cluster


def followed_messages_do_not_overlap(cluster: Cluster) -> bool:
    """Of two followed messages the one that is put first is in an older life, or lies before."""
    return all_of(
        *(
            all_of(
                implies(later.phase > NOT_SENT, earlier.phase > NOT_SENT),
                implies(
                    is_written(earlier) & is_written(later),
                    (earlier.ghost_life < later.ghost_life)
                    | (
                        (earlier.ghost_life == later.ghost_life)
                        & (earlier.end_offset <= later.start_offset)
                    ),
                ),
            )
            for earlier, later in itertools.combinations(cluster.messages, 2)
        )
    )


TWO_MESSAGE_LEMMAS = {
    "followed_messages_do_not_overlap": Property(
        "followed_messages_do_not_overlap",
        PropertyRole.LEMMA,
        followed_messages_do_not_overlap,
        "Else the bytes of a second message follow the first one's beginning, which looks torn.",
    )
}
"""What proofs about more than one followed message need besides."""
