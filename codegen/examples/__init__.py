"""An example for every element of a schema: a short document with it that is valid by the schema's own
rules.

build            the shortest document with an element that the schema's declarations and rules allow
sample_document  the documents of examples, and their text
sample_values    the values in examples: samples from the schema, defaults, or plain values of their type
"""

from .build import Example, examples

__all__ = ["Example", "examples"]
