"""What an upgrade changes for a group beside its verdicts: settings that keep them, starts."""
