"""Whole corpora: files in, shards of translations out, exactly once however often the job is killed."""
