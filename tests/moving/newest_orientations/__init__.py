"""Orientation servos, as in MuJoCo 4.0."""
