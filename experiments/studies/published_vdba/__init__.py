"""VDBA by its published rules, slow and readable, to hold ours against."""
