#include "papers/list.h"

static const experiment *const experiments[] = {
    &p000_fig51,      &p000_fig52,     &p000_fig53,    &p000_fig54,      &p000_fig56,
    &p000_fig57,      &p000_fig58,     &p001_fig71,    &p001_fig72,      &p002_fig1,
    &p002_fig2,       &p003_fig1,      &p003_factors,  &p003_example2,   &p003_fig3,
    &p003_fig4,       &p003_fig5,      &p003_fig6,     &p004_table21,    &p004_theorem242,
    &p004_example322, &p004_table22,   &p004_table31,  &p004_table32,    &p004_table33,
    &p004_table61,    &p004_reduction, &p004_table81,  &p004_table82,    &p004_table83,
    &p004_fig81,      &p004_fig84,     &p004_table84,  &p004_theorem534, &p004_summary,
    &beyond_bdf,      &beyond_glm,     &beyond_steps,  &beyond_lie,      &beyond_suslov,
    &beyond_control,  &beyond_work,    &beyond_orders,
};
enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

const experiment *experiment_at(int i) {
    return i >= 0 && i < EXPERIMENTS ? experiments[i] : 0;
}
