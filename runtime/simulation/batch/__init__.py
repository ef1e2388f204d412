"""Many simulations of one Model, side by side.

BatchStepper -> Memory      what each instance has: [scalar][instance], seen as (n, ...)
             -> Blocks      compiled: moves it block by block
             -> Pool        the threads that do so
             -> Loops       Models of the instances, where no program is compiled for all of them
"""

from polybody.simulation.batch.stepper import BatchStepper as BatchStepper
