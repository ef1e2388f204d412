"""The common part of the formats that Drake reads: URDF, SDFormat, model directives.

plant, forest   the result of Drake's parsers, and the trees that Drake chooses
inertias        replacement of impossible inertias
planted         from a Plant to a Model; native: Drake's coordinates
filters         links that do not touch each other
mesh_files      the meshes that elements name: found, read and shared
fillers         the formats' functions that add a document to a Plant
"""
