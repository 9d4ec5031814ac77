/* A model from its text, or the test fails with the reason. */
#pragma once

#include "claims.h"

#include <sodae/model.h>
#include <string.h>

static inline sodae_model *parse(const char *text) {
    sodae_model *model;
    sodae_failure why;
    if (sodae_model_parse(text, strlen(text), "m.yaml", NULL, &model, &why))
        fail_msg("%s in\n%s", why.message, text);
    return model;
}
