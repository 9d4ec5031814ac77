/* Claims about the benchmark problems: published digits, pitfalls, runs that find the digits. */
#include <sodae/integrator.h>

#include <string.h>

#include "claims.h"
#include "each.h"

static void solution(const sodae_problem *p, double t, double *q, double *v, double *lambda) {
    sodae_solution out = {.size = sizeof(sodae_solution), .q = q, .v = v, .lambda = lambda};
    assert_int_equal(p->exact(t, &out, p->user), 0);
}

/* Exact by elliptic functions; IFToMM A01. */
static void the_pendulum_a01_follows_its_digits(void **unused) {
    static const double table[][6] = {
        {0.5, -0.39104879155055, -0.92036994878519, 3.9110480039556, -1.6617346075474,
         27.086487592748},
        {1, 0.98629175113188, -0.16501085312554, 0.29690551591632, 1.7746436411127,
         4.8562694074847},
        {2, -0.79356619534332, -0.60848393044379, -2.1024378744361, 2.7419353930105,
         17.907682072961},
        {10, -0.27508746257612, -0.96141920509913, 4.1755981009517, -1.1947490545605,
         28.294567206067},
    };
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum-a01");
    sodae_problem *p = each_create(entry, NULL, 0);
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        double q[2], v[2], lambda[1];
        solution(p, table[k][0], q, v, lambda);
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(q[i], table[k][1 + i], 2e-13);
            CHECK_NEAR(v[i], table[k][3 + i], 1e-12);
        }
        CHECK_NEAR(lambda[0], table[k][5], 1e-11);
    }
    entry->free(p);
}

/* Tip of the chains at t = 0.5 and 1. */
static void chains_follow_their_digits(void **unused) {
    static const struct {
        const char *name;
        int n;
        double tip[4];
    } table[] = {
        {"chain", 1, {0.3910487915506, -0.9203699487852, -0.9862917511319, -0.1650108531256}},
        {"chain", 2, {0.16756460631, -0.9858610498106, -0.9761647724381, -0.09344773704744}},
        {"chain", 5, {-0.05666454126751, -0.9758023265806, -0.9424915084691, -0.1290332616597}},
        {"chain", 20, {-0.2023828917284, -0.8646880276723, -0.9086888315323, -0.1633948803647}},
        {"rod-chain",
         1,
         {-0.09022920857366, -0.9959210259454, -0.9999665880719, -0.008174517717126}},
        {"rod-chain", 3, {-0.2433036452996, -0.9131938471714, -0.9084582605291, -0.02561769628759}},
        {"rod-chain", 10, {-0.2646451120018, -0.8635467547503, -0.8943168523613, -0.1465650647469}},
    };
    (void)unused;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const catalogue_entry *entry = catalogue_find(table[k].name);
        sodae_problem *p = each_create(entry, "n", table[k].n);
        int rods = strcmp(table[k].name, "rod-chain") == 0, n = table[k].n;
        for (int s = 0; s < 2; s++) {
            double q[60], v[60], lambda[60], tip[2];
            solution(p, 0.5 * (s + 1), q, v, lambda);
            const double *last = q + (rods ? 3 : 2) * (n - 1);
            for (int i = 0; i < 2; i++) tip[i] = last[i];
            if (rods) tip[0] += cos(last[2]) / (2 * n), tip[1] += sin(last[2]) / (2 * n);
            for (int i = 0; i < 2; i++) CHECK_NEAR(tip[i], table[k].tip[2 * s + i], 1e-12);
        }
        entry->free(p);
    }
}

static void multipliers_of_chains_follow_their_digits(void **unused) {
    (void)unused;
    double q[8], v[8], lambda[4];
    sodae_problem *p = each_create(catalogue_find("chain"), "n", 2);
    solution(p, 0.5, q, v, lambda);
    CHECK_NEAR(lambda[0], 62.29413521919972, 1e-10);
    CHECK_NEAR(lambda[1], 51.20742529588368, 1e-10);
    catalogue_find("chain")->free(p);
    p = each_create(catalogue_find("rod-chain"), "n", 2);
    solution(p, 0.5, q, v, lambda);
    const double expected[4] = {2.474012447028829, -18.305866530561154, -2.429873204043327,
                                -11.17800944368571};
    for (int i = 0; i < 4; i++) CHECK_NEAR(lambda[i], expected[i], 1e-10);
    catalogue_find("rod-chain")->free(p);
}

/* Top of the first upright, IFToMM A02. */
static void four_bars_follow_their_digits(void **unused) {
    static const double table[][4] = {
        {1, 1, -0.26071267518371, -0.96541643915906},  {1, 10, 0.47838505775237, 0.87815017879589},
        {2, 1, -0.1950203019495, -0.98079920566216},   {2, 10, 0.32845811153371, 0.94451853818107},
        {10, 5, -0.59554525547127, -0.80332175912623}, {40, 20, 0.41090115373983, 0.9116799009824}};
    (void)unused;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        sodae_problem *p = each_create(catalogue_find("four-bar"), "n", table[k][0]);
        double q[300], v[300], lambda[300];
        solution(p, table[k][1], q, v, lambda);
        CHECK_NEAR(2 * q[0], table[k][2], 1e-10);
        CHECK_NEAR(2 * q[1], table[k][3], 1e-10);
        assert_true(isnan(lambda[0]));
        catalogue_find("four-bar")->free(p);
    }
}

/* Test Set for IVP Solvers, published digits at the end. */
static void test_set_problems_agree_with_the_published_digits(void **unused) {
    static const double car[8] = {0.0493455784275563, 0.496989460230332,   1.0417425248854,
                                  0.373911027265221,  -0.0770583684032149, 0.00744686659632778,
                                  0.017556815749429,  0.770341043779403};
    static const double andrews[7] = {15.810771196299,    -15.756371059843, 0.040822240130731,
                                      -0.534730116322695, 0.52440996588053, 0.534730116322695,
                                      1.04808074104226};
    (void)unused;
    double q[7], v[7], lambda[6];
    sodae_problem *p = each_create(catalogue_find("car-axis"), NULL, 0);
    solution(p, 3, q, v, lambda);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(q[i], car[i], 1e-12);
        CHECK_NEAR(v[i], car[4 + i], 5e-12);
    }
    CHECK_NEAR(lambda[0], -0.00473688675078463, 2e-10);
    CHECK_NEAR(lambda[1], -0.00110468041134573, 1e-10);
    catalogue_find("car-axis")->free(p);
    p = each_create(catalogue_find("andrews"), NULL, 0);
    solution(p, 0.03, q, v, lambda);
    for (int i = 0; i < 7; i++) CHECK_NEAR(q[i], andrews[i], 2e-9);
    CHECK_NEAR(lambda[0], 199.175333373191, 2e-5);
    double energy[2];
    sodae_point end = {.q = q, .v = v};
    each_value(p, SODAE_ENERGY, &p->initial, energy);
    each_value(p, SODAE_ENERGY, &end, energy + 1);
    CHECK_NEAR(energy[0], 1.43783295753214, 1e-14);
    CHECK_NEAR(energy[1], energy[0], 2e-12);
    catalogue_find("andrews")->free(p);
}

/* Nine digits are not enough for index 3: benchmark pitfall 1. */
static void published_start_of_the_slider_crank_is_inconsistent(void **unused) {
    (void)unused;
    for (int published = 0; published < 2; published++) {
        sodae_problem *p =
            each_create(catalogue_find("slider-crank"), "published_start", published);
        double g[3], rate[3], position = 0, velocity = 0;
        each_value(p, SODAE_HOLONOMIC, &p->initial, g);
        each_value(p, SODAE_HOLONOMIC_RATE, &p->initial, rate);
        for (int i = 0; i < 3; i++) {
            position = fmax(position, fabs(g[i]));
            velocity = fmax(velocity, fabs(rate[i]));
        }
        CHECK_IN(position, published ? 5e-11 : 0, published ? 5e-10 : 1e-16);
        CHECK_IN(velocity, published ? 5e-9 : 0, published ? 2e-8 : 2e-14);
        catalogue_find("slider-crank")->free(p);
    }
}

/* q at the end of a run with generalized-alpha. */
static void run(const sodae_problem *p, double step, double t_end, double *q) {
    sodae *s;
    sodae_options options = sodae_default_options();
    options.step = step;
    assert_int_equal(sodae_create(&s, p, &options, NULL), SODAE_OK);
    assert_in_range(sodae_start(s), SODAE_OK, SODAE_ADJUSTED);
    assert_int_equal(sodae_advance(s, t_end, NULL, NULL), SODAE_OK);
    memcpy(q, sodae_state(s)->q, (size_t)p->nv * sizeof *q);
    sodae_free(s);
}

/* Steady rolling on a circle (benchmarks 4.1): with the axis tilted by th, w2 = psi' sin th and
 * w3 = (A w2^2 cot th - m g r cos th) / ((C + m r^2) w2) tilt and spin stay as they are; the
 * normal force carries the weight. */
static void the_disk_rolls_steadily_on_a_circle(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("rolling-disk-s3");
    sodae_problem *p = each_create(entry, NULL, 0);
    const double m = 15, gravity = 9.81, th = 0.4, w2 = 3;
    double w3 = (m / 4 * w2 * w2 / tan(th) - m * gravity * cos(th)) / (1.5 * m * w2);
    /* R = rotation about x by th: axis e3 -> (0, -sin th, cos th), c = (0, sin th, cos th) */
    double q[7] = {0, 0, sin(th), cos(th / 2), sin(th / 2), 0, 0};
    double v[6] = {-w3, 0, 0, 0, w2, w3}; /* x' = -r R (Omega x n), n = -e2 */
    sodae_options options = sodae_default_options();
    options.rtol = 1e-9;
    sodae *s;
    assert_int_equal(sodae_create(&s, p, &options, NULL), SODAE_OK);
    sodae_point at = {.q = q, .v = v};
    assert_int_equal(sodae_start_at(s, &at), SODAE_OK);
    for (int k = 1; k <= 4; k++) {
        assert_int_equal(sodae_advance(s, 0.5 * k, NULL, NULL), SODAE_OK);
        const sodae_view *now = sodae_state(s);
        double along = hypot(now->v[0], now->v[1]);
        CHECK_NEAR(now->q[2], sin(th), 1e-8);
        CHECK_NEAR(along, fabs(w3), 1e-8);
        CHECK_NEAR(now->psi[2], -m * gravity, 1e-4);
    }
    sodae_free(s);
    entry->free(p);
}

/* The contact is bilateral (pitfall 5): the force that the plane exerts changes its sign. */
static void the_plane_pushes_and_pulls_the_disk(void **unused) {
    (void)unused;
    double least = INFINITY, most = -INFINITY, psi[3];
    sodae_problem *p = each_create(catalogue_find("rolling-disk-s3"), NULL, 0);
    sodae_solution out = {.size = sizeof(sodae_solution), .psi = psi};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(p->exact((const double[]){0.5, 1, 2}[k], &out, p->user), 0);
        least = fmin(least, -psi[2]);
        most = fmax(most, -psi[2]);
    }
    CHECK_IN(least, -345, -344);
    CHECK_IN(most, 1634, 1635);
    catalogue_find("rolling-disk-s3")->free(p);
}

static void the_disk_follows_its_digits_under_error_control(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("rolling-disk-s3");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options options = sodae_default_options();
    options.rtol = 1e-9;
    sodae *s;
    assert_int_equal(sodae_create(&s, p, &options, NULL), SODAE_OK);
    assert_int_equal(sodae_start(s), SODAE_OK);
    for (int k = 0; k < 3; k++) {
        double q[7], v[6], psi[3], t = (const double[]){0.5, 1, 2}[k], worst = 0;
        sodae_solution out = {.size = sizeof(sodae_solution), .q = q, .v = v, .psi = psi};
        assert_int_equal(sodae_advance(s, t, NULL, NULL), SODAE_OK);
        assert_int_equal(p->exact(t, &out, p->user), 0);
        const sodae_view *now = sodae_state(s);
        for (int i = 0; i < 7; i++) worst = fmax(worst, fabs(now->q[i] - q[i]));
        for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(now->v[i] - v[i]));
        CHECK_IN(worst, 1e-14, 1e-7);
        for (int i = 0; i < 3; i++) CHECK_NEAR(now->psi[i], psi[i], 1e-3);
    }
    sodae_free(s);
    entry->free(p);
}

/* The error falls by four, and Richardson's limit is near the digits. */
static void runs_converge_to_the_digits_with_order_two(void **unused) {
    static const struct {
        const char *name;
        double t_end, step, low, high, limit;
    } runs[] = {{"car-axis", 1, 1e-3, 3.8, 4.2, 1e-6}, {"andrews", 0.01, 2e-5, 3.9, 4.1, 1e-7},
                {"truck", 2, 0.02, 3.9, 4.1, 1e-10},   {"truck11", 0.5, 2e-3, 3.9, 4.1, 3e-7},
                {"chain", 1, 1e-3, 3.9, 4.1, 1e-7},    {"four-bar", 0.5, 2e-3, 3.9, 4.1, 1e-9}};
    (void)unused;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        sodae_problem *p = each_create(catalogue_find(runs[k].name), NULL, 0);
        double q[2][EACH_MAX], exact[EACH_MAX], error[2] = {0, 0}, limit = 0;
        sodae_solution out = {.size = sizeof(sodae_solution), .q = exact};
        for (int h = 0; h < 2; h++) run(p, runs[k].step / (h + 1), runs[k].t_end, q[h]);
        assert_int_equal(p->exact(runs[k].t_end, &out, p->user), 0);
        for (int i = 0; i < p->nv; i++) {
            for (int h = 0; h < 2; h++) error[h] = fmax(error[h], fabs(q[h][i] - exact[i]));
            limit = fmax(limit, fabs((4 * q[1][i] - q[0][i]) / 3 - exact[i]));
        }
        CHECK_IN(error[0] / error[1], runs[k].low, runs[k].high);
        CHECK_IN(limit, 0, runs[k].limit);
        catalogue_find(runs[k].name)->free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pendulum_a01_follows_its_digits),
        cmocka_unit_test(chains_follow_their_digits),
        cmocka_unit_test(the_disk_rolls_steadily_on_a_circle),
        cmocka_unit_test(the_plane_pushes_and_pulls_the_disk),
        cmocka_unit_test(the_disk_follows_its_digits_under_error_control),
        cmocka_unit_test(multipliers_of_chains_follow_their_digits),
        cmocka_unit_test(four_bars_follow_their_digits),
        cmocka_unit_test(test_set_problems_agree_with_the_published_digits),
        cmocka_unit_test(published_start_of_the_slider_crank_is_inconsistent),
        cmocka_unit_test(runs_converge_to_the_digits_with_order_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
