#include "model/keys.h"

#include <sodae/model.h>
#include <stddef.h>
#include <string.h>

typedef struct key {
    const char *name, *help;
} key;

#define TABLE_KEY(name, schema, help) {name, help},
#define NOTHING

static const key top[] = {KEYS_LIST_TOP(TABLE_KEY, NOTHING){NULL, NULL}};
static const key equations[] = {KEYS_LIST_EQUATIONS(TABLE_KEY, NOTHING){NULL, NULL}};
static const key position[] = {KEYS_LIST_POSITION(TABLE_KEY, NOTHING){NULL, NULL}};
static const key dynamic[] = {KEYS_LIST_DYNAMIC(TABLE_KEY, NOTHING){NULL, NULL}};
static const key auxiliary[] = {KEYS_LIST_AUXILIARY(TABLE_KEY, NOTHING){NULL, NULL}};
static const key contact[] = {KEYS_LIST_CONTACT(TABLE_KEY, NOTHING){NULL, NULL}};
static const key initial[] = {KEYS_LIST_INITIAL(TABLE_KEY, NOTHING){NULL, NULL}};
static const key exact[] = {KEYS_LIST_EXACT(TABLE_KEY, NOTHING){NULL, NULL}};
static const key run[] = {KEYS_LIST_RUN(TABLE_KEY, NOTHING){NULL, NULL}};
static const key event[] = {KEYS_LIST_EVENT(TABLE_KEY, NOTHING){NULL, NULL}};
static const key action[] = {KEYS_LIST_ACTION(TABLE_KEY, NOTHING){NULL, NULL}};
static const key data[] = {KEYS_LIST_DATA(TABLE_KEY, NOTHING){NULL, NULL}};
static const key use[] = {KEYS_LIST_USE(TABLE_KEY, NOTHING){NULL, NULL}};
static const key energy[] = {KEYS_LIST_ENERGY(TABLE_KEY, NOTHING){NULL, NULL}};

static const key linear[] = {KEYS_LIST_LINEAR(TABLE_KEY, NOTHING){NULL, NULL}};
static const key first_order[] = {KEYS_LIST_FIRST_ORDER(TABLE_KEY, NOTHING){NULL, NULL}};
static const key lagrangian[] = {KEYS_LIST_LAGRANGIAN(TABLE_KEY, NOTHING){NULL, NULL}};

static const key mechanism[] = {KEYS_LIST_MECHANISM(TABLE_KEY, NOTHING){NULL, NULL}};

/* Of tables of methods, which are files of their own. */
static const key table_file[] = {{"sodae_table", "version of the format"},
                                 {"name", "title"},
                                 {"parameters", "names and numbers"},
                                 {"tableau", "Runge-Kutta method"},
                                 {"first_order", "method (A.5)"},
                                 {"general", "method (A.17)"},
                                 {"handed_on", "what the values are"},
                                 {"error", "weights of the estimate"},
                                 {NULL, NULL}};
static const key tableau[] = {
    {"A", "s x s"}, {"b", "weights"}, {"c", "nodes"}, {"embedded", "other weights"}, {NULL, NULL}};
static const key table_first[] = {{"A", "k x k"},  {"B", "k x s"}, {"At", "s x k"},
                                  {"Bt", "s x s"}, {"c", "nodes"}, {NULL, NULL}};
static const key table_general[] = {{"A", "k x k"},  {"B", "k x k"},  {"D", "k x s"},
                                    {"E", "k x k"},  {"F", "k x s"},  {"At", "s x k"},
                                    {"Bt", "s x k"}, {"Dt", "s x s"}, {"Et", "s x k"},
                                    {"Ft", "s x s"}, {"c", "nodes"},  {NULL, NULL}};
static const key table_value[] = {{"at", "in steps, 0 or before"},
                                  {"derivative", "order"},
                                  {"factor", "of h^d y^(d)"},
                                  {NULL, NULL}};

static const key *const tables[KEYS_TABLES] = {
    top,        equations, position,   dynamic, auxiliary,   contact,       initial,    exact,
    run,        event,     action,     energy,  data,        use,           linear,     first_order,
    lagrangian, mechanism, table_file, tableau, table_first, table_general, table_value};

const char *keys_name(keys_table table, int i, const char **help) {
    if (help) *help = tables[table][i].help;
    return tables[table][i].name;
}

int keys_check(model_report *report, const tree_node *node, keys_table table, const char *where) {
    if (node->kind != TREE_MAP)
        return report_node(report, node, where, "%s: expected keys and values", where);
    for (int i = 0; i < node->count; i++) {
        const tree_node *wanted = node->key[i];
        suggestion best = suggest_for(wanted->text, (int)wanted->length);
        char hint[100];
        int known = 0;
        for (const key *k = tables[table]; k->name; k++) {
            known |= !strcmp(k->name, wanted->text);
            suggest_offer(&best, k->name);
        }
        if (!known)
            return report_node(report, wanted, where, "unknown key '%.60s' in %s%s%s", wanted->text,
                               where, best.best[0] ? "; " : "",
                               suggest_hint(&best, hint, sizeof hint));
    }
    return 0;
}

#define SCHEMA_KEY(name, schema, help) "\"" name "\": " schema
#define COMMA                          ", "
#define OBJECT(name, required, list)                                                               \
    "    \"" name "\": {\"type\": \"object\", \"additionalProperties\": false,\n"                  \
    "      \"required\": [" required "],\n"                                                        \
    "      \"properties\": {" list(SCHEMA_KEY, COMMA) "}}"

/* clang-format off */
static const char schema[] =
    "{\n"
    "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
    "  \"title\": \"sodae model\",\n"
    "  \"type\": \"object\", \"additionalProperties\": false,\n"
    "  \"required\": [\"sodae\"],\n"
    "  \"properties\": {" KEYS_LIST_TOP(SCHEMA_KEY, COMMA) COMMA
        KEYS_LIST_MECHANISM(SCHEMA_KEY, COMMA) "},\n"
    "  \"if\": {\"required\": [\"equations\"]},\n"
    "  \"then\": {\"properties\": {\"initial\": {\"$ref\": \"#/$defs/initial\"}}},\n"
    "  \"$defs\": {\n"
    "    \"expression\": {\"type\": [\"string\", \"number\"]},\n"
    "    \"any\": {\"type\": [\"string\", \"number\", \"array\", \"object\", \"null\"]},\n"
    "    \"list\": {\"type\": [\"array\", \"null\"]},\n"
    "    \"repeat\": {\"type\": \"object\", \"additionalProperties\": false,\n"
    "      \"required\": [\"repeat\"],\n"
    "      \"properties\": {\"repeat\": {\"type\": \"object\"},\n"
    "        \"item\": {\"$ref\": \"#/$defs/any\"}, \"items\": {\"type\": \"array\"}}},\n"
    "    \"positions\": {\"type\": \"array\", \"items\": {\"anyOf\": [{\"type\": \"string\"},\n"
    "      {\"$ref\": \"#/$defs/position\"}, {\"$ref\": \"#/$defs/repeat\"}]}},\n"
    OBJECT("equations", "", KEYS_LIST_EQUATIONS) ",\n"
    OBJECT("lagrangian", "\"kinetic\"", KEYS_LIST_LAGRANGIAN) ",\n"
    OBJECT("linear", "", KEYS_LIST_LINEAR) ",\n"
    OBJECT("first_order", "\"states\", \"equations\"", KEYS_LIST_FIRST_ORDER) ",\n"
    OBJECT("position", "\"name\"", KEYS_LIST_POSITION) ",\n"
    OBJECT("dynamic", "", KEYS_LIST_DYNAMIC) ",\n"
    OBJECT("auxiliary", "", KEYS_LIST_AUXILIARY) ",\n"
    OBJECT("contact", "", KEYS_LIST_CONTACT) ",\n"
    OBJECT("initial", "", KEYS_LIST_INITIAL) ",\n"
    OBJECT("exact", "", KEYS_LIST_EXACT) ",\n"
    "    \"events\": {\"type\": [\"array\", \"null\"], \"items\": {\"anyOf\": [\n"
    "      {\"$ref\": \"#/$defs/event\"}, {\"$ref\": \"#/$defs/repeat\"}]}},\n"
    OBJECT("event", "\"when\"", KEYS_LIST_EVENT) ",\n"
    OBJECT("action", "", KEYS_LIST_ACTION) ",\n"
    OBJECT("data", "\"x\", \"y\"", KEYS_LIST_DATA) ",\n"
    OBJECT("use", "\"file\"", KEYS_LIST_USE) ",\n"
    OBJECT("energy", "\"expression\"", KEYS_LIST_ENERGY) ",\n"
    OBJECT("run", "", KEYS_LIST_RUN) "\n"
    "  }\n"
    "}\n";
/* clang-format on */

const char *sodae_model_schema(void) {
    return schema;
}
