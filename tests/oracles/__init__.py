"""Independent references for the dynamics of a model: other engines and finite differences, never our own
kernels.
"""
