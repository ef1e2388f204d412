"""Write an algorithm once, execute it in three ways: run it, emit it as loops, specialise it for one model.

An algorithm (codegen/physics) is a Python function of a machine `m` and its tables `t`. It iterates over
bodies, joints and degrees of freedom by the machine's iterators, reads and stores `t.column[row]`, and
computes with small values (Vec3, Inertia) whose components are scalars. The machine determines what an index
and a scalar are:

    machine      module          an index is         a scalar is   the result is
    Run          machines.py     a number            a float       numbers: the readable reference
    Emit         emit.py         one symbol/loop     a node        C loops for any model (render.py)
    Specialise   specialise.py   a number            a node        straight-line C for one model (straight.py)

Packed (packing.py) is Specialise with isomorphic subtrees visited together. The interface of all machines is
the protocol Machine in machines.py. Errors that no machine can detect are found by lint.py.

**Scalars.** A node is an operation on other nodes, an input or a constant. A Graph stores equal nodes only
once, and scalars.py simplifies them on creation. An operation is a row of operations.py: its value, its C
text in loops and on vectors, and its tangent, by which derivative.py differentiates graphs. A node may be a
vector of several numbers (join, lane, total): those of subtrees that are computed together. Values
(value_classes.py) have scalars as components; in loops they are nodes themselves, and a method marked
@operation is a C function.

**Loops**, when polybody is generated (context/kernels.py). Emit traces each algorithm with one symbolic index
per loop and collects statements in regions. Renderer writes them as C. Templates wrap this in Cython modules.

**Straight-line code**, when a program is built for one model (specialised/program.py):

    1  passes       replace the model's columns by cheaper equivalent ones           passes/__init__.py
    2  trace        visits every index; folds what depends only on the model         specialise.py, packing.py
    3  hoist        separates what depends only on parameters, if requested          passes/hoist.py
    4  order        moves statements forward that free registers, in two orders      order.py
    5  statements   writes one per node; the sines of several angles together        straight.py: Writer
    6  registers    decides what is reloaded rather than kept                        registers.py
    7  functions    splits the statements; stores what later functions need          straight.py: Cut
    8  text         adds types and functions for vectors of N numbers                vectors.py, templates/

The N numbers of a vector belong to states of a batch, or to subtrees; a single number has N = 1. interface.py
has what callers of a program must know, and the properties of the processor on which its text depends.

calls           the interface between kernels and the constraint solver: its stages, and the columns that
                each reads and writes
conditions      conditions on flags: decision diagrams
flow            which columns of a simulation traced algorithms read and write, and whether what they read
                has been computed
inline          pure functions of scalars and values, such as formulas of constraint rows, as inline
                functions of C for each kind of numbers
iterated        the C text of iterations in straight-line code, for vectors of N numbers
iterations      an iterative method, such as Newton's: written once, executed as a loop on every machine
pairs           a function of the generic kernels for two cases at the same time, in the two halves of
                vector registers
slopes          derivatives of a part of an algorithm while it is traced, such as of a force with respect to
                a velocity
"""
