"""Constraints: rows of limits, friction, equalities and contacts, and the forces that solve them.

rows.h         the rows at the positions of a simulation: equalities, dry friction, limits
contact_rows.h those of contacts
flex_rows.h    those of flexes
row_parameters.h  how stiff rows are
front_order.h  in which order many degrees of freedom are eliminated
fronts.h       factors for many degrees of freedom
whole_fronts.h those of few degrees of freedom that depend on no others
dense.h        vectors, and products with whole rows, of few degrees of freedom
products.h     products with M, its factors and J
factor.h       factors of M + J^T D J
cost.h         what rows cost, and the forces that follow
line_search.h  how far to go along a direction
primal.h       Newton's method and conjugate gradients
islands.h      conjugate gradients where trees that rows join are solved by themselves
dual.h         projected Gauss-Seidel, and what takes slip away
wrenches.h     what forces of rows come to on bodies
adhesion.h     how what touches a body moves with the degrees of freedom
sensing.h      what sensors of contacts and limits measure
stages.h       what kernels ask for
limbs.h        elimination written out for the tree of one Model
program.h      the same for one Model
facts          numbers of a Model that decide which of these texts acts
solver         memory, and the function that kernels call
attach         the solver of a simulation
lanes/         the same constraints in all lanes of a batch at once, for each kind of register
block          their memory, and the function that kernels call
lane_models    of which Models
"""
