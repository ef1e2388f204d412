"""The physics: values, joints and one file per algorithm, each written once for any machine (see staging).

aba                   forward dynamics: the articulated-body algorithm, in link frames
actuator_kinds        what an actuator is made of: its activation, its gain and its bias
actuators             actuators: activations, which depend on controls, and forces, which depend on both
composites            inertias of bodies and of their subtrees, and motions per degree of freedom, about the
                      centre of mass of their tree, in world axes
connections           accelerations of connected frames that velocities alone cause
constrained           accelerations with constraints: the inputs of constraint rows, and the calls of the
                      solver
crba                  the mass matrix: the composite-rigid-body algorithm, in link frames
damping               qDeriv: the derivative of joint forces with respect to velocities, for the implicit
                      integrators
elementary_rotations  rotations represented as products of elementary rotations
elements              springs and dampers between two bodies: a class per keyword of ElementType in
                      schemas/model/types.xsd
energy                mechanical energy
flexes                flexes: positions of vertices, lengths of edges, and the forces of springs, dampers,
                      elasticity and bending
fluid                 forces of the medium that bodies move in: drag, lift, added mass, viscosity
formulas              formulas that constrain coordinates, as instructions: a row for each keyword of the
                      Model's OperationType
forward               all quantities at one instant
frame_sensors         sensors of frames
frames                frames that sensors measure: a class per keyword of ObjectType in
                      schemas/model/types.xsd that has a frame
inertias              inertia of actuators, reflected to their joints and tendons, and of tendons
integrate             integrators
jacobian              velocities of bodies per unit rate of the degrees of freedom
kernels               the kernels: the algorithms that Python and other Cython modules call, and those of
                      programs
kinematics            poses of bodies, and motions of links
links                 converts bodies with any number of joints to a tree of links with one joint each;
                      once, when a model is created
loads                 joint forces of external forces on bodies, and the total joint forces
ltl                   m = L^T D L without fill-in: row i has entries only for the degrees of freedom between
                      i and the root
modes                 how cameras and lights move with bodies: a class per keyword of Mode in
                      schemas/model/types.xsd
motions               motions of bodies, and the forces that they require
orientations          orientation servos: torques that turn the child of a ball joint, or a site relative to
                      another one, to an orientation
passive               passive forces: springs, dampers, elements between bodies, tendons, the medium, and
                      gravity compensation
plasticity            springs that yield: as soon as one is displaced by more than its threshold, its rest
                      follows
polynomials           springs and dampers whose forces are polynomials, and dampers of actuators
poses                 world poses of everything attached to bodies
releases              releases of MuJoCo as which Models are simulated
rnea                  inverse dynamics: the recursive Newton-Euler algorithm, in link frames
rows                  the formulas of constraint rows and of contacts
sensor                what is common to all sensors
sensors               sensors: a class per sensor of the vocabulary (schemas/physics.xml), except user
                      sensors and users' plugins
servos                servos: PID controllers and DC motors
spatial               spatial algebra as small value classes over scalars
stages                stages of a Runge-Kutta step as of MuJoCo 4.0
tendons               tendons: lengths, velocities, Jacobians, springs and dampers
transmissions         transmissions of actuators: a class per keyword of TransmissionType in
                      schemas/model/types.xsd
wrapping              wrapping of a tendon around a circle: in the plane of a sphere's centre and two
                      points, or in the cross-section of a cylinder
"""
