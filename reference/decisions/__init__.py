"""Decisions of brokers, clients and the name server, as plain functions."""
