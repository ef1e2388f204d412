"""What is to be said of a document: the rules of its format's tables, and those that no table row can say.

validate           the order of it all: parse, then check; or look at a document in memory, then check
inspection         what a reader would not have let pass in a document in memory
in_memory          that in words, and the document as its text would be read
rule_check         all rules of a format, of the tables and its own
rule_layout        a table's rules laid out in C, once a format
effective          effective values, compiled, as far as rules need them
kept               what a format's own rules ask of elements, without looking at each
checker            which rules a document violates
names              whether many names differ, and what edges between them form
scene              the document as its rules see it, and the one way in which they report
places             where elements are: the way from the root to each
report             what violated rules mean, in words
reference_graphs   cycles and trees that references form
xpaths             the same of findings that know only their line and column
owners             which body, link or joint it is about
rules/             a module or folder per format
"""
