"""Tests of the machines, the algorithms and the emitted kernels."""
