"""Columns of a batch: copies of a block of states between them and a worker's memory, and the counters that
workers share.
"""

from libc.stdint cimport int64_t

cdef extern from "programs/columns.h":
    int64_t pb_take(int64_t *next, int64_t n) noexcept nogil
    int pb_is_set(const int *flag) noexcept nogil
    void pb_set(int *flag, int value) noexcept nogil
    void pb_copy(
        char *to, int64_t to_row, const char *source, int64_t from_row, int scalars, int width
    ) noexcept nogil
    void pb_convert_rows(
        char *to, int64_t to_row, int to_bytes, const char *source, int64_t from_row, int from_bytes, int scalars
    ) noexcept nogil
    void pb_announce(const char *source, int64_t row, int scalars) noexcept nogil
    void pb_refuse(
        const char *column, int bytes, int scalars, int lanes, double least, unsigned char *failed
    ) noexcept nogil
