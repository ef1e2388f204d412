"""Steps of a compiled program, with recording and with the check that restores the state before a step that
fails.

States are stored side by side in lanes, `[scalar][lane]` in memory; a single state is one lane.
"""

from libc.stdint cimport int64_t

from polybody.generated.kernels.contract.records cimport PbBlock

cdef extern from "programs/advance.h":
    cdef enum:
        LARGE
        MAX_LANES
    void pb_delay(const PbBlock *b) noexcept nogil
    void pb_run(PbBlock *b) noexcept nogil
    void pb_convert(char *to, int to_bytes, const char *source, int from_bytes) noexcept nogil
    int pb_left(const PbBlock *block) noexcept nogil
    void pb_note(PbBlock *block) noexcept nogil
    void pb_void_failed(const PbBlock *block) noexcept nogil
    void pb_steer(PbBlock *block) noexcept nogil
    int64_t pb_advance(PbBlock *block, int64_t n) noexcept nogil
