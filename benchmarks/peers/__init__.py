"""The reference engines: models and states built from ours, timed in their own loops."""
