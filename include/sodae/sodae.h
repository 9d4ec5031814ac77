/* sodae: second order differential-algebraic equations of mechanics. */
#pragma once

#include <sodae/analysis.h>
#include <sodae/integrator.h>
#include <sodae/mechanism.h>
#include <sodae/model.h>
#include <sodae/options.h>
#include <sodae/problem.h>
#include <sodae/space.h>
#include <sodae/stability.h>
#include <sodae/status.h>
#include <sodae/strangeness.h>
#include <sodae/table.h>
#include <sodae/verify.h>

#define SODAE_VERSION_MAJOR 0
#define SODAE_VERSION_MINOR 1
#define SODAE_VERSION_PATCH 0
#define SODAE_VERSION       "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

SODAE_API const char *sodae_version(void);

#ifdef __cplusplus
}
#endif
