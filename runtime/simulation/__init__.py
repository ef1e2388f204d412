"""A Model in motion.

stepper      one simulation and the kernels that move it
batch/       many simulations of one Model, side by side
recording    states, poses and energies at the instants of a simulation
plotting     a picture of what was recorded
"""
