"""Translation of whole corpora: files in, shards of translations out, each once, whatever is killed."""
