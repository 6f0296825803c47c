"""What the benchmarks share; the scripts beside this folder are the benchmarks."""
