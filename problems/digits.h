/* Reference states of problems without a closed solution, each t, q, v, v', lambda. Index-reduced
 * equations integrated at 1e-12 and 1e-13 with projection; the sources are in docs/problems.md. */
#pragma once

enum { DIGITS_CAR_AXIS_ROWS = 3 };
extern const double digits_car_axis[DIGITS_CAR_AXIS_ROWS * 15];
enum { DIGITS_ANDREWS_ROWS = 4 };
extern const double digits_andrews[DIGITS_ANDREWS_ROWS * 28];
enum { DIGITS_SLIDER_CRANK_ROWS = 2 };
extern const double digits_slider_crank[DIGITS_SLIDER_CRANK_ROWS * 25];
enum { DIGITS_SLIDER_CRANK_NONLINEAR_ROWS = 2 };
extern const double digits_slider_crank_nonlinear[DIGITS_SLIDER_CRANK_NONLINEAR_ROWS * 25];
/* t, q, v, psi */
enum { DIGITS_ROLLING_DISK_ROWS = 3 };
extern const double digits_rolling_disk[DIGITS_ROLLING_DISK_ROWS * 17];
enum { DIGITS_TRUCK_LINEAR_ROWS = 5 };
extern const double digits_truck_linear[DIGITS_TRUCK_LINEAR_ROWS * 30];
enum { DIGITS_TRUCK_ROWS = 5 };
extern const double digits_truck[DIGITS_TRUCK_ROWS * 30];
enum { DIGITS_TRUCK11_ROWS = 5 };
extern const double digits_truck11[DIGITS_TRUCK11_ROWS * 35];
