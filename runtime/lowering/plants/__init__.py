"""The common part of the formats that Drake reads: URDF, SDFormat, model directives.

plant, forest   the result of Drake's parsers, and the trees that Drake chooses
inertias        replacement of impossible inertias
planted         from a Plant to a Model; native: Drake's coordinates
filters         links that do not touch each other
mesh_files      the meshes that elements name: found, read and shared
fillers         the formats' functions that add a document to a Plant
bodies          the bodies of a plant's links, with the primitives of the joints that move them
contacts        contact parameters of the shapes of a plant: those of Drake's point contact, or of Gazebo
                with ODE, as far as the Model can represent them
curves          joints along a path
driving         the actuators of joints, if the caller chooses them instead of the document
extents         sizes and distances of the bodies of a Model, as compared by `units`
growth          spanning trees along the joints of a plant; `polybody.lowering.plants.forest` describes the
                order that Drake uses
units           lengths and masses that seem to be in another unit: millimetres, grams, kg mm^2
"""
