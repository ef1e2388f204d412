"""The compiled parser: from a source to a typed document and to what is wrong with its text.

One parser serves all formats; what is legal comes from the tables that are generated from a format's
schema. Plain XML is scanned (scan) and, from the first thing that is not plain, parsed by expat; both build
the same tree (tree_builder). Words are made in Python, for findings only (messages, value_faults, malformed,
end_tags).
"""
