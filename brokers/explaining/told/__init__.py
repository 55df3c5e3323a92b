"""What is told of an explanation: the verdict, its events and steps, what became of puts."""
