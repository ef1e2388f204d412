"""Programs compiled for one Model: how they are requested, built, cached and loaded.

    request -> key -> cache -> program
                        ^
        background -> worker (another process): codegen traces, the C compiler compiles

Only the worker imports codegen; it runs in a separate process.
"""
