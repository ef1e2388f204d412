#ifndef POLYBODY_SIGNALS_H
#define POLYBODY_SIGNALS_H

/* Whether a signal ends what is computed. Long computations ask after pieces of work; signals are handled when
   the work since the last time takes about some hundredths of a second. */

#include "contract/records.h"

#define UNINTERRUPTED 2e7 /* in units of about two nanoseconds */

static inline int is_ended(Signals *s, double work)
{
    s->work += work;
    if (s->work >= UNINTERRUPTED && s->handle) {
        s->work = 0;
        s->ended |= s->handle(s->asked);
    }
    return s->ended;
}

#endif
