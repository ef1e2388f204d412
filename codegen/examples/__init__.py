"""An example of every element of a schema: a short document around it that the schema's own rules allow."""

from .build import Example, examples

__all__ = ["Example", "examples"]
