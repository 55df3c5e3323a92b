"""What ``rmqspec conform`` says: of cases, of vectors, as lines, JSON, JUnit and a page."""
