"""The report of a campaign, as one page."""
