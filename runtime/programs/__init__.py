"""Programs compiled for one Model: how they are asked for, built, kept, and loaded.

    request -> key -> cache -> program
                        ^
        background -> worker (another process): codegen traces, the C compiler compiles

Nothing here imports codegen but the worker, which runs in a process of its own.
"""
