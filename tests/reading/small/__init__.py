"""A format made for tests: it has what x_xy lacks, so that the reader is seen to serve any tables."""

from .documents import Box, Item, Note, Pose, Shade, Small, Usual
from .tables import FORMAT, ITEM_ATTRIBUTES

__all__ = ["FORMAT", "ITEM_ATTRIBUTES", "Box", "Item", "Note", "Pose", "Shade", "Small", "Usual"]
