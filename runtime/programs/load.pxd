"""Opened programs, and kernels bound to memory."""

from polybody.generated.kernels.contract.records cimport PbBlock, PbDelays, PbLaneSolver, PbResult, PbRun, Signals
from polybody.generated.kernels.layout cimport KernelData, KernelModel
from polybody.programs.advance cimport MAX_LANES
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


cdef class Recollection:
    cdef PbDelays c
    cdef KernelModel model
    cdef list kept


ctypedef void (*TakeAll)(void *lanes, const void **tables) noexcept nogil


cdef class Worker:
    cdef PbBlock block
    cdef Recollection recollection  # of a program
    cdef double *history   # past samples of a block
    cdef PbRun prepare
    cdef void **source     # the times; followed by
    cdef void **column     # the batch's columns of one block
    cdef void **of_kernel  # the same in the order of the kernel's arguments
    cdef void **of_prepare
    cdef PbResult *results
    cdef double time[MAX_LANES]
    cdef double kept_time[MAX_LANES]
    cdef double timestep[MAX_LANES]
    cdef unsigned char failed[MAX_LANES]
    cdef KernelData data  # for the loop kernel, else None
    cdef KernelData solved  # if a program's lanes are solved one by one, else None
    cdef PbLaneSolver solver
    cdef TakeAll take_all  # sets the Models of a block's states, if they differ
    cdef object at_once  # the solver of all lanes at once, or None
    cdef Signals signals
    cdef void *constraints[3]
    cdef list arrays
    cdef void clock_is(self, double *time) noexcept
    cdef void *allocate(self, int rows, int lanes, dtype)


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
    cdef int recall(self, KernelData owner) except -1

cdef void *address(array)
