/* The integrator: everything that moves. */
#pragma once

#include "control/controller.h"
#include "integrator/watch.h"
#include "method/method.h"
#include "output/dense.h"

#include <sodae/integrator.h>

/* Something that larger steps could not pass: it lies before `before`, was met so often, and up to
 * rough_until the solution is taken for not smooth. */
typedef struct jump {
    double rough_until, before;
    int met;
    double look;    /* when it was last asked whether the motion sticks there, */
    int held;       /* how often in a row it did, */
    double longest; /* and the longest step tried */
} jump;

/* States on the way of a run under error control, from which its error is estimated afterwards
 * (verify.c): every `every`-th step; when there is no more room, every other one is dropped. */
typedef struct trail {
    int room, count;
    int newest;        /* 1: the last row is the end of the last step */
    long every, seen;  /* steps */
    long jumps;        /* events so far that acted and changed the state by `notable` tolerances; */
    long jumps_before; /* and before the last of these, */
    double jump_time;  /* which was at this time */
    double notable;
    int *notably; /* 1: this event has done so where the last step was cut */
    int stopped;  /* the event that ended the run; -1: none */
    double *rows; /* t, jumps, inside, h, q, v, r, multipliers */
} trail;

/* Buffers of signals.c and switches.c. */
typedef struct signals {
    double *low, *high;   /* bounds of all in an interval */
    double *before;       /* their values where the step begins */
    double *ends[2];      /* of signals at both ends of the step */
    double *least, *most; /* what each signal may be inside the step */
    double *hull[2];    /* bounds of each over all that is not clear yet: lower ones, upper ones */
    double *list[2];    /* intervals that are not clear, of two levels */
    int *open;          /* in how many intervals each is not clear; -1: no longer looked at */
    double *size;       /* of each in the run, as some instants show */
    double measured[2]; /* the run: its beginning and length */
    int unclear;        /* 1: bounds do not tell whether there is a pulse in the step to be tried */
    int lost;           /* 1: nor whether a switch changes in it */
    double *constraints[2]; /* g right before a jump and right after it */
    double *rows[4];        /* the equations at three instants, and what they may change */
} signals;

/* Buffers of kinks.c, and what steps without kinks have saved up for those that meet one. */
enum { KINKS_BUFFERS = 5 };
typedef struct kinks {
    double *value[KINKS_BUFFERS];
    double saved;
} kinks;

/* A step that an event has cut (cut.c): what the state inside of it is found from. */
typedef struct cut_step {
    int known;
    double from;          /* its beginning */
    double *past;         /* history of the whole step */
    double *spare;        /* buffer: of the present while that is read; before an action */
    state begin, end;     /* where the step began; right before the event */
    int by, dense_points; /* of its dense output */
    int *r_by;
} cut_step;

/* Something that happened in a step and is to be told. */
typedef struct happening {
    double t;
    int event; /* -1: the end of a step that was cut */
    int slot;  /* in which the state after the action is kept; -1: the state is inside the step */
} happening;

/* What has happened in the last step, in order (tell.c). */
typedef struct tell_list {
    happening *list;
    int room;
    int count, next; /* those before `next` were told */
    state *slots;    /* states after actions */
    int nslots, used;
    int event;  /* the last event at the end of a step that was cut, or what stops the run; -1 */
    int stops;  /* 1: `event` is to end the run when all is told */
    int end;    /* 1: the end of the step is to be told after them */
    int before; /* 1: a state before the cut is shown */
} tell_list;

/* Why an event is to happen at once: its function passes zero, or rests there and is led through it
 * by the action of another (contact.c). */
enum { DUE = 1, DUE_BY_RATE };

/* Reasons to start anew. */
enum { AFTER_REFUSALS = 1, BEHIND_KINK };

struct sodae {
    const sodae_problem *problem;
    sodae_options options;
    sodae_space *own_space; /* R^n when the problem names no space */
    arena memory;
    eval eval;
    consistent consistent;
    const method *method;
    stepper stepper;
    int started;
    controller controller;
    double t_start;     /* of the run */
    state begin;        /* where it started */
    double singular;    /* noise (see stepper) from which on a longer step over a singular
                           configuration is tried; 0: the tolerance */
    double h_next;      /* under error control; 0: not known yet */
    double first_h;     /* the first step of the run; 0: none yet */
    double longest;     /* the longest one so far */
    double fine_step;   /* of closer runs that verify this one: what it may not have resolved */
    double follow_from; /* motion inside of steps is tested from this time on (follow.c) */
    double doubt_from;  /* v inside of steps is not tested before: it does not become better */
    double *control_scratch, *dense_scratch, *defect, *stiff, *between, *follow, *reactions;
    signals signals;
    kinks kinks;
    dense_history dense;
    double position, velocity; /* constraint residuals of the state last checked */
    double *used_v, *used_a;   /* what the last accepted step started from */
    double *first_v, *first_a; /* starting values shown before the first step */
    double start_shift; /* how far from the state starting values could not be found; 0: they were
                           not asked for, or at the state itself */
    long steps_before;  /* steps before the last restart at an event */
    double small_from, small_to;      /* the last move that was too short for a step */
    state inside;                     /* a state inside the last step */
    state middle[2];                  /* buffers: its middle by two polynomials */
    state instant;                    /* buffer: at which all functions of events are evaluated */
    struct crossing_search *searches; /* for their zeros (crossing.c) */
    cut_step cut;
    tell_list told;
    int *event_due;           /* is it to happen at once, and why? After a failure: it could not */
    int *event_was_due;       /* buffer: the same before an action */
    int event_ends;           /* 1: an action has failed, and no smaller step is a remedy */
    int event_stopper;        /* of those at one time, the one that ends the run; -1: none */
    int *event_sign;          /* sign of each event function where the search goes on, 0: unknown */
    double *event_next;       /* in the step looked at: its next zero, INFINITY: none, */
    double *event_from;       /* which was looked for from here on, */
    int *event_after;         /* and its sign behind it */
    int event_low;            /* the one that has stayed at zero since it acted last; -1: none */
    int *event_met;           /* sign before the zero at the time of the last cut; 0: none there */
    double *event_left;       /* what its action has left of a function near zero; NaN: nothing */
    int *event_side;          /* where it came from before its action stopped it; 0: unknown */
    double *event_v;          /* v before the action under way */
    int *event_still;         /* buffer: 1: the action under way leaves it there */
    double *event_time;       /* when each event acted last */
    int *event_repeats;       /* and how often in a row at that time */
    sodae_status small_cause; /* why the last step of all was refused when they became too small */
    int anew;                 /* why the method is to start anew, see below; 0: it is not */
    double event_reach;       /* length of the step in which an event acted */
    double event_far;         /* the largest position so far */
    int event_instants;       /* of the run at least at which events are looked for */
    double *event_value;      /* at the beginning of the step */
    double *event_new;        /* buffer: at its end */
    double *event_size;       /* largest value seen, to tell zero from rounding, */
    double *event_zero; /* and what rounding of positions makes of it, where it was looked at */
    controller controller_before; /* at the beginning of the step under way */
    jump jump, jump_before;       /* jump_before: likewise */
    double tried[2];              /* h and t1 of the last step tried; under control t_end */
    double *kept;                 /* all that the step tried last depends on (history.c) */
    double *held;                 /* the same of the step accepted last, to undo it (undo.c) */
    int holds;                    /* 1: there is something in it */
    double looked_at,
        undone;          /* length of the step in which events are looked for; if it was undone */
    double reach_before; /* event_reach, and */
    long events_before;  /* events counted before it */
    int has_kept;        /* 1: of a refused step; 0: nothing is kept */
    int kept_begin;      /* 1: it is where the last step began, which may have passed */
    int nhistory;        /* the last accepted steps, for the failure record */
    double history_t[8], history_h[8];
    rank_watch watch;
    trail trail;
    sodae_start_report report;
    sodae_statistics statistics;
    sodae_failure failure;
    sodae_view view;
};

/* WRONG_ORDER, in words. */
sodae_status integrator_not_started(sodae *s);
/* Is an entry of q, v or r no finite number? Its name. */
int integrator_not_finite(const sodae *s, const state *x, char *name, size_t size);
/* Seconds so far into the statistics. */
void integrator_time(sodae *s);
/* Shows the current state in s->view. */
void integrator_show(sodae *s);
/* One step of prescribed size to t1; counts, shows, commits. */
sodae_status integrator_step(sodae *s, double h, double t1);
/* One step of a size that the error allows, never past t_end. */
sodae_status integrator_controlled_step(sodae *s, double t_end);
/* Long steps and events are looked at no farther apart than this part of the run. */
enum { INTEGRATOR_INSTANTS = 500 };
/* Does anything happen between the stages of a long step? *h_seen: h, or a shorter step that ends
 * before it. */
sodae_status integrator_look_between(sodae *s, double h, double *h_seen);
size_t integrator_between_room(const eval *e);
/* bends.c: features of n functions that are short against the step. */
typedef struct bends {
    int n;
    double *may;           /* smaller ones do not count */
    double *curved, *kept; /* f'' h^2 that a smooth function may have; the last samples */
} bends;
extern const double bends_points[4]; /* where in the step to see how curved functions are */
size_t bends_room(int n);
void bends_begin(bends *b, int n, double *room, const double *const f[4]);
/* With sample k of count: the size of a bend in `row` behind sample `from`, 0 for none. */
double bends_next(bends *b, int k, int count, const double *f, int *row, int *from);

/* follow.c: where there are constraints or stages the beginning of a step is kept, and after it was
 * taken the state inside of it is tested. */
typedef struct follow_step {
    sodae_statistics statistics; /* before it was taken */
    double singular;
    int refused;               /* how often for this reason */
    double first, size;        /* the first step refused, by how much */
    double doubted_h, doubted; /* one where v' was the reason, by how much */
} follow_step;
size_t follow_room(const eval *e);
/* Do constraints of the step tried depend on time? Sets stepper.driven. */
sodae_status follow_look(sodae *s);
/* Is there something to be tested: constraints, or stages? */
int follow_is_wanted(const sodae *s);
void follow_keep(sodae *s, follow_step *d);
/* *passed: 1: the step stands, s->h_next may be smaller for it; 0: it was taken back, s->h_next is
 * the one to try. Steps below `least` are not asked for. */
sodae_status follow_test(sodae *s, double h, double least, follow_step *d, int *passed);

/* The problem's functions of t alone (signals.c, switches.c). */
void signals_open(sodae *s);
sodae_status signals_bounds(sodae *s, double a, double b); /* into low, high */
/* *t1, or an earlier end of the step, so that it does not pass over a pulse. */
sodae_status signals_limit(sodae *s, double *t1);
/* *t_end, or the last instant before a switch on the way there, if no nearer than `least`. */
sodae_status switches_next(sodae *s, double least, double *t_end);
/* Right before a switch: over it, the method starts anew. INCONSISTENT where q would have to jump;
 * where v has to, it is counted. */
sodae_status switches_pass(sodae *s, double t_end);

/* kinks.c: a step that is to end at a kink of the equations. */
typedef struct landing {
    double end;  /* where to try; INFINITY: there is no kink yet */
    int tries;   /* so far */
    int again;   /* 1: the step tried is not to be taken, but one to `end` */
    double over; /* from the end of the step tried to behind the kink; 0: there is none */
} landing;
void kinks_open(sodae *s);
/* Does the step tried span a kink, or end at one? Zeros nearer than `least` do not count. */
sodae_status kinks_look(sodae *s, double least, landing *l);
/* Where the method starts, on the edge of a kink up to rounding: over it, so that everything
 * belongs to the side to which the motion leads. */
sodae_status kinks_leave(sodae *s, double t_end);
/* A step of size h has failed. Would it span a kink, as far as accelerations tell? Then 1, and one
 * that ends before it is to be tried. */
int kinks_expect(sodae *s, double h, double least, landing *l);
/* The step tried is to be taken: 1: its end was moved over a kink, and the method is to start anew.
 */
int kinks_pass(sodae *s, double t_end, const landing *l);

/* Does the step last tried end where dependent constraints amplify rounding beyond the tolerance?
 * Then a longer step, beyond the singular configuration, instead of one of size h; 1: done. */
int integrator_is_near_singular(const sodae *s);
int integrator_cross(sodae *s, double h, double t_end);
/* Over a rest that is too short for a step of usual size h. */
int integrator_is_short(double rest, double h);
sodae_status integrator_small_move(sodae *s, double t_end);
/* The end of a step: is the new state sound? Then commit, otherwise count a refusal. */
void integrator_commit(sodae *s, double h);
/* OK: the error test; EVENT: a kink. */
void integrator_refused(sodae *s, double h, sodae_status cause);
sodae_status integrator_check(sodae *s);

/* A method's history begins at the current t, q, v, r: consistent values, starting values. */
sodae_status integrator_restart(sodae *s);
/* The same where they are consistent already, without starting values: nothing is evaluated. */
void integrator_forget(sodae *s);

/* State at t inside the last step. */
sodae_status integrator_state_at(sodae *s, double t, state *out);
/* The same for output: v' and multipliers are interpolated where functions refuse to give them. */
sodae_status integrator_shown_at(sodae *s, double t, state *out);
/* q and v of it; stepper.dense_order is set. */
sodae_status integrator_motion_at(sodae *s, double t, state *out);
/* One of the motions of which integrator_motion_at chooses, at some cost, the best one: by v, by v
 * and v', by the stages. */
int integrator_motions(const sodae *s);
sodae_status integrator_one_motion(sodae *s, double t, int which, state *out);
/* reactions.c: multipliers that were interpolated to out->t become those of q and v there, where
 * polynomials do not tell them. */
size_t reactions_room(const eval *e);
sodae_status reactions_inside(sodae *s, state *out);
/* How wrong v of it may be, or r, or q by v, in units of `may` tolerances, as far as several
 * polynomials tell; 0 where two of them agree. */
sodae_status integrator_doubt(sodae *s, double may, double *size);
size_t stiff_room(const eval *e); /* stiff.c */
sodae_status integrator_arm_events(sodae *s);
/* The same where what is known about them was loaded: it stays, as far as their values agree. */
sodae_status integrator_resume_events(sodae *s);
/* Looks for events in the last step, and lets them happen. *moved: the step was cut; also where an
 * action has failed then: the state is the one before it, and the event is still due. */
sodae_status integrator_events(sodae *s, int *moved);
/* Is an event due that could not act, and its action once more. */
int integrator_is_due(const sodae *s);
sodae_status integrator_act_again(sodae *s);

/* The inside of a step that is about to be cut at t stays readable (cut.c) until the next one: is
 * there one, which ends at the current time? The state inside. */
void cut_open(sodae *s);
void cut_keep(sodae *s, double t);
int cut_is_known(const sodae *s);
sodae_status cut_state_at(sodae *s, double t, state *out);

/* What has happened in a step (tell.c): a new list; what joins it; all that was not told yet, to
 * the sink. */
enum { TELL_INSIDE = 1000 }; /* events without action in a step, and the next one cuts it */
void tell_open(sodae *s);
void tell_begin(sodae *s);
void tell_nothing(sodae *s); /* nothing has happened */
void tell_inside(sodae *s, int event, double t);
void tell_cut(sodae *s);
int tell_is_full(const sodae *s);     /* as many events have acted at one time as can be told */
void tell_event(sodae *s, int event); /* that has acted; the current state is the one after it */
/* EVENT when all of it is told and an event ends the run. */
sodae_status tell_sink(sodae *s, sodae_sink *sink, void *user);
/* Shows the current state, with the event that has led to it. */
void tell_view(sodae *s);

/* After a step under error control that was undone for the reason st: 1: the next one is smaller.
 * 0: that is no remedy, or no step is small enough. */
int integrator_try_smaller(sodae *s, sodae_status st);

/* Undoing a step that was accepted (undo.c): room; before the step; before what happens in it is
 * looked for, and after that has ended with st. `cut`: an event has cut the step, which stands. */
void undo_open(sodae *s);
void undo_keep(sodae *s);
void undo_begin(sodae *s);
void undo_end(sodae *s, sodae_status st, int cut);
/* 1: a function of the problem has failed: it may be asked again from where the step began. */
int undo_helps(sodae_status st);

/* Shows x, of an event (-1: none), instead of the current state. */
void integrator_show_state(sodae *s, const state *x, int event);
/* For output: the state at t in the last step, or in the one that an event has cut. */
sodae_status integrator_read(sodae *s, double t, state *out);

/* Room for the history; keeps it as it is before a refused step is tried again. */
void history_open(sodae *s);
void history_keep(sodae *s);
/* The last step was taken but not what happens in it: that step is the one to be tried again. */
void history_point_back(sodae *s);
/* The same into a buffer of the caller. */
void history_copy(sodae *s, double *to);
size_t history_size(sodae *s);
/* What was kept there takes the place of the present, for a while: matrices stay as they are. */
void history_put(sodae *s, double *from);
/* What was kept there becomes the current state. */
sodae_status history_give_back(sodae *s, double *from);

/* turns.c: h, or a shorter step, in which parts that rotate with these velocities do not turn so
 * far that differences of q say something else. */
double turns_limit(sodae *s, const double *v, double h);

/* Room for states on the way; a new run; after a step and what events made of it; and when it has
 * been told, for functions of the problem may fail. */
void trail_open(sodae *s);
void trail_begin(sodae *s);
void trail_step(sodae *s, int moved, sodae_status st);
sodae_status trail_look_inside(sodae *s);
/* Row i: its time; whether that is inside of a step, 1, or its end; q, v, r and multipliers. */
double trail_time(const sodae *s, int i);
int trail_is_inside(const sodae *s, int i);
/* An event has acted and made the current state of `before`. */
void trail_act(sodae *s, int event, const state *before);
void trail_row(const sodae *s, int i, long *jumps, state *at);
double trail_step_of(const sodae *s, int i); /* its length */

/* Of the run so far, which may end before the time that was asked for (stepper.span). */
static inline double integrator_length(const sodae *s) {
    return s->stepper.now.t - s->t_start;
}

/* Steps in which a second run follows what this one has not, and those that would show what grows
 * but takes too many of them (ripples.c). INFINITY: none. */
sodae_status ripples_find(const sodae *s, double *fine, double *finer);

/* advance.c: N of the constraints that depend on each other at a state that meets them to
 * s->position; the projector is factored there. */
sodae_status integrator_find_null(sodae *s, const sodae_point *at, linear_null *to);

/* jumps.c: a force that jumps, within a time `reach` of the current state, along the motion. */
typedef struct force_jump {
    int row;              /* of the force */
    double before, after; /* its value */
    double t;
    sodae_variable by; /* T, Q or V makes it; */
    int index;         /* V: this one alone, -1: several */
    double at;         /* and its value there; 0: its sign changes */
    int holds;         /* 1: from both sides the motion comes back to it */
} force_jump;
int jumps_find(sodae *s, double reach, force_jump *j);
/* In words, with advice. */
void jumps_tell(const sodae *s, const force_jump *j, char *text, size_t size);

/* Completes the failure record: what the solvers know, the last steps, advice. */
void integrator_explain(sodae *s);
/* Steps became too small; cause: why the last one was refused, SODAE_OK: by its error. */
void integrator_explain_small(sodae *s, sodae_status cause);
void integrator_explain_many(sodae *s); /* max_steps was reached */
void integrator_explain_start(sodae *s);
/* Every failure on the way ends here, whatever failed (step, event, action, jump in time): the
 * record gets the time, the number of steps and the last of them, and what is still missing.
 * Returns st; news and success are left alone. */
sodae_status integrator_ended(sodae *s, sodae_status st);
void integrator_explain_restart(sodae *s, const char *event); /* after its action */
