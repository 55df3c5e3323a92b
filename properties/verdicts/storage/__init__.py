"""Files of certificates and of the tables beside them: what is alike is stored once."""
