"""The canonical model: Model, immutable and shared by any number of simulations.

model           Model; views: its rows, and those of a simulation, by name
delays          where past samples of actuators and sensors are, and the first ones
derived         columns that follow from given ones
at_reference    columns that the kernels compute at the coordinates qpos0
weights         accelerations per force there; mounted: cameras and lights
checks          what given columns must satisfy
xml, npz        a Model as readable XML, a Model or Data in one file of arrays

actuation         columns derived from actuators: what they act on, in the form that the kernels use
bending           shells: flexes of triangles that resist bending, by instances of a plugin
column_checks     takes over all given columns of a Model, and checks their values in the same pass
connections       columns of connections: frames of equalities connect and weld whose Jacobian's rate of
                  change counts
flags             parts of a simulation that can be disabled or enabled, by their names in MJCF's <flag>:
                  bits of opt_disableflags and opt_enableflags, as in MuJoCo
flexes            columns derived from flexes, such as the bodies that their vertices move with
formulas          checks of formulas: instructions come after their operands, and equalities have their
                  formulas
frames            frames that coincide: of elements attached to a body at its frame, or at its frame of
                  inertia
inertias          columns derived from inertia and damping of actuators and tendons, and from polynomials of
                  forces
instances         columns derived from plugin instances: the joints of cables, actuators with controllers,
                  touch grids
measuring         which quantities the sensors of a Model depend on, for the steps, and the images of
                  cameras
observable        columns that steps compute besides the state
plasticity        springs that yield: where their rest is kept, and where it begins
reference_checks  checks references between the rows of a Model whose axis several columns determine, in one
                  pass
references        checks that rows of a Model refer to rows that exist, where the axis depends on another
                  column
servos            columns derived for servos, which are PID controllers, DC motors and orientation servos:
                  their kinds, controls, forces and states
tendons           columns derived from the paths of tendons: neighbouring parts of a path, and what moves
                  them
topology          columns derived from the tree alone: welds, trees, simple bodies
touching          whether a Model may have constraints: equalities, dry friction, limits, bodies that can
                  touch
tree_checks       checks several columns of a Model together, in one pass: the tree, its coordinates, its
                  inertia
variants          models that differ from one Model in some of its numbers, with one array for all of them
                  by column
"""
