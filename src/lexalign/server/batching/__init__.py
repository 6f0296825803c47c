"""Batching of the requests of many clients, and their distribution over workers."""
