"""The compiled parser: from a source to a typed document and the findings about its text.

One parser serves all formats; the tables generated from a format's schema define what is valid. Plain XML is
scanned (scan). From the first construct on that is not plain, it is parsed by expat. Both build the same tree
(tree_builder). Messages are made in Python, for findings only (messages, value_faults, malformed, end_tags).
"""
