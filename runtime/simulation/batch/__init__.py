"""Many simulations of one Model, side by side.

BatchStepper -> Memory      the columns of all instances: [scalar][instance], viewed as (n, ...)
             -> Blocks      compiled code that steps block by block
             -> Pool        the threads that run it
             -> Loops       Models of the instances, if there is no compiled program

arrays          arrays of a batch by the name of their column
computing       what is computed of the current states of a batch: Jacobians, and products with mass
                matrices
evaluation      results at the current state of instances, and accelerations at the beginning of their last
                step
memory          the memory of a batch: equal scalars of all instances side by side, viewed by NumPy in the
                usual shape
models          instances with separate parameters: the data derived from their Models for kernels and
                constraints
pieces          how many steps a batch takes at once, so that signals are handled within tenths of a second
pool            a pool of threads that share a task: our own threads, or those of the caller's executor
programs        the programs that batches need
state           the state of a batch, which can be read and written between steps
stepper         BatchStepper: many simulations of one Model, side by side
"""

from polybody.simulation.batch.stepper import BatchStepper as BatchStepper
