"""The bytes between brokers, clients and name servers, read and written. Nothing here decides."""
