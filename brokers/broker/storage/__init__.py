"""A broker's store and tables, in memory and in real files."""
