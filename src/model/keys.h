/* The keys of the format: one table for checking files and for the schema. */
#pragma once

#include "model/tree.h"

typedef enum keys_table {
    KEYS_TOP,
    KEYS_EQUATIONS,
    KEYS_POSITION,
    KEYS_DYNAMIC,
    KEYS_AUXILIARY,
    KEYS_CONTACT,
    KEYS_INITIAL,
    KEYS_EXACT,
    KEYS_RUN,
    KEYS_EVENT,
    KEYS_ACTION,
    KEYS_ENERGY,
    KEYS_DATA,
    KEYS_USE,
    KEYS_LINEAR,
    KEYS_FIRST_ORDER,
    KEYS_LAGRANGIAN,
    KEYS_MECHANISM, /* of the file, next to those of KEYS_TOP */
    KEYS_TABLE_FILE,
    KEYS_TABLEAU,
    KEYS_TABLE_FIRST,
    KEYS_TABLE_GENERAL,
    KEYS_TABLE_VALUE,
    KEYS_TABLES
} keys_table;

/* Is the node a map with known keys only? */
int keys_check(model_report *report, const tree_node *node, keys_table table, const char *where);
/* Key i of a table, NULL past the end; its help. */
const char *keys_name(keys_table table, int i, const char **help);

/* KEY(name, JSON Schema of its value, help); SEP between keys. */
#define KEYS_LIST_TOP(KEY, SEP)                                                                    \
    KEY("sodae", "{\"const\": 1}", "version of the format")                                        \
    SEP KEY("name", "{\"type\": \"string\"}", "title of the model") SEP KEY(                       \
        "parameters", "{\"type\": \"object\"}", "names and numbers, in order")                     \
        SEP KEY("let", "{\"type\": \"object\"}", "names and expressions, in order") SEP KEY(       \
            "equations", "{\"$ref\": \"#/$defs/equations\"}", "unknowns and equations")            \
            SEP KEY("initial", "{\"type\": \"object\"}", "initial values") SEP KEY(                \
                "exact", "{\"$ref\": \"#/$defs/exact\"}", "exact solution, functions of t")        \
                SEP KEY("energy",                                                                  \
                        "{\"anyOf\": [{\"$ref\": \"#/$defs/expression\"}, "                        \
                        "{\"$ref\": \"#/$defs/energy\"}]}",                                        \
                        "total energy, for reports") SEP KEY("units", "{\"type\": \"object\"}",    \
                                                             "names and units")                    \
                    SEP KEY("data",                                                                \
                            "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": "         \
                            "\"#/$defs/data\"}}",                                                  \
                            "tables and splines by name")                                          \
                        SEP KEY("include", "{\"type\": [\"string\", \"array\"]}",                  \
                                "files whose sections are joined with those of this one")          \
                            SEP KEY("use",                                                         \
                                    "{\"type\": \"object\", \"additionalProperties\": "            \
                                    "{\"$ref\": \"#/$defs/use\"}}",                                \
                                    "prefixes and sub-models")                                     \
                                SEP KEY("outputs", "{\"type\": \"object\"}",                       \
                                        "names and expressions of everything, for results")        \
                                    SEP KEY("solver", "{\"type\": \"object\"}", "options by name") \
                                        SEP KEY("run", "{\"$ref\": \"#/$defs/run\"}",              \
                                                "length and output of a run")                      \
                                            SEP KEY(                                               \
                                                "events", "{\"$ref\": \"#/$defs/events\"}",        \
                                                "what happens when an expression becomes zero")    \
                                                SEP                                                \
                                                KEYS_LIST_PRINTED(KEY, SEP)

/* At the top of the file or in `equations`. */
#define KEYS_LIST_PRINTED(KEY, SEP)                                                                \
    KEY("lagrangian", "{\"$ref\": \"#/$defs/lagrangian\"}", "equations of motion from energies")   \
    SEP KEY("linear", "{\"$ref\": \"#/$defs/linear\"}", "a linear DAE")                            \
        SEP KEY("first_order", "{\"$ref\": \"#/$defs/first_order\"}", "a DAE of first order")

#define KEYS_LIST_LAGRANGIAN(KEY, SEP)                                                             \
    KEY("kinetic", "{\"$ref\": \"#/$defs/expression\"}", "T(t, q, v), quadratic in v")             \
    SEP KEY("potential", "{\"$ref\": \"#/$defs/expression\"}", "U(t, q)")

#define KEYS_LIST_LINEAR(KEY, SEP)                                                                 \
    KEY("E", "{\"$ref\": \"#/$defs/any\"}", "E x' = A x + f, a list of rows")                      \
    SEP KEY("A", "{\"$ref\": \"#/$defs/any\"}", "of the same size")                                \
        SEP KEY("A2", "{\"$ref\": \"#/$defs/any\"}", "A2 x'' + A1 x' + A0 x = f")                  \
            SEP KEY("A1", "{\"$ref\": \"#/$defs/any\"}", "of the same size")                       \
                SEP KEY("A0", "{\"$ref\": \"#/$defs/any\"}", "of the same size")                   \
                    SEP KEY("f", "{\"$ref\": \"#/$defs/any\"}", "right side; 0 by default")

#define KEYS_LIST_FIRST_ORDER(KEY, SEP)                                                            \
    KEY("states", "{\"$ref\": \"#/$defs/list\"}", "names of x")                                    \
    SEP KEY("equations", "{\"$ref\": \"#/$defs/list\"}", "x' = f, 0 = g, or F(t, x, x') = 0")

#define KEYS_LIST_EQUATIONS(KEY, SEP)                                                              \
    KEY("positions", "{\"$ref\": \"#/$defs/positions\"}", "names of q")                            \
    SEP KEY("velocities", "{\"$ref\": \"#/$defs/list\"}", "names of v; v_x by default")            \
        SEP KEY("mass", "{\"$ref\": \"#/$defs/any\"}", "M: full matrix, or its diagonal") SEP KEY( \
            "force", "{\"$ref\": \"#/$defs/any\"}", "f, one entry for each velocity")              \
            SEP KEY("holonomic", "{\"$ref\": \"#/$defs/any\"}", "g(t, q, s) = 0") SEP KEY(         \
                "holonomic_multipliers", "{\"$ref\": \"#/$defs/list\"}", "names; lambda1, ...")    \
                SEP KEY("nonholonomic", "{\"$ref\": \"#/$defs/any\"}", "k(t, q, v) = 0")           \
                    SEP KEY("nonholonomic_multipliers", "{\"$ref\": \"#/$defs/list\"}",            \
                            "names; psi1, ...")                                                    \
                        SEP KEY("reactions", "{\"enum\": [\"standard\", \"in_force\"]}",           \
                                "standard: - G^T lambda - K^T psi is added to force")              \
                            SEP KEY("dynamic", "{\"$ref\": \"#/$defs/dynamic\"}", "r' = f_r")      \
                                SEP KEY("auxiliary", "{\"$ref\": \"#/$defs/auxiliary\"}",          \
                                        "0 = d, solved for w")                                     \
                                    SEP KEY("contact", "{\"$ref\": \"#/$defs/contact\"}",          \
                                            "0 = h(t, q, s), solved for s") SEP                    \
                                    KEYS_LIST_PRINTED(KEY, SEP)

#define KEYS_LIST_POSITION(KEY, SEP)                                                               \
    KEY("name", "{\"type\": \"string\"}", "name of the coordinate")                                \
    SEP KEY("space", "{\"type\": \"string\"}", "R, R2, R3, ..., SO3, S3, SE3")                     \
        SEP KEY("size", "{\"$ref\": \"#/$defs/expression\"}", "dimension of a vector")             \
            SEP KEY("storage", "{\"enum\": [\"matrix\", \"quaternion\"]}", "how SO3 is stored")    \
                SEP KEY("velocities", "{\"$ref\": \"#/$defs/any\"}", "names, in the body frame")

#define KEYS_LIST_DYNAMIC(KEY, SEP)                                                                \
    KEY("states", "{\"$ref\": \"#/$defs/list\"}", "names of r")                                    \
    SEP KEY("rates", "{\"$ref\": \"#/$defs/any\"}", "r'")

#define KEYS_LIST_AUXILIARY(KEY, SEP)                                                              \
    KEY("variables", "{\"$ref\": \"#/$defs/list\"}", "names of w")                                 \
    SEP KEY("equations", "{\"$ref\": \"#/$defs/any\"}", "0 = d")

#define KEYS_LIST_CONTACT(KEY, SEP)                                                                \
    KEY("coordinates", "{\"$ref\": \"#/$defs/list\"}", "names of s")                               \
    SEP KEY("equations", "{\"$ref\": \"#/$defs/any\"}", "0 = h")

#define KEYS_LIST_STATE(KEY, SEP)                                                                  \
    KEY("positions", "{\"$ref\": \"#/$defs/any\"}", "q")                                           \
    SEP KEY("velocities", "{\"$ref\": \"#/$defs/any\"}", "v")                                      \
        SEP KEY("holonomic_multipliers", "{\"$ref\": \"#/$defs/any\"}", "lambda")                  \
            SEP KEY("nonholonomic_multipliers", "{\"$ref\": \"#/$defs/any\"}", "psi")              \
                SEP KEY("dynamic", "{\"$ref\": \"#/$defs/any\"}", "r")                             \
                    SEP KEY("auxiliary", "{\"$ref\": \"#/$defs/any\"}", "w")                       \
                        SEP KEY("contact", "{\"$ref\": \"#/$defs/any\"}", "s")

#define KEYS_LIST_INITIAL(KEY, SEP)                                                                \
    KEY("t", "{\"$ref\": \"#/$defs/expression\"}", "initial time")                                 \
    SEP KEY("states", "{\"$ref\": \"#/$defs/any\"}", "x of first_order")                           \
        SEP KEY("hold", "{\"type\": \"array\"}", "names of q and v that the start does not move")  \
            SEP                                                                                    \
            KEYS_LIST_STATE(KEY, SEP)

#define KEYS_LIST_EXACT(KEY, SEP)                                                                  \
    KEY("accelerations", "{\"$ref\": \"#/$defs/any\"}", "v'; found from velocities if missing")    \
    SEP KEYS_LIST_STATE(KEY, SEP)

#define KEYS_LIST_RUN(KEY, SEP)                                                                    \
    KEY("t_end", "{\"$ref\": \"#/$defs/expression\"}", "end of the run [s]")                       \
    SEP KEY("output_step", "{\"$ref\": \"#/$defs/expression\"}", "time between outputs [s]")       \
        SEP KEY("times", "{\"$ref\": \"#/$defs/any\"}", "times of reported states [s]")

#define KEYS_LIST_MECHANISM(KEY, SEP)                                                              \
    KEY("planar", "{\"type\": \"boolean\"}", "motion in the x-y plane; false by default")          \
    SEP KEY("gravity", "{\"$ref\": \"#/$defs/any\"}", "acceleration; 0 by default")                \
        SEP KEY("bodies", "{\"type\": \"object\"}", "names and bodies")                            \
            SEP KEY("joints", "{\"type\": \"object\"}", "names and joints")                        \
                SEP KEY("forces", "{\"type\": \"object\"}", "names and forces")

#define KEYS_LIST_EVENT(KEY, SEP)                                                                  \
    KEY("name", "{\"type\": \"string\"}", "name of the event")                                     \
    SEP KEY("when", "{\"$ref\": \"#/$defs/expression\"}", "zero at the event")                     \
        SEP KEY("direction", "{\"enum\": [\"up\", \"down\", \"both\"]}", "both by default")        \
            SEP KEY("do", "{\"$ref\": \"#/$defs/action\"}", "what changes at the event")           \
                SEP KEY("stop", "{\"type\": \"boolean\"}", "ends the run; false by default")

#define KEYS_LIST_ACTION(KEY, SEP)                                                                 \
    KEY("positions", "{\"type\": \"object\"}", "names and new values")                             \
    SEP KEY("velocities", "{\"type\": \"object\"}", "names and new values")                        \
        SEP KEY("dynamic", "{\"type\": \"object\"}", "names and new values")

#define KEYS_LIST_ENERGY(KEY, SEP)                                                                 \
    KEY("expression", "{\"$ref\": \"#/$defs/expression\"}", "total energy")                        \
    SEP KEY("conserved", "{\"type\": \"boolean\"}", "reports give its drift; false by default")

#define KEYS_LIST_DATA(KEY, SEP)                                                                   \
    KEY("file", "{\"type\": \"string\"}", "CSV below the folder of the model")                     \
    SEP KEY("x", "{\"$ref\": \"#/$defs/any\"}", "increasing numbers, or the name of a column")     \
        SEP KEY("y", "{\"$ref\": \"#/$defs/any\"}", "numbers, or the name of a column")            \
            SEP KEY("spline", "{\"enum\": [\"linear\", \"cubic\"]}", "linear by default")

#define KEYS_LIST_USE(KEY, SEP)                                                                    \
    KEY("file", "{\"type\": \"string\"}", "a model below the folder of this one")                  \
    SEP KEY("set", "{\"type\": \"object\"}", "its parameters and definitions, and new values")
