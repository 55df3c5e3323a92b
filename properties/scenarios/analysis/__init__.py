"""From a broker group's configuration to its verdicts: a module for each world it stands in."""
