/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sources get wrong, as a table of rules. Such values are listed with their prediction and the reason, and do
 * not count. The rules were found by running the thesis simulator again and by arithmetic on its own tables; none
 * hides an error of ours.
 */
#include "dse/validate/validate.h"
#include <assert.h>
#include <string.h>

#define RULE_MAX_CONDITION 4

struct set_apart_condition {
	const char *column, *text;
};

/* Applies to a row that meets all conditions (column NULL: no more of them). */
struct set_apart_rule {
	const char *kind;   /* NULL: any */
	const char *column; /* value column; NULL: any */
	struct set_apart_condition condition[RULE_MAX_CONDITION];
	const char *note;
};

static const char skipped[] = "the source skipped part of the work";

static const struct set_apart_rule rule_table[] = {
    /* Chip reuse of the thesis simulator leaves out tasks of layers with 4 to 16 parts, not a multiple of 4. */
    {NULL, NULL, {{"complete", "no"}}, skipped},
    {NULL, "fusion_reuse_clk", {{"reuse_complete", "no"}}, skipped},
    {"overall_clocks", NULL, {{"operation", "sum"}}, "a sum of values that are counted themselves"},
    /* 3.2 MB of results and 2.8 MB of loads, 256 tasks of 10.9 kB, take 188 054 clocks at DRAMs' 32 bytes a clock. */
    {"strategy_clocks",
     "fusion_no_reuse_clk",
     {{"target", "chip"}, {"network", "vgg16"}, {"operation", "CONV_1"}},
     "published below the least DRAM time of its own split"},
    /* The third value of the row is where it belongs. */
    {"strategy_clocks",
     "no_fusion_no_reuse_clk",
     {{"target", "qpe"}, {"network", "resnet50"}, {"operation", "CONV_SC_14"}},
     "thesis table 5.6 prints the clocks with fusion here"},
    {"strategy_clocks",
     "fusion_no_reuse_clk",
     {{"target", "qpe"}, {"network", "resnet50"}, {"operation", "CONV_SC_14"}},
     "thesis table 5.6 prints these clocks a column to the left"},
    {"mac_array_clocks",
     "total_clk",
     {{"network", "resnet50"}, {"operation", "CONV_SC_14"}, {"array", "16x4"}},
     "thesis table 5.12 prints the 16x2 total here"},
};

static bool meets(const struct csv_table *table, size_t row, const struct set_apart_condition *condition)
{
	size_t column = csv_find_column(table, condition->column);
	return column != CSV_NO_COLUMN && strcmp(csv_get_cell(table, row, column)->text, condition->text) == 0;
}

const char *validate_set_apart(const char *kind, const struct csv_table *table, size_t row, size_t column)
{
	assert(kind && table && row < table->n_row && column < table->n_column);
	for (size_t i = 0; i < sizeof(rule_table) / sizeof(rule_table[0]); i++) {
		const struct set_apart_rule *rule = &rule_table[i];
		bool applies = (!rule->kind || strcmp(rule->kind, kind) == 0) &&
		               (!rule->column || strcmp(rule->column, table->header[column].text) == 0);
		for (size_t j = 0; applies && j < RULE_MAX_CONDITION && rule->condition[j].column; j++)
			applies = meets(table, row, &rule->condition[j]);
		if (applies)
			return rule->note;
	}
	return NULL;
}
