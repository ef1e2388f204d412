"""A format for tests: it has features that x_xy lacks, to test that the reader works with any tables."""

from .documents import Box, Item, Note, Pose, Shade, Small, Usual
from .tables import FORMAT, ITEM_ATTRIBUTES

__all__ = ["FORMAT", "ITEM_ATTRIBUTES", "Box", "Item", "Note", "Pose", "Shade", "Small", "Usual"]
