#ifndef POLYBODY_PROGRAMS_ADVANCE_H
#define POLYBODY_PROGRAMS_ADVANCE_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif
#include "clones.h"
#include "compiler.h"
#include "contract/records.h"
#include "programs/delayed.h"

#ifdef __GNUC__
typedef int64_t __attribute__((may_alias)) PbBits8;
typedef int32_t __attribute__((may_alias)) PbBits4;
#else
typedef int64_t PbBits8;
typedef int32_t PbBits4;
#endif

#if defined(__clang__) || defined(__GNUC__) && __GNUC__ >= 12
#define PB_VECTORS
#endif

enum { LEAP = 16, MAX_LANES = 16, LINE = 64, ROWS = 1 << 14, LARGE = 1 << 21 };

static void pb_convert(char *to, int to_bytes, const char *from, int from_bytes)
{
    if (to_bytes == 8 && from_bytes == 8)
        memcpy(to, from, 8);
    else if (to_bytes == from_bytes)
        memcpy(to, from, 4);
    else if (to_bytes == 8)
        *(double *)to = *(const float *)from;
    else
        *(float *)to = (float)*(const double *)from;
}

/* Transposes lanes to rows, four scalars of four lanes at a time; at least 4 scalars, and a multiple of 4
   lanes. */
#ifdef PB_VECTORS
#define PB_TURN(NAME, REAL) \
    CLONED static void NAME(char *to, int64_t state, const char *from, int scalars, int lanes, int states) \
    { \
        typedef REAL Four __attribute__((vector_size(4 * sizeof(REAL)))); \
        typedef REAL Stored __attribute__((vector_size(4 * sizeof(REAL)), aligned(1), may_alias)); \
        for (int lane = 0; lane + 4 <= states; lane += 4) { \
            for (int next = 0; next < scalars; next += 4) { \
                const int s = next + 4 <= scalars ? next : scalars - 4; \
                const char *x = from + ((int64_t)s * lanes + lane) * sizeof(REAL); \
                char *y = to + lane * state + s * sizeof(REAL); \
                const int64_t row = lanes * sizeof(REAL); \
                const Four a = *(const Stored *)x, b = *(const Stored *)(x + row); \
                const Four c = *(const Stored *)(x + 2 * row), d = *(const Stored *)(x + 3 * row); \
                const Four ab = __builtin_shufflevector(a, b, 0, 4, 2, 6); \
                const Four AB = __builtin_shufflevector(a, b, 1, 5, 3, 7); \
                const Four cd = __builtin_shufflevector(c, d, 0, 4, 2, 6); \
                const Four CD = __builtin_shufflevector(c, d, 1, 5, 3, 7); \
                *(Stored *)y = __builtin_shufflevector(ab, cd, 0, 1, 4, 5); \
                *(Stored *)(y + state) = __builtin_shufflevector(AB, CD, 0, 1, 4, 5); \
                *(Stored *)(y + 2 * state) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7); \
                *(Stored *)(y + 3 * state) = __builtin_shufflevector(AB, CD, 2, 3, 6, 7); \
            } \
        } \
    }
PB_TURN(pb_turn_8, double)
PB_TURN(pb_turn_4, float)
#endif

#ifdef __x86_64__
/* Copies less than a cache line with non-temporal stores. Of memcpy, compilers would make a loop over
   bytes. */
static void pb_stream_few(char *to, const char *from, int64_t bytes)
{
    int64_t at = 0;
    for (; at + 8 <= bytes; at += 8)
        _mm_stream_si64((long long *)(to + at), *(const PbBits8 *)(from + at));
    if (at < bytes)
        _mm_stream_si32((int *)(to + at), *(const PbBits4 *)(from + at));
}
#endif

/* Copies numbers with non-temporal stores, which neither read the destination nor evict other data from the
   caches. */
static void pb_stream(char *to, const char *from, int64_t bytes)
{
#ifdef __x86_64__
    int64_t head = -(intptr_t)to & (LINE - 1);
    if (head > bytes)
        head = bytes;
    pb_stream_few(to, from, head);
    for (; head + LINE <= bytes; head += LINE)
        for (int at = 0; at < LINE; at += 16)
            _mm_stream_si128((__m128i *)(to + head + at), _mm_loadu_si128((const __m128i *)(from + head + at)));
    pb_stream_few(to + head, from + head, bytes - head);
#else
    memcpy(to, from, bytes);
#endif
}

/* Records the scalars of a block's states. */
static void pb_write(const PbBlock *b, const PbRecord *r, char *to)
{
    const char *from = b->source[r->number];
    const int bytes = r->number ? b->bytes : 8;  /* source 0 is the time */
    int lane = 0;
#ifdef PB_VECTORS
    if (r->scalar == bytes && r->bytes == bytes && r->scalars >= 4 && b->lanes % 4 == 0) {
        void (*turn)(char *, int64_t, const char *, int, int, int) = bytes == 8 ? pb_turn_8 : pb_turn_4;
        lane = b->states / 4 * 4;
        if (r->large && r->state == (int64_t)r->scalars * bytes && lane * r->state <= ROWS) {
            char rows[ROWS];
            turn(rows, r->state, from, r->scalars, b->lanes, b->states);
            pb_stream(to, rows, lane * r->state);
        } else
            turn(to, r->state, from, r->scalars, b->lanes, b->states);
    }
#endif
    for (; lane < b->states; lane++)
        for (int s = 0; s < r->scalars; s++)
            pb_convert(to + lane * r->state + s * r->scalar, r->bytes,
                       from + ((int64_t)s * b->lanes + lane) * bytes, bytes);
}

/* Counts a step, and records the state if a frame is due. */
static void pb_note(PbBlock *b)
{
    if (!b->nrecord || ++b->taken % b->every)
        return;
    const int64_t frame = b->taken / b->every - 1;
    for (int k = 0; k < b->nrecord; k++) {
        const PbRecord *r = &b->record[k];
        pb_write(b, r, r->memory + frame * r->frame + b->first * r->state);
    }
}

/* Without their sign, the bits of floating-point numbers are integers in the order of magnitude, NaN above
   all: `most` minus them is negative if a number exceeds it. The signs of all numbers of a lane are
   collected in `below`. */
#ifdef PB_VECTORS
#define PB_ROWS(WHOLE, LANES, FROM, SCALARS, MOST) do { \
        typedef WHOLE Row __attribute__((vector_size(LANES * sizeof(WHOLE)), aligned(sizeof(WHOLE)), may_alias)); \
        const Row *row = (const Row *)(FROM); \
        Row now = *(const Row *)below; \
        for (int s = 0; s < (SCALARS); s++) \
            now |= (MOST) - (row[s] & ~sign); \
        *(Row *)below = now; \
    } while (0)
/* Returns from a function if the squares of all numbers of each lane sum up to at most `small`. */
#define PB_SQUARES(REAL, LANES) do { \
        typedef REAL Row __attribute__((vector_size(LANES * sizeof(REAL)), aligned(sizeof(REAL)), may_alias)); \
        Row even = {0}, odd = {0}; \
        for (int part = 0; part < 4; part++) { \
            const Row *row = (const Row *)from[part]; \
            int s = 0; \
            for (; s + 2 <= scalars[part]; s += 2) { \
                even += row[s] * row[s]; \
                odd += row[s + 1] * row[s + 1]; \
            } \
            if (s < scalars[part]) \
                even += row[s] * row[s]; \
        } \
        int all = 1; \
        for (int lane = 0; lane < LANES; lane++) \
            all &= even[lane] + odd[lane] <= small; \
        if (all) \
            return; \
    } while (0)
#else
#define PB_ROWS(WHOLE, LANES, FROM, SCALARS, MOST) do { \
        const WHOLE *x = (const WHOLE *)(FROM); \
        for (int s = 0; s < (SCALARS); s++) \
            for (int lane = 0; lane < LANES; lane++) \
                below[lane] |= (MOST) - (x[s * LANES + lane] & ~sign); \
    } while (0)
#define PB_SQUARES(REAL, LANES) do { (void)small; } while (0)
#endif
#define PB_EACH(WHOLE, REAL, LANES) do { \
        PB_SQUARES(REAL, LANES); \
        PB_ROWS(WHOLE, LANES, from[0], scalars[0], most); \
        PB_ROWS(WHOLE, LANES, from[1], scalars[1], finite); \
        PB_ROWS(WHOLE, LANES, from[2], scalars[2], most); \
        PB_ROWS(WHOLE, LANES, from[3], scalars[3], most); \
    } while (0)
/* The squares are compared first, which is faster than to compare each number. ROOT has a finite square; if
   the limit's is not a normal number, squares tell nothing. */
#define PB_LOOK(NAME, WHOLE, REAL, MAX, MIN, ROOT) \
    INLINE void NAME(const PbBlock *b, WHOLE *below) \
    { \
        const REAL limit = b->limit < MAX ? (REAL)b->limit : MAX, last = MAX; \
        const REAL square = limit < ROOT ? limit * limit : ROOT * ROOT; \
        const REAL small = square < MIN ? -1 : square * (REAL)0.999; \
        const char *from[] = {b->qacc, b->state[2], b->state[1], b->state[0]}; \
        const int scalars[] = {b->accelerations, b->scalars[2], b->scalars[1], b->scalars[0]}; \
        WHOLE most, finite; \
        const WHOLE sign = (WHOLE)1 << (8 * sizeof sign - 1); \
        memcpy(&most, &limit, sizeof most); \
        memcpy(&finite, &last, sizeof finite); \
        switch (b->lanes) { \
        case 2: PB_EACH(WHOLE, REAL, 2); break; \
        case 4: PB_EACH(WHOLE, REAL, 4); break; \
        case 8: PB_EACH(WHOLE, REAL, 8); break; \
        case 16: PB_EACH(WHOLE, REAL, 16); break; \
        default: \
            if (!NAME##_small(from, scalars, small)) { \
                PB_LINE(WHOLE, from[0], scalars[0], most); \
                PB_LINE(WHOLE, from[1], scalars[1], finite); \
                PB_LINE(WHOLE, from[2], scalars[2], most); \
                PB_LINE(WHOLE, from[3], scalars[3], most); \
            } \
        } \
    }
#define PB_LINE(WHOLE, FROM, SCALARS, MOST) do { \
        const WHOLE *x = (const WHOLE *)(FROM); \
        for (int s = 0; s < (SCALARS); s++) \
            if ((x[s] & ~sign) > (MOST)) { \
                below[0] = -1; \
                break; \
            } \
    } while (0)
/* The same of a single state. Scalar by scalar: vector registers cannot be loaded fast from scalars just
   written. */
#define PB_SMALL(NAME, REAL) \
    INLINE int NAME(const char *const *from, const int *scalars, REAL small) \
    { \
        REAL sum[4] = {0}; \
        for (int part = 0; part < 4; part++) { \
            const volatile REAL *x = (const volatile REAL *)from[part]; \
            int s = 0; \
            for (; s + 4 <= scalars[part]; s += 4) \
                for (int k = 0; k < 4; k++) { \
                    const REAL each = x[s + k]; \
                    sum[k] += each * each; \
                } \
            for (; s < scalars[part]; s++) { \
                const REAL each = x[s]; \
                sum[s & 3] += each * each; \
            } \
        } \
        return (sum[0] + sum[1]) + (sum[2] + sum[3]) <= small; \
    }
PB_SMALL(pb_look_8_small, double)
PB_SMALL(pb_look_4_small, float)
PB_LOOK(pb_look_8, PbBits8, double, DBL_MAX, DBL_MIN, 1e154)
PB_LOOK(pb_look_4, PbBits4, float, FLT_MAX, FLT_MIN, 1e19f)

/* Called after every step, since a number beyond the limit may return. Compares qpos, qvel and qacc of
   each lane with the limit; activations need only be finite. */
INLINE void pb_look(const PbBlock *b, void *below)
{
    if (b->bytes == 8)
        pb_look_8(b, (PbBits8 *)below);
    else
        pb_look_4(b, (PbBits4 *)below);
}

/* Whether a lane has failed, by what pb_look wrote. */
static int pb_strayed(const PbBlock *b, const void *memory, int lane)
{
    return b->bytes == 8 ? ((const PbBits8 *)memory)[lane] < 0 : ((const PbBits4 *)memory)[lane] < 0;
}

static void pb_keep(PbBlock *b)
{
    for (int part = 0; part < PARTS; part++)
        if (b->scalars[part])
            memcpy(b->kept[part], b->state[part], (size_t)b->scalars[part] * b->lanes * b->bytes);
    memcpy(b->kept_time, b->time, b->lanes * sizeof(double));
    int failed = 0;
    for (int lane = 0; lane < b->lanes; lane++)
        failed |= b->failed[lane];
    for (int k = 0; failed && k < b->nlast; k++)
        memcpy(b->last[k].before, b->last[k].now, (size_t)b->last[k].scalars * b->lanes * b->bytes);
}

static void pb_leave_start(const PbBlock *b)
{
    for (int k = 0; k < b->nstart; k++)
        memcpy(b->start[k].to, b->start[k].from, b->start[k].bytes);
}

static void pb_copy_lane(const PbBlock *b, char *to, const char *from, int scalars, int lane)
{
    for (int s = 0; s < scalars; s++) {
        const size_t place = ((size_t)s * b->lanes + lane) * b->bytes;
        memcpy(to + place, from + place, b->bytes);
    }
}

/* Restores the state of a lane; if it had failed before, also the accelerations of the step that failed, or
   from what they follow. */
static void pb_put_back(PbBlock *b, int lane, int before)
{
    for (int part = 0; part < PARTS; part++)
        pb_copy_lane(b, b->state[part], b->kept[part], b->scalars[part], lane);
    for (int k = 0; before && k < b->nlast; k++)
        pb_copy_lane(b, b->last[k].now, b->last[k].before, b->last[k].scalars, lane);
    b->time[lane] = b->kept_time[lane];
}

/* A lane that has failed has no results. */
static void pb_void(const PbBlock *b, int lane)
{
    for (int k = 0; k < b->nresult; k++)
        for (int s = 0; s < b->result[k].scalars; s++) {
            char *place = b->result[k].memory + ((int64_t)s * b->lanes + lane) * b->bytes;
            if (b->bytes == 8)
                *(double *)place = NAN;
            else
                *(float *)place = NAN;
        }
}

static void pb_void_failed(const PbBlock *b)
{
    for (int lane = 0; b->nresult && lane < b->lanes; lane++)
        if (b->failed[lane])
            pb_void(b, lane);
}

/* Copies the controls of the next step for all lanes in use. */
static void pb_steer(PbBlock *b)
{
    const char *from = b->control + b->moved++ * b->control_step + b->first * b->control_state;
    for (int lane = 0; lane < b->states; lane++)
        for (int s = 0; s < b->controls; s++)
            memcpy(b->ctrl + ((int64_t)s * b->lanes + lane) * b->bytes,
                   from + lane * b->control_state + s * b->control_scalar, b->bytes);
}

static void pb_run(PbBlock *b)
{
    for (int lane = 0; b->instant && lane < b->lanes; lane++)
        pb_convert(b->instant + lane * b->bytes, b->bytes, (const char *)(b->time + lane), sizeof(double));
    b->run(b->column);
}

INLINE void pb_step(PbBlock *b)
{
    if (b->control && !b->delays)
        pb_steer(b);
    pb_run(b);
    for (int lane = 0; lane < b->lanes; lane++)
        b->time[lane] += b->timestep[lane];
}

/* Number of lanes that have not failed. */
static int pb_left(const PbBlock *b)
{
    int left = 0;
    for (int lane = 0; lane < b->lanes; lane++)
        left += !b->failed[lane];
    return left;
}

/* Several steps at once. If a step of a lane fails, restores the state of all lanes and returns 0; frames
   recorded meanwhile are overwritten later. */
CLONED static int pb_leap(PbBlock *b, int count)
{
    int good = 1;
    PbBits8 below[MAX_LANES] = {0};
    const int64_t taken = b->taken, moved = b->moved;
    pb_keep(b);
    for (int k = 0; k < count; k++) {
        if (k == count - 1)
            pb_leave_start(b);
        pb_step(b);
        pb_look(b, below);
        pb_note(b);
    }
    for (int lane = 0; lane < b->lanes; lane++)
        good &= b->failed[lane] || !pb_strayed(b, below, lane);
    for (int lane = 0; lane < b->lanes; lane++)
        if (!good || b->failed[lane])
            pb_put_back(b, lane, b->failed[lane]);
    pb_void_failed(b);
    if (!good) {
        b->taken = taken;
        b->moved = moved;
    }
    return good;
}

/* One step. A lane that fails is restored and marked. Returns the number of lanes that have not failed. */
static int pb_hop(PbBlock *b)
{
    PbBits8 below[MAX_LANES] = {0};
    pb_keep(b);
    if (b->delays) {
        if (b->control)
            pb_steer(b);
        pb_delay(b);
    }
    pb_leave_start(b);
    pb_step(b);
    pb_look(b, below);
    for (int lane = 0; lane < b->lanes; lane++) {
        const int before = b->failed[lane];
        b->failed[lane] |= pb_strayed(b, below, lane);
        if (b->failed[lane])
            pb_put_back(b, lane, before);
    }
    if (b->delays)
        pb_keep_samples(b);
    pb_void_failed(b);
    pb_note(b);
    return pb_left(b);
}

/* Takes n steps; returns the number of steps until all lanes have failed. Lanes that failed before keep
   their state. While recording, they prevent several steps at once, because these would record
   intermediate states of failed lanes. With delays steps are taken one by one, because of what each keeps. */
static int64_t pb_advance(PbBlock *b, int64_t n)
{
    const int64_t end = b->taken + n;
    int64_t done = 0;
    pb_void_failed(b);
    while (done < n && pb_left(b)) {
        const int count = n - done < LEAP ? (int)(n - done) : LEAP;
        const int whole = !b->delays && (!b->nrecord || pb_left(b) == b->lanes);
        if (whole && pb_leap(b, count)) {
            done += count;
            continue;
        }
        for (int k = 0; k < count; k++) {
            if (!pb_hop(b))
                break;
            done++;
        }
    }
    while (b->nrecord && b->taken < end)
        pb_note(b);
#ifdef __x86_64__
    _mm_sfence();  /* makes streamed data visible to other threads */
#endif
    return done;
}

#endif
