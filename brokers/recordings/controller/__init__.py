"""Recordings of controller mode: what epoch files, the SyncStateSet and roles are shown to be."""
