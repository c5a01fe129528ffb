/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COMPOSE_OP_H
#define DSE_COMPOSE_OP_H
/* How a metric of a whole comes from those of its parts. For whoever asks for no composition (dse/pareto/compose.h). */

enum compose_op { COMPOSE_SUM, COMPOSE_MAX };

#endif
