/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/legend.h"
#include "dse/out/words.h"
#include <assert.h>
#include <string.h>

/* Definitions are in sim/README.md; each is of one layer unless it says otherwise. */
static const struct {
	const char *column, *meaning;
} legend[] = {
    {"mac_util_pct", "multiply-accumulates of the layer over what all MAC units could do in its latency"},
    {"mac_task_pct", "MAC units that a task keeps busy while its array computes, mean over the tasks"},
    {"mac_utilisation", "share of the MAC units that a task keeps busy while its array computes"},
    {"sram_utilisation", "share of a PE's SRAM that a task takes"},
    {"sram_pct", "share of a PE's SRAM that is taken in the fullest PE"},
    {"+-%", "how far the latency was off, up or down, in nine of ten comparisons with the next finer model"},
    {"bound", "the unit that most of the layer's clocks wait for"},
    {"lower_roof", "the roof that allows the layer less: the memory's, or compute, the MAC array's"},
    {"util_pct", "multiply-accumulates over what all MAC units could do in the layer's latency, stalls included"},
    {"mapping_pct", "MAC units that the tiles keep busy while the array computes, mean over the tiles"},
    {"compute_util_pct", "multiply-accumulates over what all MAC units could do while the array computes"},
    {"IDEAL_pct", "any clock and bandwidth for each layer, changes of them free"},
    {"VF-OH_pct", "the same, a change of clock charged its time"},
    {"VF-OH-Q_pct", "the same, of the clocks and bandwidths that there are"},
    {"eq6_pct", "VF-OH-Q by equation 6 of the paper as printed"},
    {"bandwidth_pct", "bandwidth that VF-OH-Q leaves over, mean over the time"},
    {"of_layers_pct", "the same, mean over the layers"},
    {"paper", "workers that OctopuScheduler's paper has for such a layer"},
    {"tile", "the largest one: width x height x output channels / input channels"},
    {"hidden_us", "time of fetching weights that lies behind computation, not in the total"},
    {"saturated_pct", "results at the ends of the output's range, -128 or 127"},
    {"zero_pct", "results that are 0"},
    {"op_per_byte", "operations for each byte that the layer reads and writes (--intensity says which bytes)"},
    {"attainable_gops", "operations a second that the lower roof allows; two operations are one multiply-accumulate"},
    {"reached_pct", "operations a second that the simulator reaches, of the attainable ones"},
};

const char *legend_find(const char *column)
{
	assert(column);
	for (size_t i = 0; i < sizeof(legend) / sizeof(legend[0]); i++)
		if (strcmp(legend[i].column, column) == 0)
			return legend[i].meaning;
	return NULL;
}

void legend_print(FILE *file, int indent, const struct table *table)
{
	struct words_fold fold;
	bool has_line = false;
	assert(file && table);
	FILE *to = words_fold_begin(&fold, file);
	for (size_t i = 0; i < table->n_column; i++) {
		const char *meaning = table->room[i] == TABLE_SHOWN ? legend_find(table->name[i]) : NULL;
		if (!meaning)
			continue;
		(void)fprintf(to, "%s%*s%s: %s\n", has_line ? "" : "\n", indent, "", table->name[i], meaning);
		has_line = true;
	}
	words_fold_end(&fold);
}
