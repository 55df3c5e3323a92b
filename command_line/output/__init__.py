"""Output: progress, workers, new files, exit codes, and answers that are remembered."""
