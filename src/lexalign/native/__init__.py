"""Kernels of our own for a decoding step, in C++: `kernels/decoder.h`; for a GPU, `device_kernels.cu`."""
