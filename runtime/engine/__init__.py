"""Dynamics of a simulation, by name, on the generated kernels.

dynamics     what the kernels compute, called by a Model and its Data
divergence   where a simulation left the finite numbers, found afterwards
"""

from polybody.engine.dynamics import advance as advance
from polybody.engine.dynamics import energy as energy
from polybody.engine.dynamics import forward as forward
from polybody.engine.dynamics import forward_kinematics as forward_kinematics
from polybody.engine.dynamics import inverse as inverse
from polybody.engine.dynamics import jacobian as jacobian
from polybody.engine.dynamics import mass_matrix as mass_matrix
from polybody.engine.dynamics import step as step
