"""What all routes share: limits, keys, errors, metrics, and clients that leave."""
