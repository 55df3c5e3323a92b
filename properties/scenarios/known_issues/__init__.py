"""The catalogue of known issues: documented problems as scenarios that are run, or as decisions."""
