"""Which real files the policies accept, compared with the engine of their format."""
