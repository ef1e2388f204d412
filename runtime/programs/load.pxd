"""The C face of compiled programs, version 2; codegen/templates/specialised.c.jinja has the same text."""

from polybody.programs.advance cimport PbBlock, PbRun

cdef extern from *:
    """
    #ifndef POLYBODY_PROGRAM
    #define POLYBODY_PROGRAM
    typedef struct {
        const char *name;
        void (*run)(void *const *column);  /* one state, or `lanes` states of a batch */
        int ncolumn;
        const char *const *column;         /* names, in the order in which pointers are given */
        const int *size;                   /* scalars per state of each */
    } PbKernel;

    typedef struct {
        int abi, lanes, bytes, nkernel;    /* bytes of a real: 8 or 4 */
        const char *key;
        const PbKernel *kernel;
    } PbProgram;
    #endif
    """
    ctypedef struct PbKernel:
        const char *name
        PbRun run
        int ncolumn
        const char *const *column
        const int *size
    ctypedef struct PbProgram:
        int abi, lanes, bytes, nkernel
        const char *key
        const PbKernel *kernel


cdef class Program:
    cdef const PbProgram *c
    cdef readonly str key
    cdef readonly int lanes
    cdef readonly object dtype
    cdef readonly object kernels
    cdef object __weakref__
    cdef int read_table(self) except -1
    cdef const PbKernel *find(self, str name) except NULL


cdef class Bound:
    cdef PbRun run
    cdef void **column
    cdef PbBlock block
    cdef unsigned char failed
    cdef readonly Program program
    cdef readonly str name
    cdef dict arrays
    cdef list kept
    cdef object __weakref__
    cdef int prepare_steps(self, columns) except -1

cdef void *address(array)
