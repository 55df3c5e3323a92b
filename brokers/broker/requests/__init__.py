"""What a broker answers to each request, and by which rules of the reference it decides."""
