/* The entries, one file each. */
#pragma once

#include "problems/catalogue.h"

extern const catalogue_entry catalogue_hht_test;
extern const catalogue_entry catalogue_spring_pendulum;
extern const catalogue_entry catalogue_nonholonomic_test;
extern const catalogue_entry catalogue_rolling_disk;
extern const catalogue_entry catalogue_rolling_disk_s3;
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
extern const catalogue_entry catalogue_car_axis;
extern const catalogue_entry catalogue_andrews;
extern const catalogue_entry catalogue_slider_crank;
extern const catalogue_entry catalogue_pendulum_a01;
extern const catalogue_entry catalogue_four_bar;
extern const catalogue_entry catalogue_chain;
extern const catalogue_entry catalogue_rod_chain;
