"""Models that try to make kernels read or write outside of their arrays."""
