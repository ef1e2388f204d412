"""The canonical model: Model is immutable and shared, Data is one simulation of it.

model, data     the two; views, their rows by name
builder         a Model, body by body
derived         columns that follow from given ones
checks          what given columns must satisfy
xml, npz        a Model as readable XML, a Model or Data in one file of arrays
"""
