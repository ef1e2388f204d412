"""The compiled reader: a format's tables laid out in C, the parse over a scan of plain XML and, from where a
text is not plain, expat; and the rules on effective values.

One reader serves all formats; what is legal comes from the format's generated tables.
"""
