"""What a release of a format says of itself, beside our schema: ``python -m codegen.releases mjcf 4.0.0``.

MuJoCo's library prints its elements and attributes; its manual, or its grammar, has their types and defaults.
libsdformat describes SDFormat in files. The differences from our schema are printed as lines for the schema.
Nothing is changed.

accepted        the differences that remain on purpose, with their reasons
comparison      the differences between two descriptions, as rows
described       a format as paths of elements with their attributes
files           the library and the manual of a release: installed, or in a wheel that pip downloads
grammar         MJCF from MuJoCo's grammar, the file mjcf.schema
lines           rows as lines for the schema, below what they belong to
manual          types and defaults from the XML reference of MuJoCo's manual
ours            a schema of ours as such a description
printed         elements and attributes from the library's own table
rules           rules about attributes that are given, in one form
sdf             SDFormat from libsdformat's description files
types           the simple types of our schema for values of a release
versions        the known releases, and their order
"""
