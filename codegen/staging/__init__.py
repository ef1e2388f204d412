"""Write an algorithm once, execute it three ways: run it, emit it as loops, specialise it to one model.

An algorithm (codegen/physics) is a Python function of a machine `m` and its tables `t`. It asks the machine for
bodies, joints and degrees of freedom, reads and stores `t.column[row]`, and computes with small values (Vec3,
Inertia) whose parts are scalars. Which machine executes it decides what an index and a scalar are:

    machine      module           an index is         a scalar is      what comes out
    Run          machines.py      a number            a float          numbers: the readable reference
    Emit         emit.py          one symbol a loop   a node           C loops for any model (render.py)
    Specialise   specialise.py    a number            a node           straight-line C for one model (straight.py)

Packed (packing.py) is Specialise with subtrees that are alike visited together. The face that all have is
Machine in machines.py; lint.py finds what no machine can see.

**Scalars.** A node is an operation on other nodes, an input or a constant; a Graph keeps equal nodes once, and
scalars.py simplifies them as they are made. An operation is a row of operations.py: its value, its C text in
loops and in lanes, its tangent. derivative.py differentiates graphs by these. A node may be several numbers wide
(join, lane, total): limbs that are computed together. Values (value_classes.py) are made of scalars, or in
loops are nodes themselves; a method marked @operation is then a call of a C function.

**Loops**, when polybody is generated (context/kernels.py): Emit traces each algorithm with one symbolic index per
loop and collects statements in regions; Renderer writes them as C; templates put the text into Cython modules.

**Straight-line code**, when a model is simulated (specialised/program.py):

    1  passes         change the model's columns into cheaper ones that mean the same   passes/__init__.py: PASSES
    2  trace          visits every index; what the model decides folds away             specialise.py, packing.py
    3  hoist          takes apart what parameters alone decide, if asked for            passes/hoist.py
    4  order          brings forward what frees registers; two orders are tried         order.py
    5  statements     a node each, sines of several angles as one                       straight.py: Writer
    6  registers      decides what is read again rather than kept                       registers.py
    7  functions      cuts the statements, hands over values in a scratch array         straight.py: Cut
    8  text           types and functions over N numbers, then the functions            vectors.py, templates/

The N numbers side by side are a batch's states, one number of each, or limbs; N is 1 for a plain number. What
callers of a program must know, and what its text depends on of a processor, is in interface.py.
"""
