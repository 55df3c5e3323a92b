"""A broker among others: its clients, its name servers, its master."""
