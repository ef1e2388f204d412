"""Independent opinions on what a model does: reference engines, finite differences; never our own kernels."""
