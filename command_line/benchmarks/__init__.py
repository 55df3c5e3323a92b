"""The measurements of ``rmqspec bench``."""
