/* The global error of a run under error control, estimated by a second run with smaller tolerances.
 */
#pragma once

#include <sodae/integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The closer run has this part of all tolerances: the difference of both runs is 0.9 to 1.1 of the
 * error, which is proportional to them. */
#define SODAE_VERIFY_CLOSER 0.1
/* Tolerances that may pass: above, the order of magnitude that was asked for is missed. */
#define SODAE_VERIFY_LIMIT 10

/* States in a trail; numbers in one, 32 MB. */
enum { SODAE_TRAIL_STATES = 1000, SODAE_TRAIL_NUMBERS = 4000000 };

/* The record of one run: at most so many states, evenly chosen among the ends of accepted steps and
 * the events that act or stop, and the last state; the largest value of every component; the number
 * of events. */
typedef struct sodae_trail sodae_trail;

/* `start`: the argument of sodae_start_at; NULL for sodae_start. Problem, start and the arrays of
 * the options must outlive the trail. NOT_ALLOWED with a fixed step, which has no tolerance. */
SODAE_API sodae_status sodae_trail_create(sodae_trail **out, const sodae_problem *problem,
                                          const sodae_options *options, const sodae_point *start,
                                          sodae_failure *why);
SODAE_API void sodae_trail_free(sodae_trail *trail);

/* A sodae_sink with the trail as user data; another sink may call it. Returns 0. Never allocates.
 */
SODAE_API int sodae_trail_record(const sodae_view *view, void *trail);

/* The closer run of sodae_verify hands its steps and events to `watch` as well and ends where that
 * returns another value than 0. */
SODAE_API void sodae_trail_watch(sodae_trail *trail, sodae_sink *watch, void *user);

/* The error of component i is |difference of the runs| / (atol_i + rtol max|x_i| over the run), of
 * a rotation |angle| / (atol_i + rtol); SE(3) is measured by its logarithm. */
typedef struct sodae_verification {
    double rtol;                 /* of the closer run */
    long steps;                  /* of the closer run */
    long compared;               /* states */
    double q, v, r, multipliers; /* largest errors, in tolerances; NaN: not known */
    double error;                /* largest of q, v, r, with error_lambda of the multipliers too */
    double t;                    /* where it was found */
    sodae_variable of;           /* Q, V, R, LAMBDA or PSI */
    int entry;                   /* from 0, of Q in the directions of v; -1: no error */
    double amount;               /* |difference| of this component, in its unit */
    double rtol_needed;          /* brings the error to 10 tolerances if it is proportional to rtol,
                                    a power of ten; NaN: the error is not above, or rounding is */
    char name[64];               /* of the component */
} sodae_verification;

/* Repeats the run to t_end, the end asked for, with the same method and a tenth of all tolerances,
 * and compares the recorded states by time, those at events each at its own event time. A state
 * that lies between the times of an event in the two runs is left out. OK; INACCURATE above 10
 * tolerances; UNVERIFIED when the closer run fails or meets other events. `why` (may be NULL) has
 * the reason. */
SODAE_API sodae_status sodae_verify(const sodae_trail *trail, double t_end, sodae_verification *out,
                                    sodae_failure *why);

#ifdef __cplusplus
}
#endif
