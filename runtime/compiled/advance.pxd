"""Steps of a compiled program, with the check that keeps the state before a step that fails.

States stand side by side in lanes, `[scalar][lane]` in memory; a single state is one lane.
"""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    enum { PARTS = 2, LEAP = 16 };
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

    /* What is not finite stays so: every integrator adds to what it finds, so one look after a leap is enough. */
    static int pb_finite(const PbBlock *b, int lane)
    {
        double zero = 0.0;
        for (int part = 0; part < PARTS; part++) {
            const int end = b->scalars[part] * b->lanes;
            if (b->bytes == 8) {
                const double *x = (const double *)b->state[part];
                for (int k = lane; k < end; k += b->lanes)
                    zero += x[k] - x[k];
            } else {
                const float *x = (const float *)b->state[part];
                for (int k = lane; k < end; k += b->lanes)
                    zero += x[k] - x[k];
            }
        }
        return zero == 0.0;
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
        pb_keep(b);
        pb_steps(b, count);
        for (int lane = 0; lane < b->lanes && good; lane++)
            good = b->failed[lane] || pb_finite(b, lane);
        for (int lane = 0; lane < b->lanes; lane++)
            if (!good || b->failed[lane])
                pb_put_back(b, lane);
        return good;
    }

    /* One step; a lane that leaves the finite numbers is put back and has failed. How many have not. */
    static int pb_hop(PbBlock *b)
    {
        int left = 0;
        pb_keep(b);
        pb_steps(b, 1);
        for (int lane = 0; lane < b->lanes; lane++) {
            if (!b->failed[lane] && !pb_finite(b, lane))
                b->failed[lane] = 1;
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
