"""Output: progress, workers, new files and exit codes."""
