"""A helper process that has torch and models in memory, and runs commands in forks of itself.

A command hands over its arguments, folder, environment and its standard streams, and waits for the exit code.
So a sentence from a shell does not wait for imports. Without a helper, or with one that does not fit, the
command runs by itself, and nobody notices.
"""
