"""Records of a log on disk: the way through them, and what lies at an offset."""
