"""The compiled parser: from a source to a typed document and the findings about its text.

One parser serves all formats; the tables generated from a format's schema define what is valid. Plain XML is
scanned (scan). From the first construct on that is not plain, it is parsed by expat. Both build the same tree
(tree_builder). Messages are made in Python, for findings only (messages, value_faults, malformed, end_tags).

feed            delivers a text tag by tag: plain XML by our own scanner, and from the first unsupported
                construct on by expat
forms           the lexical forms of a format's values: parses texts, and checks whether a value can be
                written as a text
gc_pause        the garbage collector is paused while documents are read and models compiled
lacking         what a document has and a release lacks, and which releases have it
memo            cache of parsed values: documents are repetitive, and parsed values are immutable
parse           the parser: converts tags to document nodes, by the tables of a format
pattern         patterns of schemas, matched in time linear in the text, whatever the pattern
texts           which texts a form allows: patterns, lengths, and the rules of XSD's built-in types of
                dates, names and binary data
"""
