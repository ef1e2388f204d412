"""Opened programs, and kernels bound to memory."""

from polybody.generated.kernels.contract.records cimport PbBlock, PbRun
from polybody.generated.kernels.layout cimport KernelData
from polybody.generated.kernels.program cimport PbKernel, PbProgram


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
    cdef const double *forces
    cdef Py_ssize_t nforces
    cdef readonly Program program
    cdef readonly str name
    cdef KernelData owner
    cdef dict arrays
    cdef list kept
    cdef object __weakref__
    cdef int prepare_steps(self, columns) except -1
    cdef int leave_start(self, columns, KernelData start) except -1

cdef void *address(array)
