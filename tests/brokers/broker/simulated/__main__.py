"""A command for testers: writes a recording of brokers of our own to its output."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from reference.releases.versions import VersionError, parse_version
from tests.brokers.broker.simulated.group import Group
from tests.brokers.broker.simulated.scenarios import SCENARIOS


def make_parser() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.brokers.broker.simulated",
        description="Writes a recording of brokers of our own on a simulated network as JSON lines."
        " Each of their steps is one of the rules: a checker that does not explain it has a"
        " mistake, or they have.",
    )
    parser.add_argument("--seed", type=int, default=0, help="of all that is drawn (default 0)")
    parser.add_argument(
        "--events", type=int, default=500, help="how many lines at least (default 500)"
    )
    parser.add_argument(
        "--cut-off", action="store_true", help="end after so many, though puts are under way"
    )
    parser.add_argument("--release", default="4.9.8", help="of the brokers (default 4.9.8)")
    parser.add_argument("--scenario", default="healthy", choices=sorted(SCENARIOS))
    return parser


def main() -> int:
    """Writes the recording; 2 for a release that the model does not know."""
    given = make_parser().parse_args()
    try:
        parse_version(given.release)
    except VersionError as problem:
        print(problem, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        group = Group(SCENARIOS[given.scenario], given.release, given.seed, Path(folder))
        group.run(given.events)
        sys.stdout.write(group.dump(given.events if given.cut_off else None))
    return 0


if __name__ == "__main__":
    sys.exit(main())
