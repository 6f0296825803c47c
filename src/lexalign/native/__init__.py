"""Kernels of our own for a decoding step on a CPU, in C++; see `kernels/decoder.h`."""
