"""Failures by the names of their classes: which exit code each has, without importing any."""

from __future__ import annotations

from command_line.output import exit_codes

BAD_INPUT = (
    "BatchError",
    "BrokerLogError",
    "CampaignError",
    "ClosedPeerError",
    "ConfigurationError",
    "EpochRefusedError",
    "IdentifierError",
    "IssueError",
    "ItfError",
    "QuestionError",
    "RecordingFileError",
    "SiteError",
    "StoreError",
    "StoreFailedError",
    "StoreLockedError",
    "TablesFailedError",
    "TraceError",
    "WriteFailedError",
)
MISSING_PREREQUISITE = (
    "MissingCompilerError",
    "MissingPrerequisiteError",
    "MissingSpinError",
    "SpinError",
)


def is_bad_input(problem: Exception) -> bool:
    """A file or an argument cannot be used."""
    return type(problem).__name__ in BAD_INPUT or isinstance(problem, OSError)


def get_exit_code(problem: Exception) -> int | None:
    """The exit code of a failure; None for a defect of this program."""
    name = type(problem).__name__
    if is_bad_input(problem):
        return exit_codes.BAD_INPUT
    if name in MISSING_PREREQUISITE:
        return exit_codes.MISSING_PREREQUISITE
    if name == "SolverGaveUpError":
        return exit_codes.UNDECIDED
    if name == "InternalDisagreementError":
        return exit_codes.INTERNAL_DISAGREEMENT
    return None
