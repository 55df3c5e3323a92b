"""The cases, by what they hold a broker to; each is a schedule, none says what has to come."""
