"""What ``rmqspec trace`` says of a recording."""
