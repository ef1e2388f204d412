"""Rules that no table row can say, one small module per format.

Each has `NODES`, the keys of the elements that its check looks at (the names of their types), and
`check(root, rules, findings)`.
"""
