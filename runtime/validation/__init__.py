"""What is to be said of a document: the rules of its format's tables, and those that no table row can say.

validate           the order of it all: parse, then check
rule_layout        a table's rules laid out in C, once a format
effective          effective values, compiled, as far as rules need them
checker            which rules a document violates
report             what violated rules mean, in words
reference_graphs   cycles and trees that references form
xpaths             where in the document a finding is
rules/             a module or folder per format
"""
