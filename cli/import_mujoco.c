/* Models that MuJoCo reads. Its compiled model gives bodies with principal inertias, joints with
 * anchors and axes at the start (qpos0), and equalities between bodies or joints. */
#include "cli/import.h"

#include "mechanism/vector.h"

#include <mujoco/mujoco.h>

#include <ctype.h>
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 72 };

/* The functions of MuJoCo that are used: its library, with those that it needs, would take half of
 * the time in which every other command starts. */
typedef struct mujoco {
    mjModel *(*load)(const char *file, const mjVFS *vfs, char *why, int size);
    mjData *(*make_data)(const mjModel *m);
    void (*kinematics)(const mjModel *m, mjData *d);
    const char *(*name)(const mjModel *m, int kind, int id);
    void (*quaternion)(mjtNum *q, const mjtNum *R);
    void (*product)(mjtNum *pq, const mjtNum *p, const mjtNum *q);
    void (*delete_model)(mjModel *m);
    void (*delete_data)(mjData *d);
    void (**warning)(const char *text);
} mujoco;

typedef struct importer {
    mujoco to;
    mjModel *m;
    mjData *d;
    FILE *out;
    int *alias;          /* of each body: the one that carries it; 0: ground */
    char (*body)[LABEL]; /* names in the file */
    char (*joint)[LABEL];
    int *made; /* of each joint: 1: it is a joint of the file with a coordinate */
    int left;  /* lines of what was left out, kept in `notes` */
    FILE *notes;
} importer;

static void leave_out(importer *x, const char *format, ...) {
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(x->notes, "# left out: %s\n", text);
    fprintf(stderr, "sodae: left out: %s\n", text);
    x->left++;
}

/* A name that expressions can use; used names get a number. */
static void make_name(const char *given, const char *kind, int number, char (*used)[LABEL],
                      int count, char out[LABEL]) {
    char base[LABEL - 12] = "";
    for (size_t i = 0; given && given[i] && i + 1 < sizeof base; i++)
        base[i] = isalnum((unsigned char)given[i]) ? given[i] : '_';
    if (!base[0] || isdigit((unsigned char)base[0]) || !strcmp(base, "ground"))
        snprintf(out, LABEL, "%s%d%s%.40s", kind, number, base[0] ? "_" : "", base);
    else
        snprintf(out, LABEL, "%s", base);
    for (int i = 0, tries = 2; i < count; i++)
        if (!strcmp(used[i], out)) {
            snprintf(out, LABEL, "%s_%d", base[0] ? base : kind, tries++);
            i = -1;
        }
}

/* "1.5", with all digits, and 0 for what is rounding of a rotation. */
static const char *number(double x, char text[32]) {
    snprintf(text, 32, "%.17g", fabs(x) < 1e-15 ? 0 : x);
    for (int digits = 1; digits < 17; digits++) {
        char shorter[32];
        snprintf(shorter, sizeof shorter, "%.*g", digits, x);
        if (strtod(shorter, NULL) != x) continue;
        memcpy(text, shorter, sizeof shorter);
        break;
    }
    return text;
}

static void vector(const importer *x, const mjtNum *v, int n) {
    char text[32];
    for (int i = 0; i < n; i++) fprintf(x->out, "%s%s", i ? ", " : "[", number(v[i], text));
    fprintf(x->out, "]");
}

static const char *place(const importer *x, int body) {
    return x->alias[body] ? x->body[x->alias[body]] : "ground";
}

static const char *name_of(const importer *x, int kind, int id) {
    const char *name = x->to.name(x->m, kind, id);
    return name && *name ? name : "without a name";
}

/* Bodies without joints are carried by their parent: those of the world are ground, those without
 * mass belong to it. */
static int is_body(const importer *x, int b) {
    int parent = x->alias[x->m->body_parentid[b]];
    return x->m->body_jntnum[b] > 0 || (parent && x->m->body_mass[b] > 0);
}

static void write_bodies(importer *x) {
    const mjModel *m = x->m;
    char text[32];
    fprintf(x->out, "bodies:\n");
    for (int b = 1; b < m->nbody; b++) {
        mjtNum quaternion[4];
        x->alias[b] = is_body(x, b) ? b : x->alias[m->body_parentid[b]];
        if (x->alias[b] != b) continue;
        x->to.quaternion(quaternion, x->d->ximat + 9 * b);
        fprintf(x->out, "  %s: {mass: %s, inertia: ", x->body[b], number(m->body_mass[b], text));
        vector(x, m->body_inertia + 3 * b, 3);
        fprintf(x->out, ", at: ");
        vector(x, x->d->xipos + 3 * b, 3);
        fprintf(x->out, ", orientation: {quaternion: ");
        vector(x, quaternion, 4);
        fprintf(x->out, "}}\n");
    }
}

static int parallel(const mjtNum *a, const mjtNum *b) {
    return fabs(fabs(v3_dot(a, b)) - 1) < 1e-12;
}

static int perpendicular(const mjtNum *a, const mjtNum *b) {
    return fabs(v3_dot(a, b)) < 1e-12;
}

/* Is the point on the line through `at` along the axis? */
static int on_axis(const mjtNum *point, const mjtNum *at, const mjtNum *axis) {
    mjtNum gap[3], off[3];
    v3_sub(point, at, gap);
    v3_cross(gap, axis, off);
    return sqrt(v3_dot(off, off)) < 1e-9 * (1 + sqrt(v3_dot(gap, gap)));
}

typedef struct joints {
    int count, first, hinges, slides, hinge[3], slide[3];
} joints;

static joints joints_of(const importer *x, int b) {
    joints j = {.count = x->m->body_jntnum[b], .first = x->m->body_jntadr[b]};
    for (int i = j.first; i < j.first + j.count; i++) {
        if (x->m->jnt_type[i] == mjJNT_HINGE && j.hinges++ < 3) j.hinge[j.hinges - 1] = i;
        if (x->m->jnt_type[i] == mjJNT_SLIDE && j.slides++ < 3) j.slide[j.slides - 1] = i;
    }
    return j;
}

static void begin_joint(const importer *x, int joint, const char *type, int b) {
    fprintf(x->out, "  %s: {%s: [%s, %s], at: ", x->joint[joint], type,
            place(x, x->m->body_parentid[b]), x->body[b]);
    vector(x, x->d->xanchor + 3 * joint, 3);
}

static void with_axis(importer *x, int joint, const char *type, int b, const mjtNum *axis) {
    begin_joint(x, joint, type, b);
    fprintf(x->out, ", axis: ");
    vector(x, axis, 3);
    fprintf(x->out, "}\n");
}

static void write_single(importer *x, int joint, int b) {
    int type = x->m->jnt_type[joint];
    const mjtNum *axis = x->d->xaxis + 3 * joint;
    if (type == mjJNT_FREE) return;
    if (type == mjJNT_BALL) {
        begin_joint(x, joint, "spherical", b);
        fprintf(x->out, "}\n");
        return;
    }
    x->made[joint] = 1;
    with_axis(x, joint, type == mjJNT_HINGE ? "revolute" : "prismatic", b, axis);
}

/* Several joints of one body, where one joint of the format does the same. Returns 0 when none
 * does. */
static int write_several(importer *x, const joints *j, int b) {
    const mjtNum *axis = x->d->xaxis, *at = x->d->xanchor;
    const int *h = j->hinge, *s = j->slide;
    if (j->count != j->hinges + j->slides) return 0;
    if (j->hinges == 1 && j->slides == 1 && parallel(axis + 3 * h[0], axis + 3 * s[0])) {
        with_axis(x, h[0], "cylindrical", b, axis + 3 * h[0]);
        return x->made[h[0]] = 1;
    }
    if (j->hinges == 1 && j->slides == 2 && perpendicular(axis + 3 * h[0], axis + 3 * s[0]) &&
        perpendicular(axis + 3 * h[0], axis + 3 * s[1]) &&
        !parallel(axis + 3 * s[0], axis + 3 * s[1])) {
        with_axis(x, h[0], "plane_on_plane", b, axis + 3 * h[0]);
        return 1;
    }
    int together = j->hinges > 1 && !j->slides;
    for (int i = 1; i < j->hinges && i < 3 && together; i++)
        together = on_axis(at + 3 * h[i], at + 3 * h[0], axis + 3 * h[0]) &&
                   on_axis(at + 3 * h[0], at + 3 * h[i], axis + 3 * h[i]);
    if (together && j->hinges == 3 && perpendicular(axis + 3 * h[0], axis + 3 * h[1]) &&
        perpendicular(axis + 3 * h[1], axis + 3 * h[2])) {
        begin_joint(x, h[0], "spherical", b);
        fprintf(x->out, "}\n");
        return 1;
    }
    if (together && j->hinges == 2 && perpendicular(axis + 3 * h[0], axis + 3 * h[1])) {
        begin_joint(x, h[0], "universal", b);
        fprintf(x->out, ", axes: [");
        vector(x, axis + 3 * h[0], 3);
        fprintf(x->out, ", ");
        vector(x, axis + 3 * h[1], 3);
        fprintf(x->out, "]}\n");
        return 1;
    }
    return j->hinges == 3 && j->slides == 3;
}

static void write_joints(importer *x) {
    const mjModel *m = x->m;
    fprintf(x->out, "joints:\n");
    for (int b = 1; b < m->nbody; b++) {
        joints j = joints_of(x, b);
        if (x->alias[b] != b) continue;
        if (j.count == 0)
            fprintf(x->out, "  fix_%s: {fixed: [%s, %s]}\n", x->body[b],
                    place(x, m->body_parentid[b]), x->body[b]);
        else if (j.count == 1)
            write_single(x, j.first, b);
        else if (!write_several(x, &j, b))
            leave_out(x, "the %d joints of body %s together; the body is free", j.count,
                      x->body[b]);
    }
}

/* The compiled relative pose of a weld, against that of the start. */
static int weld_is_at_start(const importer *x, int e) {
    const mjtNum *data = x->m->eq_data + mjNEQDATA * e;
    int a = x->m->eq_obj1id[e], b = x->m->eq_obj2id[e];
    const mjtNum *pa = x->d->xpos + 3 * a, *Ra = x->d->xmat + 9 * a, *qa = x->d->xquat + 4 * a;
    mjtNum point[3], gap[3], local[3], there[4], same = 0, off = 0;
    m3_apply(x->d->xmat + 9 * b, data, point);
    v3_add(1, x->d->xpos + 3 * b, point);
    v3_sub(point, pa, gap);
    m3_apply_transposed(Ra, gap, local);
    for (int i = 0; i < 3; i++) off = fmax(off, fabs(local[i] - data[3 + i]));
    x->to.product(there, qa, data + 6);
    for (int i = 0; i < 4; i++) same += there[i] * x->d->xquat[4 * b + i];
    off = fmax(off, 1 - fabs(same));
    return off < 1e-9;
}

static void write_between(importer *x, int e, const char *type, const mjtNum *at) {
    const mjModel *m = x->m;
    int a = m->eq_obj1id[e], b = m->eq_obj2id[e];
    if (!x->alias[b]) { /* b2 cannot be ground in a report that names what moves */
        int c = a;
        a = b, b = c;
    }
    if (x->alias[a] == x->alias[b]) {
        leave_out(x, "equality %d, between parts of one body", e + 1);
        return;
    }
    fprintf(x->out, "  equality%d: {%s: [%s, %s], at: ", e + 1, type, place(x, a), place(x, b));
    vector(x, at, 3);
    fprintf(x->out, "}\n");
}

static void write_coupling(importer *x, int e) {
    const mjModel *m = x->m;
    const mjtNum *c = m->eq_data + mjNEQDATA * e;
    int j1 = m->eq_obj1id[e], j2 = m->eq_obj2id[e];
    char text[32];
    int linear = c[2] == 0 && c[3] == 0 && c[4] == 0;
    if (!x->made[j1] || (j2 >= 0 && !x->made[j2]))
        leave_out(x, "equality %d: one of its joints has no coordinate here", e + 1);
    else if (j2 < 0)
        fprintf(x->out, "  equality%d: {motion: %s, %s: %s}\n", e + 1, x->joint[j1],
                m->jnt_type[j1] == mjJNT_HINGE ? "angle" : "displacement", number(c[0], text));
    else if (!linear || c[0] != 0)
        leave_out(x, "equality %d: the polynomial of joint %s by joint %s is not a ratio", e + 1,
                  x->joint[j1], x->joint[j2]);
    else
        fprintf(x->out, "  equality%d: {gear: [%s, %s], ratio: %s}\n", e + 1, x->joint[j2],
                x->joint[j1], number(c[1], text));
}

static void write_equalities(importer *x) {
    const mjModel *m = x->m;
    for (int e = 0; e < m->neq; e++) {
        const mjtNum *data = m->eq_data + mjNEQDATA * e;
        mjtNum at[3];
        if (!m->eq_active[e]) {
            leave_out(x, "equality %d, which is not active", e + 1);
        } else if (m->eq_type[e] == mjEQ_CONNECT) {
            int b = m->eq_obj1id[e];
            m3_apply(x->d->xmat + 9 * b, data, at);
            v3_add(1, x->d->xpos + 3 * b, at);
            write_between(x, e, "spherical", at);
        } else if (m->eq_type[e] == mjEQ_WELD) {
            if (weld_is_at_start(x, e))
                write_between(x, e, "fixed", x->d->xpos + 3 * m->eq_obj2id[e]);
            else
                leave_out(x, "equality %d: a weld that is not met at the start", e + 1);
        } else if (m->eq_type[e] == mjEQ_JOINT) {
            write_coupling(x, e);
        } else {
            leave_out(x, "equality %d, between tendons", e + 1);
        }
    }
}

/* Stiffness and damping of hinges and slides. */
static void write_forces(importer *x) {
    const mjModel *m = x->m;
    char text[32];
    int any = 0;
    for (int j = 0; j < m->njnt; j++) {
        double k = m->jnt_stiffness[j], c = m->dof_damping[m->jnt_dofadr[j]];
        int address = m->jnt_qposadr[j];
        if (k == 0 && c == 0) continue;
        if (!x->made[j]) {
            leave_out(x, "stiffness and damping of joint %s", x->joint[j]);
            continue;
        }
        if (!any++) fprintf(x->out, "forces:\n");
        fprintf(x->out, "  spring_%s: {torsion_spring: %s, stiffness: %s", x->joint[j], x->joint[j],
                number(k, text));
        fprintf(x->out, ", damping: %s", number(c, text));
        fprintf(x->out, ", angle: %s}\n",
                number(m->qpos_spring[address] - m->qpos0[address], text));
    }
}

static void note_joints(importer *x) {
    const mjModel *m = x->m;
    for (int j = 0; j < m->njnt; j++) {
        int dof = m->jnt_dofadr[j];
        const mjtNum *range = m->jnt_range + 2 * j;
        if (m->jnt_limited[j] && x->made[j])
            leave_out(x, "limits of joint %s; where wanted: limits: [%.9g, %.9g]", x->joint[j],
                      range[0] - m->qpos0[m->jnt_qposadr[j]],
                      range[1] - m->qpos0[m->jnt_qposadr[j]]);
        else if (m->jnt_limited[j])
            leave_out(x, "limits of joint %s", x->joint[j]);
        if (m->dof_armature[dof] != 0)
            leave_out(x, "armature %.9g of joint %s", m->dof_armature[dof], x->joint[j]);
        if (m->dof_frictionloss[dof] != 0)
            leave_out(x, "friction loss %.9g of joint %s", m->dof_frictionloss[dof], x->joint[j]);
    }
}

static void note_rest(importer *x) {
    const mjModel *m = x->m;
    int touching = 0;
    note_joints(x);
    for (int i = 0; i < m->nu; i++) leave_out(x, "actuator %s", name_of(x, mjOBJ_ACTUATOR, i));
    for (int i = 0; i < m->ntendon; i++) leave_out(x, "tendon %s", name_of(x, mjOBJ_TENDON, i));
    for (int i = 0; i < m->nsensor; i++) leave_out(x, "sensor %s", name_of(x, mjOBJ_SENSOR, i));
    for (int i = 0; i < m->nkey; i++) leave_out(x, "keyframe %s", name_of(x, mjOBJ_KEY, i));
    for (int i = 0; i < m->ngeom; i++) touching += m->geom_contype[i] || m->geom_conaffinity[i];
    if (touching) leave_out(x, "contacts of %d shape%s", touching, touching == 1 ? "" : "s");
    if (m->npair) leave_out(x, "%d pairs for contacts", m->npair);
    if (m->opt.density != 0 || m->opt.viscosity != 0) leave_out(x, "forces of the medium");
}

static int open_importer(importer *x) {
    size_t nb = (size_t)x->m->nbody, nj = (size_t)x->m->njnt + 1;
    x->alias = calloc(nb, sizeof *x->alias);
    x->body = calloc(nb, sizeof *x->body);
    x->joint = calloc(nj, sizeof *x->joint);
    x->made = calloc(nj, sizeof *x->made);
    x->notes = tmpfile();
    if (!x->alias || !x->body || !x->joint || !x->made || !x->notes) return 1;
    for (int i = 1; i < x->m->nbody; i++)
        make_name(x->to.name(x->m, mjOBJ_BODY, i), "body", i, x->body, i, x->body[i]);
    for (int i = 0; i < x->m->njnt; i++)
        make_name(x->to.name(x->m, mjOBJ_JOINT, i), "joint", i + 1, x->joint, i, x->joint[i]);
    return 0;
}

static void write_all(importer *x, const char *path) {
    const char *slash = strrchr(path, '/');
    char text[400];
    fprintf(x->out,
            "# Imported from %s. Joint coordinates are 0 at the start, the zero position of the "
            "file.\n",
            slash ? slash + 1 : path);
    fprintf(x->out, "sodae: 1\ngravity: ");
    vector(x, x->m->opt.gravity, 3);
    fprintf(x->out, "\n");
    write_bodies(x);
    write_joints(x);
    write_equalities(x);
    write_forces(x);
    fprintf(x->out, "run: {t_end: 1, output_step: 0.01}\n");
    note_rest(x);
    rewind(x->notes);
    while (fgets(text, sizeof text, x->notes)) fputs(text, x->out);
}

/* The defaults write a file of their own and end the program. */
static void warn(const char *text) {
    fprintf(stderr, "sodae: %s\n", text);
}

/* POSIX: what dlsym finds fits into a pointer of the kind that is asked for. */
static int find(void *library, const char *name, void *to) {
    void *at = dlsym(library, name);
    memcpy(to, &at, sizeof at);
    return at != NULL;
}

/* The library stays loaded. */
static int load(mujoco *x, char *why, size_t size) {
    const struct {
        const char *name;
        void *to;
    } all[] = {{"mj_loadXML", &x->load},
               {"mj_makeData", &x->make_data},
               {"mj_kinematics", &x->kinematics},
               {"mj_id2name", &x->name},
               {"mju_mat2Quat", &x->quaternion},
               {"mju_mulQuat", &x->product},
               {"mj_deleteModel", &x->delete_model},
               {"mj_deleteData", &x->delete_data},
               {"mju_user_warning", &x->warning}};
    void *library = dlopen(SODAE_MUJOCO, RTLD_NOW | RTLD_LOCAL);
    int found = library != NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all && found; i++)
        found = find(library, all[i].name, all[i].to);
    if (!found) snprintf(why, size, "MuJoCo's compiler cannot be loaded: %s", dlerror());
    return found;
}

int import_mujoco(const char *path, FILE *out, char *why, size_t size) {
    importer x = {.out = out};
    int bad = 0;
    if (!load(&x.to, why, size)) return 1;
    *x.to.warning = warn;
    x.m = x.to.load(path, NULL, why, (int)size);
    if (!x.m) return 1;
    x.d = x.to.make_data(x.m);
    if (!x.d || open_importer(&x)) {
        snprintf(why, size, "memory ran out");
        bad = 1;
    } else {
        x.to.kinematics(x.m, x.d);
        write_all(&x, path);
    }
    if (x.notes) fclose(x.notes);
    free(x.alias), free(x.body), free(x.joint), free(x.made);
    if (x.d) x.to.delete_data(x.d);
    x.to.delete_model(x.m);
    return bad;
}
