/* SPDX-License-Identifier: Apache-2.0 */
/* Names of phases. */
#include "sim/program/program.h"

const char *const phase_name[N_PHASE] = {"weight", "input", "migration", "computation", "tasks", "stall",
                                         "fetch",  "padd",  "mat_ele",   "acti",        "quan",  "pool",
                                         "fce",    "mul",   "func",      "softmax",     "norm"};
