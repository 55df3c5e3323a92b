"""Decisions of brokers, clients and the name server that are plain functions."""
