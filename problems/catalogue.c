#include "problems/catalogue.h"

#include <string.h>

#include "problems/entries.h"

static const catalogue_entry *const entries[] = {
    &catalogue_hht_test,      &catalogue_spring_pendulum, &catalogue_nonholonomic_test,
    &catalogue_rolling_disk,  &catalogue_rolling_disk_s3, &catalogue_soi2_test,
    &catalogue_pendulum,      &catalogue_cubic,           &catalogue_heavy_top,
    &catalogue_heavy_top_se3, &catalogue_circular_track,  &catalogue_unit_circle,
    &catalogue_all_blocks,    &catalogue_paraboloid,      &catalogue_spring_damper,
    &catalogue_truck,         &catalogue_truck11,         &catalogue_car_axis,
    &catalogue_andrews,       &catalogue_slider_crank,    &catalogue_pendulum_a01,
    &catalogue_four_bar,      &catalogue_chain,           &catalogue_rod_chain,
};
enum { ENTRIES = sizeof entries / sizeof *entries };

const catalogue_entry *catalogue_at(int i) {
    return i >= 0 && i < ENTRIES ? entries[i] : NULL;
}

const catalogue_entry *catalogue_find(const char *name) {
    for (int i = 0; name && i < ENTRIES; i++)
        if (strcmp(entries[i]->name, name) == 0) return entries[i];
    return NULL;
}
