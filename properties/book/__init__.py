"""What writes the book: a module for each chapter with generated parts, and what they share."""
