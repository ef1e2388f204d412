"""Steps of a compiled program, with the check that keeps the state before a step that fails.

States stand side by side in lanes, `[scalar][lane]` in memory; a single state is one lane.
"""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    /* One binary for every x86: the loader picks the text for the machine at hand. */
    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
    #define PB_WIDE __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
    #else
    #define PB_WIDE
    #endif

    enum { PARTS = 2, LEAP = 16, MOST_LANES = 16 };
    typedef void (*PbRun)(void *const *column);

    /* A block of states and the kernel that takes one step with each of them. */
    typedef struct {
        PbRun run;
        void *const *column;      /* what run is given */
        int lanes, bytes;         /* states side by side; bytes of a real, 8 or 4 */
        char *state[PARTS];       /* qpos, qvel */
        int scalars[PARTS];       /* of one lane */
        char *kept[PARTS];        /* the state to go back to */
        double *time, *kept_time; /* of each lane */
        const double *timestep;   /* of each lane */
        unsigned char *failed;    /* of each lane: it stays as it is */
    } PbBlock;

    /* For each lane a sum of x - x, which is 0 only if all x are finite. */
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

    /* Mark lanes that left the finite numbers. What is not finite stays so, since every integrator adds to what
       it finds: one look after a leap is enough. */
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

    static void pb_steps(PbBlock *b, int count)
    {
        for (int k = 0; k < count; k++) {
            b->run(b->column);
            for (int lane = 0; lane < b->lanes; lane++)
                b->time[lane] += b->timestep[lane];
        }
    }

    /* Several steps at once. If a lane leaves the finite numbers: 0, and all are back where they were. */
    static int pb_leap(PbBlock *b, int count)
    {
        int good = 1;
        unsigned char stray[MOST_LANES];
        pb_keep(b);
        pb_steps(b, count);
        pb_look(b, stray);
        for (int lane = 0; lane < b->lanes; lane++)
            good &= b->failed[lane] || !stray[lane];
        for (int lane = 0; lane < b->lanes; lane++)
            if (!good || b->failed[lane])
                pb_put_back(b, lane);
        return good;
    }

    /* One step; a lane that leaves the finite numbers is put back and has failed. How many have not. */
    static int pb_hop(PbBlock *b)
    {
        int left = 0;
        unsigned char stray[MOST_LANES];
        pb_keep(b);
        pb_steps(b, 1);
        pb_look(b, stray);
        for (int lane = 0; lane < b->lanes; lane++) {
            b->failed[lane] |= stray[lane];
            if (b->failed[lane])
                pb_put_back(b, lane);
            left += !b->failed[lane];
        }
        return left;
    }

    /* n steps; how many until all lanes have failed. Lanes that had failed before stay as they are. */
    static int64_t pb_advance(PbBlock *b, int64_t n)
    {
        for (int64_t done = 0; done < n;) {
            const int count = n - done < LEAP ? (int)(n - done) : LEAP;
            if (pb_leap(b, count)) {
                done += count;
                continue;
            }
            for (int k = 0; k < count; k++, done++)
                if (!pb_hop(b))
                    return done;
        }
        return n;
    }
    """
    ctypedef void (*PbRun)(void *const *column) noexcept nogil
    cdef enum:
        MOST_LANES
    ctypedef struct PbBlock:
        PbRun run
        void **column
        int lanes, bytes
        char *state[2]
        int scalars[2]
        char *kept[2]
        double *time
        double *kept_time
        const double *timestep
        unsigned char *failed
    int64_t pb_advance(PbBlock *block, int64_t n) noexcept nogil
