"""Shapes, whatever format they come from: files of meshes and images, inertia.

file_heads   whether a file holds what its name says, by its head
gmsh         Gmsh's meshes
inertia      whether six numbers can be moments of inertia
"""
