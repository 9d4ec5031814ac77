/* The experiments, by paper. */
#pragma once

#include "papers/experiment.h"

extern const experiment p000_fig51, p000_fig52, p000_fig53, p000_fig54, p000_fig56, p000_fig57,
    p000_fig58;
extern const experiment p001_fig71, p001_fig72;
extern const experiment p002_fig1, p002_fig2;
extern const experiment p003_fig1, p003_factors, p003_example2, p003_fig3, p003_fig4, p003_fig5,
    p003_fig6;
extern const experiment p004_table21, p004_theorem242, p004_theorem534, p004_example322,
    p004_summary;
extern const experiment p004_table22, p004_table31, p004_table32, p004_table33, p004_table61,
    p004_reduction, p004_table81, p004_table82, p004_table83, p004_fig81, p004_fig84, p004_table84;
extern const experiment beyond_bdf, beyond_glm, beyond_steps, beyond_lie, beyond_suslov,
    beyond_control, beyond_work, beyond_orders;
