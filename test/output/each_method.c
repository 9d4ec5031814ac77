#include "output/each_method.h"

#include "claims.h"

const each_method before_first = {.method = SODAE_METHOD_AUTO, .controlled = 1};

int next_method(const sodae_problem *p, double step, each_method *m, sodae_options *o) {
    for (;;) {
        if (m->controlled) m->method++;
        m->controlled = !m->controlled;
        if (m->method >= SODAE_METHODS) return 0;
        *o = sodae_default_options();
        o->method = m->method, o->step = m->controlled ? NAN : step, o->rtol = 1e-6;
        sodae *s;
        sodae_status st = sodae_create(&s, p, o, NULL);
        sodae_free(s);
        if (!st) return 1;
        assert_int_equal(st, SODAE_NOT_ALLOWED);
    }
}
