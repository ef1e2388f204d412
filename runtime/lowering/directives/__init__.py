"""From model directives to Models, as Drake executes them.

scene         executes the directives, one after another, on a Plant
lower         the entry point
"""

from polybody.lowering.directives.lower import lower

__all__ = ["lower"]
