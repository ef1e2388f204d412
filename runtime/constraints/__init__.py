"""Constraints: rows of limits, friction, equalities and contacts, and the solvers of their forces.

registers.h    vectors of the length of a register
target.h       the instruction set of a source file
contacts.h     contacts at the positions of a simulation
rows.h         rows at the positions of a simulation: equalities, dry friction, limits
contact_rows.h rows of contacts
flex_rows.h    rows of flexes
row_parameters.h  stiffness and damping of rows
front_order.h  order of elimination for many degrees of freedom
fronts.h       factors for many degrees of freedom
whole_fronts.h fronts of whole independent components
wide_rows.h    rows of J with all columns of such a front
dense.h        vectors, and products with complete rows, for few degrees of freedom
products.h     products with M, its factors and sparse rows of J
packed_rows.h  sparse rows of J for conjugate gradients
jacobian.h     products with J
factor.h       factors of M + J^T D J
cones.h        elliptic contacts, several at a time
cost.h         the cost of rows, and their forces
line_search.h  step length along a direction
primal.h       Newton's method and conjugate gradients
islands.h      conjugate gradients, separately for groups of trees coupled by rows
dual.h         projected Gauss-Seidel, and the no-slip solver
wrenches.h     forces of rows on bodies
adhesion.h     Jacobians of the contacts of adhesion actuators
sensing.h      sensors of contacts and limits
stages.h       the interface for the kernels
limbs.h        elimination in straight-line code for the tree of one Model
program.h      the interface for the program of one Model
facts          facts about a Model that select code paths
single/        the stages, for each kind of register
solver         memory, and the function that kernels call
attach         the solver of a simulation
copies         the data of a batch's instances that have parameters of their own
lanes/         the same constraints in all lanes of a batch at once, for each kind of register
block          their memory, and the function that kernels call
lane_models    the Models for which lanes are used
"""
