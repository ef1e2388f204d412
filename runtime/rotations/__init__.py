"""Rotations and poses. Unit quaternions have w first and rotate vectors from a frame to its parent.

arrays  rotations, one or many, as arrays
poses   poses of frames, and what is needed to make them, as tuples of numbers: for single ones these are
        faster than arrays
turns   the compiled part of poses
mujoco  the same with the thresholds and the rounding of MuJoCo's compiler
"""
