"""Rules with one mistake each, and what finds it: the judges of the model's own checks."""
