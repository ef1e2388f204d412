"""Rules that table rows cannot express: a module or folder for each format.

Each has `NODES`, the keys of the elements that its check examines (the names of their types), and
`check(scene)`.

directives       model directives: whether the models, links, frames and joints exist that directives name
mjcf             MJCF: rules that its tables cannot express, about generated names, trees, sizes, actuators,
                 assets and files
openrave         OpenRAVE XML: names across elements and files, formulas of joints, sizes that depend on
                 each other
sdf              SDFormat: names and frames in their scopes, files that are included, values that depend on
                 others
skel             SKEL: names, which are unique in their skeleton; trees of joints; axes and degrees of
                 freedom by joint type
srdf             SRDF: names of links and joints exist in the URDF, groups do not contain each other, chains
                 are chains
urdf             URDF: transmissions, joints that follow others, damping by kind of joint, materials
urdf_extensions  URDF: the content of `<gazebo>`, as Gazebo's conversion to SDFormat reads it, and of
                 `<ros2_control>`
urdf_slips       URDF: valid content that is rarely intended, according to users' reports: limits, colours,
                 Gazebo references
urdf_versions    URDF: what depends on the version of the document: quaternions of origins, required limits
x_xy             x_xy: gravity that points upwards, moving parts without mass, unknown colours
"""
