"""How a beam's next candidates are proposed; each policy is one file."""
