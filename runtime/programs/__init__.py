"""Programs compiled for one Model: how they are requested, built, cached and loaded.

    request -> key -> cache -> program
                        ^
        background -> worker (another process): codegen traces, the C compiler compiles

Only the worker imports codegen; it runs in a separate process.

blocks           steps of many states, block by block, by any number of threads, without the GIL
build            programs that are being prepared: loaded from the cache at once, or built in the
                 background, one at a time
choosing         selection of the kernels for a simulation
load             opens compiled programs and calls their kernels on the memory of a simulation
start            starts the process that builds a program: what it imports is what the requesting process
                 has, or installed
target           the target of programs: a processor, and a C compiler with its flags
worker_protocol  communication with the process that builds a program (worker.py)
"""
