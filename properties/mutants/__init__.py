"""One mistake each: in source, or in the recorded terms of a rule; and the judges of rules."""
