/* Models written as text: equations of motion (docs/model-files.md) or bodies and joints
 * (docs/mechanisms.md) in a YAML file become a problem with exact derivatives. The file is data:
 * nothing in it is run, no file is opened but those of `data`, `include` and `use`, below its own
 * folder (the folder of `label`). */
#pragma once

#include <sodae/mechanism.h>
#include <sodae/options.h>
#include <sodae/problem.h>
#include <sodae/strangeness.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sodae_model sodae_model;

/* Reads a model from a file ("-": standard input) or from `size` bytes of text, which messages call
 * `label`. `overrides` (may be NULL) is a list of "name=value" that ends with NULL and replaces
 * values of `parameters`. On failure *model is NULL and `why` (may be NULL) holds
 * "file:line:column: what is wrong; what was expected". Free the model with sodae_model_free. */
SODAE_API sodae_status sodae_model_load(const char *path, const char *const *overrides,
                                        sodae_model **model, sodae_failure *why);
SODAE_API sodae_status sodae_model_parse(const char *text, size_t size, const char *label,
                                         const char *const *overrides, sodae_model **model,
                                         sodae_failure *why);

/* File i that the model has read besides its own text: its name below the model's folder, and its
 * text; NULL past the end. */
SODAE_API const char *sodae_model_file(const sodae_model *model, int i, const char **text,
                                       size_t *size);
/* sodae_model_parse where such files come from `open` (0, or non-zero: there is no such file) and
 * none from the disk. */
typedef int sodae_model_open(const char *name, const char **text, size_t *size, void *user);
SODAE_API sodae_status sodae_model_parse_with(const char *text, size_t size, const char *label,
                                              sodae_model_open *open, void *user,
                                              const char *const *overrides, sodae_model **model,
                                              sodae_failure *why);
SODAE_API void sodae_model_free(sodae_model *model);

/* The problem, owned by the model. It never changes and may be used by many threads. Blocks of an
 * exact solution that the file does not give are NaN. */
SODAE_API const sodae_problem *sodae_model_problem(const sodae_model *model);

/* Applies the file's `solver` settings to `options`; others stay as they are. Lists of tolerances
 * belong to the model, which must outlive the integrator anyway. */
SODAE_API sodae_status sodae_model_options(const sodae_model *model, sodae_options *options,
                                           sodae_failure *why);

/* The file's `run` settings in seconds; NaN where not given. */
SODAE_API double sodae_model_t_end(const sodae_model *model);
SODAE_API double sodae_model_output_step(const sodae_model *model);
/* The times of `run` at which states are reported, increasing; NULL: none. */
SODAE_API const double *sodae_model_times(const sodae_model *model, int *count);

/* Output i of a mechanism file: its name and shape; NULL past the end. */
SODAE_API const char *sodae_model_mechanism_output(const sodae_model *model, int i, int *rows,
                                                   int *cols);
/* All of them at a state of the problem, one after the other, matrices by rows. */
SODAE_API sodae_status sodae_model_mechanism_outputs(const sodae_model *model,
                                                     const sodae_point *at, double *out);

/* The mechanism of a file with bodies, NULL of one with equations. */
SODAE_API const sodae_mechanism *sodae_model_mechanism(const sodae_model *model);

/* Number i of the file's `outputs`: its name, "power" or "tip[2]", and its unit (NULL: not given);
 * NULL past the end. */
SODAE_API const char *sodae_model_output(const sodae_model *model, int i, const char **unit);
/* All of them at a point whose `a` is v'. 0, or non-zero when memory ran out. */
SODAE_API int sodae_model_outputs(const sodae_model *model, const sodae_point *at, double *out);
/* Unit of the i-th number of a variable from `units`, of the stored numbers for SODAE_Q; NULL: not
 * given. */
SODAE_API const char *sodae_model_unit(const sodae_model *model, sodae_variable x, int i);
SODAE_API const char *sodae_model_energy_unit(const sodae_model *model);
/* 1: the file says `energy: {expression: .., conserved: true}`. */
SODAE_API int sodae_model_energy_is_conserved(const sodae_model *model);

/* Parameter i and its value (NaN if it is a vector or matrix); NULL past the end. */
SODAE_API const char *sodae_model_parameter(const sodae_model *model, int i, double *value);
/* Its numbers by rows (a number: 1 x 1), valid as long as the model; NULL past the end. */
SODAE_API const double *sodae_model_parameter_values(const sodae_model *model, int i, int *rows,
                                                     int *cols);

/* The equations along curves, for sodae_curve_along; valid as long as the model. NOT_ALLOWED with
 * the reason where there are none: more than 30 unknowns, contact coordinates. */
SODAE_API sodae_status sodae_model_curves(const sodae_model *model, sodae_curve_system *out,
                                          sodae_failure *why);
/* 1: the file has `linear` or `first_order`. */
SODAE_API int sodae_model_is_printed(const sodae_model *model);
/* Why such equations are not integrated: they are not linear or not regular. NULL: they are. */
SODAE_API const sodae_failure *sodae_model_not_integrated(const sodae_model *model);

/* JSON Schema (draft 2020-12) of the format. */
SODAE_API const char *sodae_model_schema(void);

#ifdef __cplusplus
}
#endif
