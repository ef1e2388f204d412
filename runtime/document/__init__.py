"""Text to typed document and back, with effective values; nothing here judges a document.

sources, source_lines   bytes within limits, made UTF-8; lines that findings show
packages, uris          where references to other files may lead
registry                the known formats, distinguished by content
parser/                 the compiled parser: a format's tables, the scan, the tree that it builds
includes                elements that are placeholders for the content of other files
defaults, resolver      effective values: written, lent by defaults elements, given by the schema
writer                  documents as text
"""
