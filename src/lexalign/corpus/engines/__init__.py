"""Engines, which translate the shards of a job: processes of this machine, or Ray."""
