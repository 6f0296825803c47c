"""A server that is started for a benchmark, its clients, and what is measured of it."""
