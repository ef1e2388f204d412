"""Write an algorithm once, execute it three ways: run it, emit it as loops, specialise it to one model.

An algorithm (codegen/physics) is a Python function of a machine `m` and its tables `t`. It asks the machine
for bodies, joints and degrees of freedom, reads and stores `t.column[row]`, and computes with small values
(Vec3, Inertia) whose parts are scalars. The machine that executes it decides what an index and a scalar are:

    machine      module          an index is         a scalar is   what comes out
    Run          machines.py     a number            a float       numbers: the readable reference
    Emit         emit.py         one symbol a loop   a node        C loops for any model (render.py)
    Specialise   specialise.py   a number            a node        straight-line C for one model (straight.py)

Packed (packing.py) is Specialise with subtrees that are alike visited together. What an algorithm may ask of
any of them is the protocol Machine in machines.py. What none of them can see, lint.py finds.

**Scalars.** A node is an operation on other nodes, an input or a constant. A Graph keeps equal nodes once,
and scalars.py simplifies them as they are made. An operation is a row of operations.py: its value, its C text
in loops and over numbers side by side, its tangent, by which derivative.py differentiates graphs. A node may
be several numbers wide (join, lane, total): those of limbs that are computed together. Values
(value_classes.py) have scalars as parts; in loops they are nodes themselves, and a method marked @operation
is a C function.

**Loops**, when polybody is generated (context/kernels.py). Emit traces each algorithm with one symbolic index
a loop and collects statements in regions. Renderer writes them as C. Templates make Cython modules of that.

**Straight-line code**, when a program is made for one model (specialised/program.py):

    1  passes       change the model's columns into cheaper ones that mean the same  passes/__init__.py
    2  trace        visits every index; what the model decides folds away            specialise.py, packing.py
    3  hoist        splits off what parameters alone decide, if asked for            passes/hoist.py
    4  order        brings forward what frees registers, in two orders               order.py
    5  statements   writes a node each, the sines of several angles as one           straight.py: Writer
    6  registers    decides what is read again rather than kept                      registers.py
    7  functions    cuts the statements; what later functions need goes to memory    straight.py: Cut
    8  text         puts types and functions over N numbers in front                 vectors.py, templates/

The N numbers side by side are those of a batch's states, or of limbs; a plain number has N = 1. What callers
of a program must know, and what its text depends on of the processor, is in interface.py.
"""
