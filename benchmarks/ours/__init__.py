"""Our kernels, timed in loops as their peers."""
