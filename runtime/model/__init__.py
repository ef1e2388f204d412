"""The canonical model: Model, immutable and shared by any number of simulations.

model           Model; views: its rows, and those of a simulation, by name
builder         a Model, body by body
derived         columns that follow from given ones
at_reference    columns that the kernels compute at the coordinates qpos0
weights         accelerations per force there; mounted: cameras and lights
checks          what given columns must satisfy
xml, npz        a Model as readable XML, a Model or Data in one file of arrays
"""
