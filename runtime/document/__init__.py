"""From text to typed document and back, with effective values. Validation is separate.

sources, source_lines   bytes within limits, converted to UTF-8; source lines of findings
packages, uris, searches  where references to other files may lead
registry                the known formats, distinguished by content
parser/                 the compiled parser: a format's tables, the scanner, the tree builder
includes                elements that include the content of other files
defaults, resolver      effective values: given, from defaults elements, or from the schema
writer                  documents as text
"""
