/* A model from its text, and a run of it, or the test fails with the reason. */
#pragma once

#include "claims.h"

#include <sodae/integrator.h>
#include <sodae/model.h>
#include <string.h>

static inline sodae_model *parse(const char *text) {
    sodae_model *model;
    sodae_failure why;
    if (sodae_model_parse(text, strlen(text), "m.yaml", NULL, &model, &why))
        fail_msg("%s in\n%s", why.message, text);
    return model;
}

/* An integrator at its start; initial values may have been adjusted, which is news. */
static inline sodae *begin_run(const sodae_problem *p, const sodae_options *o) {
    sodae *s = NULL;
    sodae_failure why;
    if (sodae_create(&s, p, o, &why) < 0) fail_msg("%s", why.message);
    if (sodae_start(s) < 0) fail_msg("%s", sodae_last_failure(s)->message);
    return s;
}
