/* SPDX-License-Identifier: Apache-2.0 */
/* The table of clocks and bandwidths in the ARADA paper, by the assumptions of dse/arada/arada_table1.h. */
#include "dse/arada/arada_table1.h"
#include "dse/validate/validate_parts.h"

static const char exchanged[] = "the pairs of rows 14 to 23 taken the other way round: depthwise after pointwise";

enum err_code validate_arada_table1(const struct validate_cell *cell, struct prediction *prediction, struct err *err)
{
	uint32_t layer = 0;
	const struct cell_number number = {"layer", &layer, 1, ARADA_TABLE1_N_ROW, false};
	struct arada_table1 set = arada_table1_found(), in_order = set;
	struct arada_mode mode;
	in_order.is_exchanged = false;
	enum err_code code = cell_read_numbers(cell->table, cell->row, &number, 1, err);
	if (code == ERR_OK)
		code = arada_table1_run(&set, layer - 1, &mode, err);
	if (code != ERR_OK)
		return code;
	prediction->value = validate_read_figure(cell->value, &mode);
	if (arada_table1_layer(&set, layer - 1).filter_h != arada_table1_layer(&in_order, layer - 1).filter_h)
		prediction->note = exchanged;
	return ERR_OK;
}
