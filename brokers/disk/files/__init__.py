"""A store's folders and files: found, and read without a change."""
