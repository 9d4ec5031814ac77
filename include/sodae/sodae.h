/* sodae: second order differential-algebraic equations of mechanics. */
#pragma once

#include <sodae/analysis.h>
#include <sodae/integrator.h>
#include <sodae/model.h>
#include <sodae/options.h>
#include <sodae/problem.h>
#include <sodae/space.h>
#include <sodae/status.h>

#define SODAE_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

const char *sodae_version(void);

#ifdef __cplusplus
}
#endif
