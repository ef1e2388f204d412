"""Which real files the policies let in, beside what the engine of their format says."""
