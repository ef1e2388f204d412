"""Simulations of a Model.

stepper      one simulation and its kernels
batch/       many simulations of one Model, side by side
recording    states, poses and energies over time
plotting     a picture of a recording
"""
