"""Steps of a compiled program, with recording and with the check that restores the state before a step that
fails.

States are stored side by side in lanes, `[scalar][lane]` in memory; a single state is one lane.
"""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #ifdef __SSE2__
    #include <emmintrin.h>
    #endif

    /* One binary for every x86 processor: the dynamic loader selects the function for this machine. */
    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
    #define PB_WIDE __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
    #else
    #define PB_WIDE
    #endif

    #if defined(__clang__) || defined(__GNUC__) && __GNUC__ >= 12
    #define PB_VECTORS
    #endif

    enum { PARTS = 4, LEAP = 16, MOST_LANES = 16, LINE = 64, ROWS = 1 << 14, LARGE = 1 << 21 };
    typedef void (*PbRun)(void *const *column);

    /* Memory in which scalars are recorded: strides in bytes between frames, states and scalars. */
    typedef struct {
        char *memory;
        int64_t frame, state, scalar;
        int number;               /* index of the source in the block */
        int scalars, bytes;       /* size of a recorded number */
        int large;                /* all records together exceed a core's private caches */
    } PbRecord;

    /* A block of states, and the kernel that steps them. */
    typedef struct {
        PbRun run;
        void *const *column;      /* the argument of run */
        int lanes, bytes;         /* number of states; size of a number, 8 or 4 */
        char *state[PARTS];       /* qpos, qvel, act, qacc_warmstart */
        int scalars[PARTS];       /* of one lane */
        char *kept[PARTS];        /* copy of the state before the step */
        double *time, *kept_time; /* of each lane */
        const double *timestep;   /* of each lane */
        char *instant;            /* the kernel's time column, or NULL */
        unsigned char *failed;    /* of each lane: its state no longer changes */

        const PbRecord *record;   /* what is recorded */
        int nrecord;
        char *const *source;      /* columns of this block, by PbRecord.number */
        int64_t every, taken;     /* steps between frames; number of steps taken */
        int64_t first;            /* index of the block's first state */
        const char *control;      /* controls of every step, or NULL */
        int64_t control_step, control_state, control_scalar;  /* strides in bytes */
        int controls;             /* of one lane */
        char *ctrl;               /* the kernel's column of controls */
        int64_t moved;            /* number of steps taken with `control` */
        int states;               /* lanes in use; the others are padding */
    } PbBlock;

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
        PB_WIDE static void NAME(char *to, int64_t state, const char *from, int scalars, int lanes, int states) \
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

    /* Copies with non-temporal stores, which neither read the destination nor evict other data from the
       caches. */
    static void pb_stream(char *to, const char *from, int64_t bytes)
    {
    #ifdef __SSE2__
        int64_t head = -(intptr_t)to & (LINE - 1);
        if (head > bytes)
            head = bytes;
        memcpy(to, from, head);
        for (; head + LINE <= bytes; head += LINE)
            for (int at = 0; at < LINE; at += 16)
                _mm_stream_si128((__m128i *)(to + head + at), _mm_loadu_si128((const __m128i *)(from + head + at)));
        to += head;
        from += head;
        bytes -= head;
    #endif
        memcpy(to, from, bytes);
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

    /* The sum of x - x in each lane is 0 only if all x are finite. */
    #define PB_STRAY(REAL, LANES) do { \
            const REAL *x = (const REAL *)memory; \
            REAL sum[LANES]; \
            for (int lane = 0; lane < LANES; lane++) sum[lane] = 0; \
            for (int s = 0; s < scalars; s++) \
                for (int lane = 0; lane < LANES; lane++) \
                    sum[lane] += x[s * LANES + lane] - x[s * LANES + lane]; \
            for (int lane = 0; lane < LANES; lane++) stray[lane] |= !(sum[lane] == 0); \
        } while (0)
    PB_WIDE static void pb_stray(const char *memory, int bytes, int lanes, int scalars, unsigned char *stray)
    {
        switch (lanes * (bytes == 8 ? 1 : -1)) {
        case 1: PB_STRAY(double, 1); break;
        case 2: PB_STRAY(double, 2); break;
        case 4: PB_STRAY(double, 4); break;
        case 8: PB_STRAY(double, 8); break;
        case 16: PB_STRAY(double, 16); break;
        case -1: PB_STRAY(float, 1); break;
        case -2: PB_STRAY(float, 2); break;
        case -4: PB_STRAY(float, 4); break;
        case -8: PB_STRAY(float, 8); break;
        case -16: PB_STRAY(float, 16); break;
        }
    }

    /* Marks lanes whose state is NaN or infinite. One check after several steps suffices: integrators add to
       the state, so NaN and infinity persist. */
    static void pb_look(const PbBlock *b, unsigned char *stray)
    {
        memset(stray, 0, b->lanes);
        for (int part = 0; part < PARTS; part++) {
            const int wide = b->lanes == 1 ? b->scalars[part] / 8 * 8 : 0;  /* of one state, eight at a time */
            unsigned char eight[8] = {0};
            if (wide)
                pb_stray(b->state[part], b->bytes, 8, wide / 8, eight);
            for (int k = 0; k < 8; k++)
                stray[0] |= eight[k];
            pb_stray(b->state[part] + (size_t)wide * b->bytes, b->bytes, b->lanes, b->scalars[part] - wide, stray);
        }
    }

    static void pb_keep(PbBlock *b)
    {
        for (int part = 0; part < PARTS; part++)
            if (b->scalars[part])
                memcpy(b->kept[part], b->state[part], (size_t)b->scalars[part] * b->lanes * b->bytes);
        memcpy(b->kept_time, b->time, b->lanes * sizeof(double));
    }

    static void pb_put_back(PbBlock *b, int lane)
    {
        for (int part = 0; part < PARTS; part++)
            for (int s = 0; s < b->scalars[part]; s++) {
                const size_t place = ((size_t)s * b->lanes + lane) * b->bytes;
                memcpy(b->state[part] + place, b->kept[part] + place, b->bytes);
            }
        b->time[lane] = b->kept_time[lane];
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

    static void pb_step(PbBlock *b)
    {
        if (b->control)
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

    /* Several steps at once. If a lane becomes NaN or infinite, restores the state of all lanes and returns
       0; frames recorded meanwhile are overwritten later. */
    static int pb_leap(PbBlock *b, int count)
    {
        int good = 1;
        unsigned char stray[MOST_LANES];
        const int64_t taken = b->taken, moved = b->moved;
        pb_keep(b);
        for (int k = 0; k < count; k++) {
            pb_step(b);
            pb_note(b);
        }
        pb_look(b, stray);
        for (int lane = 0; lane < b->lanes; lane++)
            good &= b->failed[lane] || !stray[lane];
        for (int lane = 0; lane < b->lanes; lane++)
            if (!good || b->failed[lane])
                pb_put_back(b, lane);
        if (!good) {
            b->taken = taken;
            b->moved = moved;
        }
        return good;
    }

    /* One step. A lane that becomes NaN or infinite is restored and marked as failed. Returns the number of
       lanes that have not failed. */
    static int pb_hop(PbBlock *b)
    {
        unsigned char stray[MOST_LANES];
        pb_keep(b);
        pb_step(b);
        pb_look(b, stray);
        for (int lane = 0; lane < b->lanes; lane++) {
            b->failed[lane] |= stray[lane];
            if (b->failed[lane])
                pb_put_back(b, lane);
        }
        pb_note(b);
        return pb_left(b);
    }

    /* Takes n steps; returns the number of steps until all lanes have failed. Lanes that failed before keep
       their state. While recording, they prevent several steps at once, because these would record
       intermediate states of failed lanes. */
    static int64_t pb_advance(PbBlock *b, int64_t n)
    {
        const int64_t end = b->taken + n;
        int64_t done = 0;
        while (done < n && pb_left(b)) {
            const int count = n - done < LEAP ? (int)(n - done) : LEAP;
            const int whole = !b->nrecord || pb_left(b) == b->lanes;
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
    #ifdef __SSE2__
        _mm_sfence();  /* makes streamed data visible to other threads */
    #endif
        return done;
    }
    """
    ctypedef void (*PbRun)(void *const *column) noexcept nogil
    ctypedef struct PbRecord:
        char *memory
        int64_t frame, state, scalar
        int number, scalars, bytes, large
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
    void pb_note(PbBlock *block) noexcept nogil
    void pb_steer(PbBlock *block) noexcept nogil
    int64_t pb_advance(PbBlock *block, int64_t n) noexcept nogil
