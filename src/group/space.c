/* Products of groups. */
#include <sodae/space.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "group/derived.h"

/* Sizes of one factor; its place is set by the product. 0 when the table cannot be used. */
static int part_init(sodae_part *part, const sodae_group *group, int n) {
    if (!group || group->nq < 0 || group->nv < 0) return 0;
    *part = (sodae_part){.group = group, .n = n, .nq = group->nq, .nv = group->nv};
    if (group->nv == 0) part->nq = part->nv = n;
    if (part->nv <= 0 || part->nq < part->nv) return 0;
    if (group->abelian) {
        part->n = part->nv;
        return part->nq == part->nv;
    }
    return group->exp && group->compose && group->tangent && part->nq <= SODAE_GROUP_MAX;
}

sodae_status sodae_space_create(const sodae_group *const *groups, const int *n, int count,
                                sodae_space **space) {
    if (!space) return SODAE_BAD_ARGUMENT;
    *space = NULL;
    if (!groups || count <= 0) return SODAE_BAD_ARGUMENT;
    sodae_space *s = malloc(sizeof *s + (size_t)count * sizeof(sodae_part));
    if (!s) return SODAE_NO_MEMORY;
    sodae_part *parts = (sodae_part *)(s + 1);
    *s = (sodae_space){.nparts = count, .abelian = 1, .parts = parts};
    for (int i = 0; i < count; i++) {
        if (!part_init(&parts[i], groups[i], n ? n[i] : 0)) {
            free(s);
            return SODAE_BAD_ARGUMENT;
        }
        parts[i].q0 = s->nq, parts[i].v0 = s->nv;
        s->nq += parts[i].nq, s->nv += parts[i].nv;
        s->abelian = s->abelian && groups[i]->abelian;
    }
    *space = s;
    return SODAE_OK;
}

void sodae_space_free(sodae_space *space) {
    free(space);
}

void sodae_space_identity(const sodae_space *space, double *q) {
    const double zero[SODAE_GROUP_MAX] = {0};
    for (int i = 0; i < space->nparts; i++) {
        const sodae_part *p = &space->parts[i];
        const sodae_group *g = p->group;
        if (g->abelian)
            memset(q + p->q0, 0, (size_t)p->nq * sizeof *q);
        else if (g->identity)
            g->identity(g, p->n, q + p->q0);
        else
            g->exp(g, p->n, zero, q + p->q0);
    }
}

void sodae_space_retract(const sodae_space *space, const double *q0, const double *dq, double *q1) {
    for (int i = 0; i < space->nparts; i++) {
        const sodae_part *p = &space->parts[i];
        const sodae_group *g = p->group;
        const double *from = q0 + p->q0, *w = dq + p->v0;
        double *to = q1 + p->q0;
        if (g->abelian) {
            for (int k = 0; k < p->nq; k++) to[k] = from[k] + w[k];
            continue;
        }
        double turn[SODAE_GROUP_MAX], result[SODAE_GROUP_MAX];
        g->exp(g, p->n, w, turn);
        g->compose(g, p->n, from, turn, result);
        memcpy(to, result, (size_t)p->nq * sizeof *to);
    }
}

static void difference(const sodae_part *p, const double *q0, const double *q1, double *dq) {
    const sodae_group *g = p->group;
    double back[SODAE_GROUP_MAX], turn[SODAE_GROUP_MAX];
    if (g->abelian) {
        for (int k = 0; k < p->nq; k++) dq[k] = q1[k] - q0[k];
    } else if (g->log && g->inverse) {
        g->inverse(g, p->n, q0, back);
        g->compose(g, p->n, back, q1, turn);
        g->log(g, p->n, turn, dq);
    } else {
        group_derived_difference(p, q0, q1, dq);
    }
}

void sodae_space_difference(const sodae_space *space, const double *q0, const double *q1,
                            double *dq) {
    for (int i = 0; i < space->nparts; i++) {
        const sodae_part *p = &space->parts[i];
        difference(p, q0 + p->q0, q1 + p->q0, dq + p->v0);
    }
}

/* Abelian parts may leave the operator out: it is the identity. */
void sodae_space_tangent(const sodae_space *space, int part, const double *dq, double *T) {
    const sodae_part *p = &space->parts[part];
    const sodae_group *g = p->group->abelian ? &sodae_rn : p->group;
    g->tangent(g, p->n, dq + p->v0, T);
}

void sodae_space_tangent_inverse(const sodae_space *space, int part, const double *dq, double *T) {
    const sodae_part *p = &space->parts[part];
    const sodae_group *g = p->group->abelian ? &sodae_rn : p->group;
    if (g->tangent_inverse)
        g->tangent_inverse(g, p->n, dq + p->v0, T);
    else
        group_derived_tangent_inverse(p, dq + p->v0, T);
}

void sodae_space_bracket(const sodae_space *space, const double *v, const double *w, double *out) {
    for (int i = 0; i < space->nparts; i++) {
        const sodae_part *p = &space->parts[i];
        const sodae_group *g = p->group->abelian ? &sodae_rn : p->group;
        if (g->bracket)
            g->bracket(g, p->n, v + p->v0, w + p->v0, out + p->v0);
        else
            group_derived_bracket(p, v + p->v0, w + p->v0, out + p->v0);
    }
}

double sodae_space_defect(const sodae_space *space, const double *q) {
    double worst = 0;
    for (int i = 0; i < space->nparts; i++) {
        const sodae_part *p = &space->parts[i];
        if (p->group->defect) worst = fmax(worst, p->group->defect(p->group, p->n, q + p->q0));
    }
    return worst;
}
