"""What all routes share: request bodies, responses, errors, limits, keys, metrics."""
