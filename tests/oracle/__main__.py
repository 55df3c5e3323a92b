"""Ask every row of the oracle's tables of the store in ``reference/store``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.oracle.comparing import Comparison, UnreadableError, compare

EXIT_DIFFERENT = 1
EXIT_UNREADABLE = 3

EPILOG = """\
examples:
  python -m tests.oracle tests/data/oracle_store/recovery.jsonl.xz
  python -m tests.oracle ../shared/oracle/store/*.jsonl
  python -m tests.oracle --first 50 ../shared/oracle/store/expiry.jsonl

exit codes: 0 every row is answered alike, 1 one is not, 3 a file cannot be read.
Rows that are marked as races may differ; they are counted apart.
"""


def make_parser() -> argparse.ArgumentParser:
    """Options and their help."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.oracle",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a table of rows")
    parser.add_argument(
        "--first", type=int, default=10, metavar="N", help="differences to print (default 10)"
    )
    return parser


def print_comparison(comparison: Comparison, first: int) -> None:
    """One line for a table, then one for each difference."""
    print(
        f"{comparison.name}: {comparison.row_count} rows,"
        f" {comparison.alike_count} answered alike,"
        f" {len(comparison.differences)} different,"
        f" may differ: {comparison.may_differ_count} ({len(comparison.may_differ)} do)"
    )
    for difference in comparison.differences[:first]:
        print(f"  {difference}")
    for difference in comparison.may_differ[:first]:
        print(f"  may differ: {difference}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; the exit code."""
    options = make_parser().parse_args(arguments)
    code = 0
    for file in options.files:
        try:
            comparison = compare(file)
        except UnreadableError as error:
            print(f"cannot read {error}", file=sys.stderr)
            return EXIT_UNREADABLE
        print_comparison(comparison, options.first)
        code = EXIT_DIFFERENT if comparison.differences else code
    return code


if __name__ == "__main__":
    sys.exit(main())
