"""Groups under a controller: epochs, the SyncStateSet, handshakes and elections."""
