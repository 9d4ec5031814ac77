/* The formulations as lists of rows, and what they hold. */
#include "formulation/form.h"

#define DYNAMICS ROW_BALANCE, ROW_DYNAMIC, ROW_AUXILIARY, ROW_CONTACT

const form_kind form_index3 = {.name = "index3",
                               .rows = 6,
                               .row = {DYNAMICS, ROW_POSITION, ROW_KINEMATIC},
                               .holds_position = 1,
                               .halves = 1};
const form_kind form_index2 = {.name = "index2",
                               .rows = 6,
                               .row = {DYNAMICS, ROW_VELOCITY, ROW_KINEMATIC},
                               .holds_velocity = 1,
                               .halves = 1};
const form_kind form_index1 = {.name = "index1",
                               .rows = 6,
                               .row = {DYNAMICS, ROW_ACCELERATION, ROW_KINEMATIC_RATE},
                               .holds_acceleration = 1,
                               .halves = 1};
const form_kind form_accelerations = {.name = "accelerations",
                                      .rows = 6,
                                      .row = {DYNAMICS, ROW_ACCELERATION, ROW_KINEMATIC_RATE},
                                      .holds_acceleration = 1,
                                      .fixed_state = 1,
                                      .halves = 1};
const form_kind form_stabilized = {.name = "stabilized",
                                   .rows = 7,
                                   .row = {DYNAMICS, ROW_POSITION, ROW_KINEMATIC, ROW_VELOCITY},
                                   .holds_position = 1,
                                   .holds_velocity = 1,
                                   .second_multiplier = 1,
                                   .halves = 1};
/* (7.10), (7.19): position and velocity level, v shifted by G^T eta. */
const form_kind form_ggl = {.name = "ggl",
                            .rows = 7,
                            .row = {DYNAMICS, ROW_POSITION, ROW_KINEMATIC, ROW_VELOCITY},
                            .holds_position = 1,
                            .holds_velocity = 1,
                            .halves = 1,
                            .shift = SHIFT_GGL};
/* (7.31): all three levels, dependent velocities and accelerations as unknowns of their own. */
const form_kind form_minimal = {
    .name = "minimal-extension",
    .rows = 8,
    .row = {DYNAMICS, ROW_POSITION, ROW_KINEMATIC, ROW_VELOCITY, ROW_ACCELERATION},
    .holds_position = 1,
    .holds_velocity = 1,
    .holds_acceleration = 1,
    .halves = 1,
    .shift = SHIFT_CHART};
/* The rows of the position half; the velocity half has ROW_VELOCITY instead of ROW_POSITION. */
const form_kind form_soi2 = {.name = "soi2",
                             .rows = 6,
                             .row = {DYNAMICS, ROW_POSITION, ROW_KINEMATIC},
                             .holds_position = 1,
                             .holds_velocity = 1,
                             .halves = 2};

sodae_function form_function(form_row row) {
    static const sodae_function of[ROWS] = {
        [ROW_BALANCE] = SODAE_FORCE,
        [ROW_DYNAMIC] = SODAE_DYNAMIC,
        [ROW_AUXILIARY] = SODAE_AUXILIARY,
        [ROW_CONTACT] = SODAE_CONTACT,
        [ROW_POSITION] = SODAE_HOLONOMIC,
        [ROW_VELOCITY] = SODAE_HOLONOMIC_RATE,
        [ROW_ACCELERATION] = SODAE_HOLONOMIC_DRIFT,
        [ROW_KINEMATIC] = SODAE_NONHOLONOMIC,
        [ROW_KINEMATIC_RATE] = SODAE_NONHOLONOMIC_DRIFT,
    };
    return of[row];
}
