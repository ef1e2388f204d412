"""From text to typed document and back, with effective values. Validation is separate.

sources, source_lines   bytes within limits, converted to UTF-8; source lines of findings

packages, uris, searches  where references to other files may lead

registry                the known formats, distinguished by content
parser/                 the compiled parser: a format's tables, the scanner, the tree builder
includes        elements that include the content of other files
defaults, resolver      effective values: given, from defaults elements, or from the schema
writer                  documents as text

access          how a document was read: the places that its caller declares, and the folders in which files
                may be opened
asset_files     where MuJoCo looks for the files of assets: meshes, height fields, textures, skins and
                flexcomps
differences     what a document means in one release of its format and not in another
directives      Drake's model directives: YAML files that combine models
equivalents     the same said in another release of a format
formatting      a text in canonical layout: its content is kept, including comments; white space and line
                ends change
layout          positions of the elements of a text, of their tags and attributes, as byte offsets
left_out        what a document lacks because its caller maps URIs to nothing: reported once for each of
                these URIs
lossless        documents that were read and edited, written as the original text with the edits applied
name_scopes     which elements are in which scope of names
namespaces      names in namespaces: the prefixes of a document, and names as in the tables of a format
naming          what the tables of the formats do not say about names: scopes, kinds that other attributes
                give, names in elements without a schema, and what elements need
notations       formats that are not XML. Each has its own reader, and is recognised by name or file
                extension
releases        the release as which a document of a format with releases is read
removed         what formats had and no longer have: since which version, and what took its place
robots          the URDF and the SRDF files of one robot: which of them belong together, and the names in a
                URDF
selecting       elements of a document by XPath: lxml evaluates the expression on a copy of the document
translation     a document of one release, as another release says the same
"""
