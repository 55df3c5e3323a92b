"""The words of the Chinese pages, and which pages there are."""
