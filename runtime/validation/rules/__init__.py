"""Rules that table rows cannot express: a module or folder for each format.

Each has `NODES`, the keys of the elements that its check examines (the names of their types), and
`check(scene)`.
"""
