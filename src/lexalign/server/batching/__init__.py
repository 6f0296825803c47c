"""Requests of many clients made batches, and spread over workers."""
