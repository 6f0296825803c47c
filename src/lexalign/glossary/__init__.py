"""Terms and constraints as people have them: files, and samples from gold alignments."""
