"""Whether a broker starts over the files that its end left: one broker, and its newest files."""
