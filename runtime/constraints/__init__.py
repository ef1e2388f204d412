"""Constraints: rows of limits, friction, equalities and contacts, and the solvers of their forces.

The C texts are in runtime/native/ (its README.md lists them): rows/, solver/, and lanes/ for all lanes of a
batch at once.

facts          facts about a Model that select code paths
solver         memory, and the function that kernels call
attach         the solver of a simulation
copies         the data of a batch's instances that have parameters of their own
block          the memory of lanes, and the function that kernels call
lane_models    the Models for which lanes are used
"""
