"""The catalogue of known issues: documented problems as runnable scenarios or as decisions."""
