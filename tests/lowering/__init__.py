"""Documents made Models: what each line of a format means, its joints against independent engines."""
