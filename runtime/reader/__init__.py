"""The compiled reader: a format's tables laid out in C, the parse over expat, and the rules on effective
values.

One reader serves all formats; what is legal comes from the format's generated tables.
"""
