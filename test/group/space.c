/* Claims about products of groups and groups made by the user. */
#include <sodae/space.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"

static double noise(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 0x1p63;
}

/* SE(2) as the user would write it: q = (x, y, cos, sin), v = (u_x, u_y, omega); the three
 * required functions only. */
static void planar_exp(const sodae_group *self, int n, const double *dq, double *q) {
    (void)self, (void)n;
    double w = dq[2], s = w == 0 ? 1 : sin(w) / w, c = w == 0 ? 0 : 2 * pow(sin(w / 2), 2) / w;
    q[0] = s * dq[0] - c * dq[1];
    q[1] = c * dq[0] + s * dq[1];
    q[2] = cos(w), q[3] = sin(w);
}

static void planar_compose(const sodae_group *self, int n, const double *p, const double *r,
                           double *q) {
    (void)self, (void)n;
    q[0] = p[0] + p[2] * r[0] - p[3] * r[1];
    q[1] = p[1] + p[3] * r[0] + p[2] * r[1];
    q[2] = p[2] * r[2] - p[3] * r[3];
    q[3] = p[3] * r[2] + p[2] * r[3];
}

/* T = sum (-ad)^k / (k+1)! by its series; ad has [(u,w),(y,z)] = (w J y - z J u, 0). */
static void planar_tangent(const sodae_group *self, int n, const double *dq, double *T) {
    (void)self, (void)n;
    double A[9] = {0, dq[2], 0, -dq[2], 0, 0, dq[1], -dq[0], 0},
           term[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(T, term, sizeof term);
    for (int k = 1; k < 40; k++) {
        double next[9] = {0};
        for (int i = 0; i < 27; i++)
            next[i % 3 + 3 * (i / 9)] -= term[i % 3 + 3 * (i / 3 % 3)] * A[i / 3 % 3 + 3 * (i / 9)];
        for (int i = 0; i < 9; i++) T[i] += term[i] = next[i] / (k + 1);
    }
}

static const sodae_group planar = {.name = "SE(2)",
                                   .nq = 4,
                                   .nv = 3,
                                   .exp = planar_exp,
                                   .compose = planar_compose,
                                   .tangent = planar_tangent};

/* The built-in rotations with everything optional taken away. */
static sodae_group bare(const sodae_group *g) {
    return (sodae_group){.name = "bare",
                         .nq = g->nq,
                         .nv = g->nv,
                         .exp = g->exp,
                         .compose = g->compose,
                         .tangent = g->tangent};
}

static sodae_space *single(const sodae_group *g) {
    sodae_space *space = NULL;
    assert_int_equal(sodae_space_create(&g, NULL, 1, &space), SODAE_OK);
    return space;
}

static sodae_space *mixed(void) {
    const sodae_group *groups[] = {&sodae_rn,  &sodae_so3, &planar,
                                   &sodae_se3, &sodae_rn,  &sodae_s3};
    const int n[] = {3, 0, 0, 0, 2, 0};
    sodae_space *space = NULL;
    assert_int_equal(sodae_space_create(groups, n, 6, &space), SODAE_OK);
    return space;
}

static void a_product_lays_its_parts_side_by_side(void **state) {
    (void)state;
    sodae_space *s = mixed();
    const int nq[] = {3, 9, 4, 12, 2, 4}, nv[] = {3, 3, 3, 6, 2, 3};
    int q0 = 0, v0 = 0;
    for (int i = 0; i < 6; i++) {
        assert_int_equal(s->parts[i].q0, q0);
        assert_int_equal(s->parts[i].v0, v0);
        assert_int_equal(s->parts[i].nq, nq[i]);
        assert_int_equal(s->parts[i].nv, nv[i]);
        q0 += nq[i], v0 += nv[i];
    }
    assert_int_equal(s->nq, 34);
    assert_int_equal(s->nv, 20);
    assert_int_equal(s->abelian, 0);
    sodae_space_free(s);
    const sodae_group *two[] = {&sodae_rn, &sodae_rn};
    assert_int_equal(sodae_space_create(two, (const int[]){2, 3}, 2, &s), SODAE_OK);
    assert_int_equal(s->abelian, 1);
    assert_int_equal(s->nq, 5);
    sodae_space_free(s);
}

static void difference_undoes_retract_on_a_product(void **state) {
    (void)state;
    sodae_space *s = mixed();
    uint64_t seed = 1;
    double q0[34], q1[34], dq[20], back[20];
    for (int trial = 0; trial < 200; trial++) {
        sodae_space_identity(s, q0);
        for (int i = 0; i < 20; i++) dq[i] = 1.5 * noise(&seed);
        sodae_space_retract(s, q0, dq, q0);
        for (int i = 0; i < 20; i++) dq[i] = 1.5 * noise(&seed);
        sodae_space_retract(s, q0, dq, q1);
        sodae_space_difference(s, q0, q1, back);
        for (int i = 0; i < 20; i++) CHECK_NEAR(back[i], dq[i], 2e-14);
        CHECK_IN(sodae_space_defect(s, q1), 0, 4e-15);
    }
    sodae_space_free(s);
}

static void retract_in_place_gives_the_same_bits(void **state) {
    (void)state;
    sodae_space *s = mixed();
    uint64_t seed = 2;
    double q[34], q1[34], dq[20];
    sodae_space_identity(s, q);
    for (int trial = 0; trial < 20; trial++) {
        for (int i = 0; i < 20; i++) dq[i] = noise(&seed);
        sodae_space_retract(s, q, dq, q1);
        sodae_space_retract(s, q, dq, q);
        assert_memory_equal(q, q1, sizeof q);
    }
    sodae_space_free(s);
}

static void tangent_and_bracket_act_part_by_part(void **state) {
    (void)state;
    sodae_space *s = mixed();
    uint64_t seed = 3;
    double dq[20], w[20], out[20], T[36], one[36];
    for (int i = 0; i < 20; i++) dq[i] = noise(&seed), w[i] = noise(&seed);
    for (int p = 0; p < 6; p++) {
        const sodae_part *part = &s->parts[p];
        sodae_space_tangent(s, p, dq, T);
        part->group->tangent(part->group, part->nv, dq + part->v0, one);
        assert_memory_equal(T, one, (size_t)(part->nv * part->nv) * sizeof *T);
    }
    sodae_space_bracket(s, dq, w, out);
    for (int i = 0; i < 3; i++) assert_true(out[i] == 0);
    sodae_so3.bracket(&sodae_so3, 0, dq + 3, w + 3, one);
    assert_memory_equal(out + 3, one, 3 * sizeof *one);
    /* the planar part has no bracket of its own; compare with its closed form */
    CHECK_NEAR(out[6], -dq[8] * w[7] + w[8] * dq[7], 1e-12);
    CHECK_NEAR(out[7], dq[8] * w[6] - w[8] * dq[6], 1e-12);
    CHECK_NEAR(out[8], 0, 1e-12);
    sodae_se3.bracket(&sodae_se3, 0, dq + 9, w + 9, one);
    assert_memory_equal(out + 9, one, 6 * sizeof *one);
    sodae_space_free(s);
}

static void tangent_inverse_inverts_part_by_part(void **state) {
    (void)state;
    sodae_space *s = mixed();
    uint64_t seed = 7;
    double dq[20], T[36], inverse[36];
    for (int i = 0; i < 20; i++) dq[i] = noise(&seed);
    for (int p = 0; p < 6; p++) {
        int n = s->parts[p].nv;
        sodae_space_tangent(s, p, dq, T);
        sodae_space_tangent_inverse(s, p, dq, inverse);
        for (int i = 0; i < n * n; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += T[i % n + n * k] * inverse[k + n * (i / n)];
            CHECK_NEAR(sum, i % n == i / n, 2e-15);
        }
    }
    sodae_space_free(s);
}

static void the_identity_changes_nothing(void **state) {
    (void)state;
    sodae_space *s = mixed();
    uint64_t seed = 8;
    double q[34], q1[34], dq[20], back[20];
    for (int i = 0; i < 34; i++) q[i] = 1e10;
    sodae_space_identity(s, q);
    for (int i = 0; i < 20; i++) dq[i] = noise(&seed);
    sodae_space_retract(s, q, dq, q1);
    for (int p = 0; p < 6; p++) {
        const sodae_part *part = &s->parts[p];
        double turn[12];
        part->group->exp(part->group, part->nv, dq + part->v0, turn);
        for (int i = 0; i < part->nq; i++) CHECK_NEAR(q1[part->q0 + i], turn[i], 4e-16);
    }
    sodae_space_difference(s, q1, q1, back);
    for (int i = 0; i < 20; i++) CHECK_NEAR(back[i], 0, 1e-15);
    sodae_space_free(s);
}

/* At a turn of pi about the third axis the first pivot of T is sin(pi)/pi. */
static void derived_inverse_survives_a_vanishing_pivot(void **state) {
    (void)state;
    sodae_group group = bare(&sodae_so3);
    sodae_space *s = single(&group);
    const double w[3] = {0, 0, 3.14159265358979323846};
    double T[9], exact[9];
    sodae_space_tangent_inverse(s, 0, w, T);
    sodae_so3.tangent_inverse(&sodae_so3, 0, w, exact);
    for (int i = 0; i < 9; i++) CHECK_NEAR(T[i], exact[i], 2e-15);
    CHECK_NEAR(fabs(exact[1]), w[2] / 2, 1e-15);
    sodae_space_free(s);
}

static void the_log_of_a_bare_group_is_found_by_newton(void **state) {
    (void)state;
    sodae_group groups[] = {bare(&sodae_so3), bare(&sodae_s3), bare(&sodae_se3)};
    const sodae_group *full[] = {&sodae_so3, &sodae_s3, &sodae_se3};
    uint64_t seed = 4;
    for (int m = 0; m < 3; m++) {
        sodae_space *s = single(&groups[m]), *reference = single(full[m]);
        for (int trial = 0; trial < 60; trial++) {
            double size = trial % 3 == 0 ? 1.7 : trial % 3 == 1 ? 1e-3 : 1e-8;
            double q0[12], q1[12], dq[6], back[6];
            sodae_space_identity(reference, q0);
            for (int i = 0; i < s->nv; i++) dq[i] = noise(&seed);
            sodae_space_retract(s, q0, dq, q0);
            for (int i = 0; i < s->nv; i++) dq[i] = size * noise(&seed);
            sodae_space_retract(s, q0, dq, q1);
            sodae_space_difference(s, q0, q1, back);
            for (int i = 0; i < s->nv; i++) CHECK_NEAR(back[i], dq[i], 1e-14);
        }
        sodae_space_free(s);
        sodae_space_free(reference);
    }
}

static void a_log_that_does_not_exist_is_nan(void **state) {
    (void)state;
    sodae_space *s = single(&planar);
    double q0[4], q1[4] = {NAN, 0, 1, 0}, dq[3];
    sodae_space_identity(s, q0);
    CHECK_NEAR(q0[2], 1, 0);
    sodae_space_difference(s, q0, q1, dq);
    for (int i = 0; i < 3; i++) assert_true(isnan(dq[i]));
    sodae_space_free(s);
}

static void derived_bracket_and_inverse_agree_with_the_closed_forms(void **state) {
    (void)state;
    sodae_group groups[] = {bare(&sodae_so3), bare(&sodae_se3)};
    const sodae_group *full[] = {&sodae_so3, &sodae_se3};
    uint64_t seed = 5;
    for (int m = 0; m < 2; m++) {
        sodae_space *s = single(&groups[m]);
        for (int trial = 0; trial < 50; trial++) {
            double v[6], w[6], out[6], exact[6], T[36], inverse[36];
            double size = trial % 2 ? 100 : 0.01;
            for (int i = 0; i < s->nv; i++) v[i] = noise(&seed), w[i] = noise(&seed);
            sodae_space_tangent_inverse(s, 0, v, T);
            full[m]->tangent_inverse(full[m], 0, v, inverse);
            for (int i = 0; i < s->nv * s->nv; i++) CHECK_NEAR(T[i], inverse[i], 3e-15);
            for (int i = 0; i < s->nv; i++) v[i] *= size;
            sodae_space_bracket(s, v, w, out);
            full[m]->bracket(full[m], 0, v, w, exact);
            for (int i = 0; i < s->nv; i++) CHECK_NEAR(out[i] / size, exact[i] / size, 1e-11);
        }
        sodae_space_free(s);
    }
}

/* [(u,w),(y,z)] = (w J y - z J u, 0) on SE(2). */
static void a_planar_group_made_by_the_user_has_the_right_bracket(void **state) {
    (void)state;
    sodae_space *s = single(&planar);
    const double v[3] = {0.3, -0.7, 1.1}, w[3] = {0.5, 0.2, -0.4};
    double out[3];
    sodae_space_bracket(s, v, w, out);
    CHECK_NEAR(out[0], -1.1 * 0.2 + -0.4 * -0.7, 1e-12);
    CHECK_NEAR(out[1], 1.1 * 0.5 - -0.4 * 0.3, 1e-12);
    CHECK_NEAR(out[2], 0, 1e-12);
    sodae_space_free(s);
}

/* 1e6 retractions: the quaternion stays unit, the matrix only drifts by accumulated rounding. */
static void a_million_retractions_stay_on_the_group(void **state) {
    (void)state;
    const sodae_group *groups[] = {&sodae_so3_quaternion, &sodae_s3, &sodae_so3};
    const double low[] = {0, 0, 1e-14}, high[] = {5e-16, 5e-16, 1e-11};
    for (int m = 0; m < 3; m++) {
        sodae_space *s = single(groups[m]);
        double q[9], dq[3], worst = 0;
        uint64_t seed = 6;
        sodae_space_identity(s, q);
        for (int i = 0; i < 1000000; i++) {
            for (int k = 0; k < 3; k++) dq[k] = 0.15 * noise(&seed);
            sodae_space_retract(s, q, dq, q);
            worst = fmax(worst, sodae_space_defect(s, q));
        }
        CHECK_IN(worst, low[m], high[m]);
        sodae_space_free(s);
    }
}

static void a_reflection_is_far_from_so3(void **state) {
    (void)state;
    sodae_space *s = single(&sodae_so3);
    const double mirror[9] = {-1, 0, 0, 0, 1, 0, 0, 0, 1};
    CHECK_NEAR(sodae_space_defect(s, mirror), 2, 1e-15);
    sodae_space_free(s);
}

static void tables_that_cannot_work_are_refused(void **state) {
    (void)state;
    sodae_space *s = (sodae_space *)&s;
    const sodae_group *rn = &sodae_rn, *none = NULL;
    assert_int_equal(sodae_space_create(&rn, NULL, 1, &s), SODAE_BAD_ARGUMENT);
    assert_null(s);
    assert_int_equal(sodae_space_create(&none, NULL, 1, &s), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_space_create(&rn, (const int[]){3}, 0, &s), SODAE_BAD_ARGUMENT);
    sodae_group half = planar;
    const sodae_group *broken = &half;
    half.tangent = NULL;
    assert_int_equal(sodae_space_create(&broken, NULL, 1, &s), SODAE_BAD_ARGUMENT);
    half = planar;
    half.nq = SODAE_GROUP_MAX + 1;
    assert_int_equal(sodae_space_create(&broken, NULL, 1, &s), SODAE_BAD_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_lays_its_parts_side_by_side),
        cmocka_unit_test(difference_undoes_retract_on_a_product),
        cmocka_unit_test(retract_in_place_gives_the_same_bits),
        cmocka_unit_test(tangent_and_bracket_act_part_by_part),
        cmocka_unit_test(tangent_inverse_inverts_part_by_part),
        cmocka_unit_test(the_identity_changes_nothing),
        cmocka_unit_test(derived_inverse_survives_a_vanishing_pivot),
        cmocka_unit_test(the_log_of_a_bare_group_is_found_by_newton),
        cmocka_unit_test(a_log_that_does_not_exist_is_nan),
        cmocka_unit_test(derived_bracket_and_inverse_agree_with_the_closed_forms),
        cmocka_unit_test(a_planar_group_made_by_the_user_has_the_right_bracket),
        cmocka_unit_test(a_million_retractions_stay_on_the_group),
        cmocka_unit_test(a_reflection_is_far_from_so3),
        cmocka_unit_test(tables_that_cannot_work_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
