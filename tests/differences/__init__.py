"""Each change between releases of MJCF: what is said of it, and what it changes, in a small document.

facts.npz has what MuJoCo 4.0 computes of these documents; asked.py writes it.
"""
