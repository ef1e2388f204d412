"""Many simulations of one Model, side by side.

BatchStepper -> Memory      the columns of all instances: [scalar][instance], viewed as (n, ...)
             -> Blocks      compiled code that steps block by block
             -> Pool        the threads that run it
             -> Loops       Models of the instances, if there is no compiled program
"""

from polybody.simulation.batch.stepper import BatchStepper as BatchStepper
