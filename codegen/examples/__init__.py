"""An example for every element of a schema: a short document with it that is valid by the schema's own
rules.
"""

from .build import Example, examples

__all__ = ["Example", "examples"]
