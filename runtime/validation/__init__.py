"""What is to be said of a document: the rules of its format's tables, and those that no table row can say.

validate           the order of it all: parse, then check; or look at a document in memory, then check
inspection         what a reader would not have let pass in a document in memory
in_memory          that in words, and the document as its text would be read
rule_check         all rules of a format, of the tables and its own
rule_layout        a table's rules laid out in C, once a format
effective          effective values, compiled, as far as rules need them
checker            which rules a document violates
report             what violated rules mean, in words
reference_graphs   cycles and trees that references form
xpaths             where in the document a finding is
owners             which body, link or joint it is about
rules/             a module or folder per format
"""
