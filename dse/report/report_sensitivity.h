/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_REPORT_SENSITIVITY_H
#define DSE_REPORT_SENSITIVITY_H
/*
 * Sensitivity of the objectives to each knob: a point of the front with one knob set to another value of the space, all
 * others as they are.
 *
 *   chosen point, knee, best points   each axis of the machine; strategy, operand kept, operating point and operand
 *                                     width of all layers
 *   chosen point                      the same for each layer by itself, and its split by one part more or less in
 *                                     each dimension
 *
 * Nothing is searched again. What a knob is worth together with others is a question for dse explore.
 */
#include "dse/report/report_data.h"

/* Layers of the chosen point that are looked at one by one: those that take most of the time. */
#define SENSITIVITY_MAX_LAYER 64

/* In the event tier, where a run takes seconds, so many runs of layers besides as many as the front has designs. */
#define SENSITIVITY_EVENT_RUN 64

/*
 * Fill data->change; nothing where designs have not run again (data->without). n_thread: 0: all. ERR_INTERRUPTED,
 * ERR_INTERNAL.
 */
enum err_code report_sensitivity_make(struct report_data *data, unsigned n_thread, struct err *err);

#endif
