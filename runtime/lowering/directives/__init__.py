"""From model directives to Models, as Drake carries them out.

scene         the directives, one after the other, on a Plant
lowering      the whole
"""

from polybody.lowering.directives.lowering import Lowered, lower

__all__ = ["Lowered", "lower"]
