"""What brokers and a controller of 5.x know of each other: epochs, and the SyncStateSet."""
