"""Validation: the rules of a format's tables, and rules that a table row cannot express.

inspection         faults of a document in memory that a reader would have refused in a text
in_memory          findings from these faults, and the document as its text would be read
rule_check         all rules of a format: those of the tables and the format's own
rule_layout        a table's rules as C structures, made once for each format
effective          effective values, compiled, as far as rules need them
kept               queries of a format's own rules, without a loop over all elements in Python
checker            which rules a document violates
names              whether many names are distinct, and what edges between them form
scene              a document as its rules see it, and their only way of reporting
places             positions of elements: the path from the root to each
report             findings from violated rules
reference_graphs   cycles and trees that references form
xpaths             XPaths of findings for which only line and column are known
owners             the body, link or joint that a finding is about
rules/             a module or folder for each format

angles          angles that are probably in another unit than the format's
dropped         values of a text that were ignored with a warning: the document lacks them, which is no
                fault later
gazebo          what Gazebo means by a URDF or an SDFormat document where Drake means something else, or
                refuses it
identities      identity constraints of an XSD: `xs:unique`, `xs:key` and `xs:keyref` (XML Schema 1.1, part
                1, 3.11)
plain_names     whether the names in the scope of one element are plain: each is new, and each reference is
                to an earlier name
srdf            what in an SRDF that is given with a URDF does not fit the robot
"""
