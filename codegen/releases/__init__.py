"""What a release of MuJoCo says of MJCF, beside our schema: ``python -m codegen.releases mjcf 4.0.0``.

The library of a release prints its elements and attributes, its manual has their types and defaults. The
differences from our schema are printed as lines for the schema. Nothing is changed.

comparison      the differences between two descriptions, as rows
described       a format as paths of elements with their attributes
files           the library and the manual of a release: installed, or in a wheel that pip downloads
manual          types and defaults from the XML reference of MuJoCo's manual
ours            a schema of ours as such a description
printed         elements and attributes from the library's own table
"""
