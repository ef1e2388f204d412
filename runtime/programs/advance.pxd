"""Steps of a compiled program, with recording and with the check that restores the state before a step that
fails.

States are stored side by side in lanes, `[scalar][lane]` in memory; a single state is one lane.
"""

from libc.stdint cimport int64_t

cdef extern from "programs/advance.h":
    ctypedef void (*PbRun)(void *const *column) noexcept nogil
    ctypedef struct PbRecord:
        char *memory
        int64_t frame, state, scalar
        int number, scalars, bytes, large
    ctypedef struct PbKept:
        char *now
        char *before
        int scalars
    ctypedef struct PbResult:
        char *memory
        int scalars
    ctypedef struct PbCopy:
        char *to
        const char *copied "from"
        size_t bytes
    cdef enum:
        LARGE
        MOST_LANES
        PARTS
    ctypedef struct PbBlock:
        PbRun run
        void **column
        int lanes, bytes
        char *state[4]
        int scalars[4]
        char *kept[4]
        PbCopy start[8]
        int nstart
        char *qacc
        int accelerations
        PbKept last[4]
        int nlast
        const PbResult *result
        int nresult
        double limit
        double *time
        double *kept_time
        const double *timestep
        char *instant
        unsigned char *failed
        const PbRecord *record
        int nrecord
        char **source
        int64_t every, taken, first
        const char *control
        int64_t control_step, control_state, control_scalar
        int controls
        char *ctrl
        int64_t moved
        int states
    void pb_run(PbBlock *b) noexcept nogil
    void pb_convert(char *to, int to_bytes, const char *source, int from_bytes) noexcept nogil
    int pb_left(const PbBlock *block) noexcept nogil
    void pb_note(PbBlock *block) noexcept nogil
    void pb_void_failed(const PbBlock *block) noexcept nogil
    void pb_steer(PbBlock *block) noexcept nogil
    int64_t pb_advance(PbBlock *block, int64_t n) noexcept nogil
