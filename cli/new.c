/* sodae new NAME: a model to start from. */
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char text[] =
    "sodae: 1                          # version of the format\n"
    "name: %s\n"
    "\n"
    "# Numbers that `sodae run %s --set L=2` may replace.\n"
    "parameters: {m: 1, L: 1, g: 9.81}\n"
    "\n"
    "# Units are shown in results; they are not converted. Velocities follow from positions.\n"
    "units: {x: m, y: m, tension: N, height: m}\n"
    "\n"
    "# M v' = force - G^T lambda, 0 = holonomic: a pendulum in Cartesian coordinates.\n"
    "equations:\n"
    "  positions: [x, y]               # velocities are v_x, v_y\n"
    "  mass: [m, m]                    # diagonal, or a full matrix [[..], [..]]\n"
    "  force: [0, -m*g]                # one entry for each velocity\n"
    "  holonomic: [sqrt(x^2 + y^2) - L]\n"
    "  holonomic_multipliers: [tension]\n"
    "\n"
    "# By name; what is not named is 0. Values are moved onto the constraints if need be.\n"
    "initial:\n"
    "  positions: {x: L}\n"
    "\n"
    "# Results of your own: expressions of everything, also accelerations a_x and reaction(x).\n"
    "outputs:\n"
    "  height: y + L\n"
    "  pull: [reaction(x), reaction(y)]\n"
    "\n"
    "energy: {expression: m/2*(v_x^2 + v_y^2) + m*g*y, conserved: true}\n"
    "\n"
    "# events:                         # uncomment: stop at the lowest point\n"
    "#   - {name: lowest, when: x, direction: down, stop: true}\n"
    "\n"
    "run: {t_end: 5, output_step: 0.01}\n"
    "\n"
    "# sodae run %s --out run.h5\n"
    "# sodae plot run.h5 x y tension -o run.svg\n";

cli_exit cli_new(const cli_request *request, cli_error *error) {
    char path[300];
    const char *name = request->target;
    if (!name || !*name)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "NAME", "what is the model called?");
    size_t n = strlen(name);
    int complete = n > 5 && !strcmp(name + n - 5, ".yaml");
    if (n > 250 || strpbrk(name, "\n\r:#'\"{}[]"))
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "NAME",
                        "'%.60s' is no name of a file for a model", name);
    snprintf(path, sizeof path, "%s%s", name, complete ? "" : ".yaml");
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file)
        return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, path, "cannot write '%.200s': %s", path,
                        strerror(errno));
    const char *slash = strrchr(name, '/'), *title = slash ? slash + 1 : name;
    char label[260];
    snprintf(label, sizeof label, "%.*s", (int)strlen(title) - (complete ? 5 : 0), title);
    int failed = fprintf(file, text, label, path, path) < 0;
    failed |= fclose(file) != 0;
    if (failed)
        return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, path, "cannot write '%.200s'", path);
    printf("%s: a pendulum to start from; sodae run %s\n", path, path);
    return CLI_OK;
}
