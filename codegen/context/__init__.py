"""From schema model to immutable contexts. All decisions are made here; templates only arrange text.

contract        the files of generated/kernels/contract: what C shares with Cython and Python
documents       schema model to the document classes of a format: ``documents.py`` and the package's
                ``__init__.py``
editor          from schema model to XSD 1.0, for editors that support only that: the same names, values and
                documentation
formulas        the files of generated/kernels/formulas: formulas of rows and contacts as C functions
kernels         the generic kernels: codegen/physics traced over the columns of model.xsd, as texts for the
                templates
pages           schema model to the reference as a site: a page for each element, with its example, in
                Markdown
paired          kernels that compute two cases at the same time, as C texts: see staging/pairs.py
plan            the plan of the kernels, from the traces of their algorithms: their order, what each of them
                reads and writes, and on which stages of a step each sensor depends
records         records of the contract: their layout in memory, and their declarations in C, Cython and
                NumPy
reference       schema model to reference pages: a Markdown page per format, and one of the canonical model
rules           the rules of an element as rows of the classes of runtime/base
supported       declarations of a schema that no row class of runtime/base can represent: they are reported,
                never dropped
tables          schema model to the reader's tables: ``tables.py``, rows of the classes of runtime/base
words           values of the schema model as Python types, Python expressions and plain words
"""
