#include "bench/solver.h"

#include <stdio.h>

#include <arkode/arkode_butcher_erk.h>

volatile sig_atomic_t solver_late;

#define OURS   .open = ours_open, .run = ours_run, .close = ours_close
#define IDA    .open = ida_open, .run = ida_run, .close = ida_close
#define ARKODE .open = arkode_open, .run = arkode_run, .close = arkode_close

static const solver table[] = {
    {"default", OURS},
    {"dopri5", OURS, .options = "method=dopri5"},
    {"dop853", OURS, .options = "method=dop853"},
    {"bdf", OURS, .options = "method=bdf"},
    {"radau-iia", OURS, .options = "method=radau-iia"},
    {"radau-iia-3", OURS, .options = "method=radau-iia,stages=3"},
    {"alpha", OURS, .options = "method=generalized-alpha", .tightest = 1e-5},
    {"verified", OURS, .verified = 1},
    {"ida-klu", IDA},
    {"ida-klu-2", IDA, .order = 2, .tightest = 1e-6},
    {"ida-dense", IDA, .dense = 1},
    {"erk5-klu", ARKODE, .table = ARKODE_DORMAND_PRINCE_7_4_5},
    {"erk5-hand", ARKODE, .table = ARKODE_DORMAND_PRINCE_7_4_5, .by_hand = 1},
    {"erk8-klu", ARKODE, .table = ARKODE_FEHLBERG_13_7_8},
    {"erk8-hand", ARKODE, .table = ARKODE_FEHLBERG_13_7_8, .by_hand = 1},
};

const solver solver_reference = {"reference", ARKODE, .table = ARKODE_FEHLBERG_13_7_8};

const solver *solver_at(int i) {
    return i < (int)(sizeof table / sizeof *table) ? &table[i] : NULL;
}
