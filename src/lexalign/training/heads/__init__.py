"""Training of alignment heads beside frozen translation models."""
