/* The entries, one file each. */
#pragma once

#include "problems/catalogue.h"

extern const catalogue_entry catalogue_hht_test;
extern const catalogue_entry catalogue_spring_pendulum;
extern const catalogue_entry catalogue_nonholonomic_test;
extern const catalogue_entry catalogue_rolling_disk;
extern const catalogue_entry catalogue_soi2_test;
extern const catalogue_entry catalogue_pendulum;
extern const catalogue_entry catalogue_cubic;
extern const catalogue_entry catalogue_heavy_top;
extern const catalogue_entry catalogue_heavy_top_se3;
extern const catalogue_entry catalogue_circular_track;
extern const catalogue_entry catalogue_unit_circle;
extern const catalogue_entry catalogue_all_blocks;
extern const catalogue_entry catalogue_paraboloid;
extern const catalogue_entry catalogue_spring_damper;
extern const catalogue_entry catalogue_truck;
extern const catalogue_entry catalogue_truck11;
