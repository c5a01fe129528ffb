/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/detail.h"

const char *const detail_name[N_DETAIL] = {[DETAIL_FAST] = "fast", [DETAIL_EVENT] = "event"};
