"""Our kernels, timed in loops as the peers are."""
