#include "run/end.h"

#include "diagnose/explain.h"

static diagnosis of(sodae *s) {
    run_show(s);
    return (diagnosis){
        .e = s->engine, .rank = monitors_find(&s->monitors, &monitor_rank), .f = &s->failure};
}

sodae_status end_step(sodae *s, double h, sodae_status st) {
    diagnosis d = of(s);
    return diagnose_step(&d, h, st);
}

sodae_status end_small(sodae *s, double h, double least, sodae_status cause) {
    diagnosis d = of(s);
    d.least = least;
    return diagnose_small(&d, h, cause);
}

sodae_status end_many(sodae *s) {
    diagnosis d = of(s);
    return diagnose_end(&d, diagnose_many(&d));
}

sodae_status end_call(sodae *s, sodae_status st) {
    if (st >= 0) return st;
    diagnosis d = of(s);
    return diagnose_end(&d, st);
}

void end_start(sodae *s) {
    diagnosis d = of(s);
    diagnose_start(&d);
}
