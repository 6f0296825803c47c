"""Jobs that take longer than a request may: each in a process of its own, one after the other."""
