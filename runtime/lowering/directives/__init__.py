"""From model directives to Models, as Drake executes them.

scene         executes the directives, one after another, on a Plant
lowering      the entry point
"""

from polybody.lowering.directives.lowering import Lowered, lower

__all__ = ["Lowered", "lower"]
