/* Models written as text: equations of motion in a YAML file (docs/model-files.md) become a
 * problem with exact derivatives. The file is data: nothing in it is run, no other file is opened.
 */
#pragma once

#include <sodae/options.h>
#include <sodae/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sodae_model sodae_model;

/* Reads a model from a file ("-": standard input) or from `size` bytes of text, which messages call
 * `label`. `overrides` (may be NULL) is a list of "name=value" that ends with NULL and replaces
 * values of `parameters`. On failure *model is NULL and `why` (may be NULL) holds
 * "file:line:column: what is wrong; what was expected". Free the model with sodae_model_free. */
sodae_status sodae_model_load(const char *path, const char *const *overrides, sodae_model **model,
                              sodae_failure *why);
sodae_status sodae_model_parse(const char *text, size_t size, const char *label,
                               const char *const *overrides, sodae_model **model,
                               sodae_failure *why);
void sodae_model_free(sodae_model *model);

/* The problem, owned by the model. It never changes and may be used by many threads. Blocks of an
 * exact solution that the file does not give are NaN. */
const sodae_problem *sodae_model_problem(const sodae_model *model);

/* Applies the file's `solver` settings to `options`; others stay as they are. Lists of tolerances
 * belong to the model, which must outlive the integrator anyway. */
sodae_status sodae_model_options(const sodae_model *model, sodae_options *options,
                                 sodae_failure *why);

/* The file's `run` settings in seconds; NaN where not given. */
double sodae_model_t_end(const sodae_model *model);
double sodae_model_output_step(const sodae_model *model);

/* Parameter i and its value (NaN if it is a vector or matrix); NULL past the end. */
const char *sodae_model_parameter(const sodae_model *model, int i, double *value);

/* JSON Schema (draft 2020-12) of the format. */
const char *sodae_model_schema(void);

#ifdef __cplusplus
}
#endif
