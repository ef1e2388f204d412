"""Code compiled for one Model: programs, their cache, keys and command, and steppers that use them."""
