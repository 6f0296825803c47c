"""APIs of other services, for the clients that people have."""
