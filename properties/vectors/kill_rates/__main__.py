"""Measures how many mistakes the vectors of each set notice.

    python -m properties.vectors.kill_rates [SET]...

The result is kept in ``.rmqspec/measurements/kill_rates.json``, the numbers of vectors in
``counts.json`` here. The log takes three minutes, the other sets half a minute. What is no mistake
of a rule is known after ``./rmqspec mutants`` only. ``--check`` only says, by 1, if there is no
measurement of these rules.
"""

from __future__ import annotations

import sys
import time

from properties.judges.measurements import read_measurement
from properties.vectors.kill_rates.table import (
    MEASUREMENT,
    SET_NAMES,
    count_vectors,
    load_counts,
    load_table,
    measure,
    save_counts,
    save_table,
)


def main(names: list[str]) -> int:
    """Measure these sets, or all."""
    measured = read_measurement(MEASUREMENT)
    is_current = measured is not None and measured.is_of_these_rules
    if names == ["--check"]:
        return int(not is_current)
    if unknown := [name for name in names if name not in SET_NAMES]:
        print(f"{unknown[0]} is none of {', '.join(SET_NAMES)}", file=sys.stderr)
        return 3
    table, counts = load_table() if is_current else {}, load_counts()
    for name in names or SET_NAMES:
        begin = time.monotonic()
        counts[name] = count_vectors(name)
        save_counts(counts)
        table[name] = rate = measure(name)
        save_table(table)
        print(f"{name}: {rate.killed} of {rate.mutants}, {time.monotonic() - begin:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
