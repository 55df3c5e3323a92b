"""Steps that nobody notes: which there are, when each is taken, and by when."""
