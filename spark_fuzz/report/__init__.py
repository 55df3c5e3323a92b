"""Reports: summaries of a campaign, classes of violations, pages and curves."""
