"""The entry point `rmqspec`: reads arguments, calls the rooms, prints. No logic of its own."""
