"""Studies of one question each, which print the tables of a page in docs/."""
