"""The server's own API, under /v1."""
