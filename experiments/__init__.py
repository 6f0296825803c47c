"""What the library is measured and shipped by: the paper's tables, the bundled models, and single studies."""
