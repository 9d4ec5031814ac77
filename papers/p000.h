/* What the experiments of paper 000 share. */
#pragma once

#include "papers/experiment.h"

#define P000_TEST "hht-test --method extended-hht --alpha -0.15 --set option.b=0.3 --t-end 1"

#define P000_Y(lo, hi)                                                                             \
    { CLI_Q, 0, "y", "‖yₙ − y(tₙ)‖", PLOT_SQUARE, lo, hi }
#define P000_Z(lo, hi)                                                                             \
    { CLI_V, 0, "z", "‖zₙ − z(tₙ)‖", PLOT_CIRCLE, lo, hi }
#define P000_A(lo, hi)                                                                             \
    { CLI_A, 0, "a", "‖aₙ − a(tₙ + αh)‖", PLOT_CROSS, lo, hi }
