#ifndef POLYBODY_PROGRAMS_COLUMNS_H
#define POLYBODY_PROGRAMS_COLUMNS_H

#include "programs/advance.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define PB_PREFETCH(address) __builtin_prefetch(address)
static int64_t pb_take(int64_t *next, int64_t n) { return __atomic_fetch_add(next, n, __ATOMIC_RELAXED); }
static int pb_is_set(const int *flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }
static void pb_set(int *flag, int value) { __atomic_store_n(flag, value, __ATOMIC_RELAXED); }
#else
#include <intrin.h>
#define PB_PREFETCH(address)
static int64_t pb_take(int64_t *next, int64_t n) { return _InterlockedExchangeAdd64(next, n); }
static int pb_is_set(const int *flag) { return *(const volatile int *)flag; }
static void pb_set(int *flag, int value) { *(volatile int *)flag = value; }
#endif

/* Copies `width` bytes, a block's lanes, of every row. */
#define PB_ROWS(WIDTH) \
    for (int s = 0; s < scalars; s++) { memcpy(to + s * to_row, from + s * from_row, WIDTH); } break
CLONED static void pb_copy(char *to, int64_t to_row, const char *from, int64_t from_row, int scalars, int width)
{
    switch (width) {
    case 8: PB_ROWS(8);
    case 16: PB_ROWS(16);
    case 32: PB_ROWS(32);
    case 64: PB_ROWS(64);
    default: PB_ROWS(width);
    }
}

/* Copies one number of every row to another type. */
static void pb_convert_rows(
    char *to, int64_t to_row, int to_bytes, const char *from, int64_t from_row, int from_bytes, int scalars)
{
    for (int s = 0; s < scalars; s++)
        pb_convert(to + s * to_row, to_bytes, from + s * from_row, from_bytes);
}

static void pb_announce(const char *from, int64_t row, int scalars)
{
    for (int s = 0; s < scalars; s++)
        PB_PREFETCH(from + s * row);
}

/* Lanes with a number that is NaN, infinite or below the minimum fail before any step. */
static void pb_refuse(const char *column, int bytes, int scalars, int lanes, double least, unsigned char *failed)
{
    for (int s = 0; s < scalars; s++)
        for (int lane = 0; lane < lanes; lane++) {
            const char *place = column + ((int64_t)s * lanes + lane) * bytes;
            const double x = bytes == 8 ? *(const double *)place : *(const float *)place;
            if (!(x >= least && x - x == 0.0))
                failed[lane] = 1;
        }
}

#endif
