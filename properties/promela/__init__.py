"""Small instances as Promela, and SPIN, the judge that reads it."""
