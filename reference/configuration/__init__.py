"""Configuration: keys, files, and the broker groups that they make."""
