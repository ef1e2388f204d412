"""A Model from its parts: bodies, joints, geoms, actuators..., for ModelBuilder and for lowerings.

parts            the parts, which refer to each other as objects, and the assembly that contains them
builder          ModelBuilder: the same parts, checked as they are added, for people who write a Model in
                 Python
arguments        checks of its arguments
rows             the parts of an assembly as rows of tables, and the Model made from them
gather           columns of a Model from a field of parts, one row per part: read, converted and stored in
                 one pass
columns          columns of a Model as arrays: a row for each element, or the rows of all elements one after
                 another
customs          numbers, texts and tuples of objects that a format stores in a Model by name: their columns
mass_properties  mass properties of bodies made of homogeneous shapes
meshes           the columns of meshes, for any format
operations       formulas as instructions: each part of a formula that the kernels compute is a row of the
                 Model
"""
