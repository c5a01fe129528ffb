/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/spread/layer_plan_parts.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Text behind text, cut where there is no room. */
static void put(char text[LAYER_PLAN_TEXT_SIZE], const char *more)
{
	size_t n = strlen(text);
	(void)snprintf(text + n, LAYER_PLAN_TEXT_SIZE - n, "%s", more);
}

static void put_stretch(const struct layer_plans *plans, const struct stretch_option *option, size_t n, bool is_first,
                        char text[LAYER_PLAN_TEXT_SIZE])
{
	char own[PE_PLAN_TEXT_SIZE], times[32] = "";
	if (option->is_alone)
		(void)snprintf(own, sizeof(own), "all %s",
		               plans->context->machine->level[plans->at[STAND_HIGH].level].name);
	else
		pe_plan_print(plans->context->machine, &option->own.plan, own);
	if (n > 1)
		(void)snprintf(times, sizeof(times), "%zu times ", n);
	put(text, is_first ? "" : "; then ");
	put(text, times);
	put(text, own);
}

/* The stretches' options, the last label's last; labels go back. */
static void print_to(const struct layer_plans *plans, const struct plan_label *label, char text[LAYER_PLAN_TEXT_SIZE])
{
	size_t n = 1;
	const struct plan_label *before = label->before;
	while (before->option == label->option) {
		before = before->before;
		n++;
	}
	if (before->option)
		print_to(plans, before, text);
	put_stretch(plans, label->option, n, before->option == NULL, text);
}

void layer_plan_print(const struct layer_plans *plans, size_t i, char text[LAYER_PLAN_TEXT_SIZE])
{
	assert(i < plans->n);
	text[0] = '\0';
	print_to(plans, plans->label[i], text);
}
