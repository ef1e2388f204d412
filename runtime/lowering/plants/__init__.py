"""What the formats that Drake reads have in common: URDF, SDFormat, model directives.

plant, forest   what Drake's parsers make of a file, and the trees that it chooses
inertias        what replaces an impossible inertia
planted         from a Plant to a Model; native: Drake's coordinates of it
filters         which links do not touch each other
mesh_files      the meshes that elements name, found, read and shared
fillers         the formats' own functions that add a document to a Plant
"""
