/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/verdict/verdict.h"
#include "dse/base/memory.h"
#include "dse/space/space_machine.h"
#include "dse/verdict/verdict_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const run_verdict_place_name[RUN_VERDICT_N_PLACE] = {
    [RUN_VERDICT_ON_FRONT] = "on the front", [RUN_VERDICT_BEATEN] = "beaten",
    [RUN_VERDICT_ALIKE] = "alike",           [RUN_VERDICT_BEHIND] = "not on the front",
    [RUN_VERDICT_EMPTY] = "nothing fits",    [RUN_VERDICT_REFUSED] = "refused",
    [RUN_VERDICT_FAILED] = "failed",         [RUN_VERDICT_OPEN] = "not searched to the end"};
const char *const run_verdict_claim_name[RUN_VERDICT_N_CLAIM] = {
    [RUN_VERDICT_BEST] = "best",    [RUN_VERDICT_MORE] = "more",     [RUN_VERDICT_SIZE] = "size",
    [RUN_VERDICT_BEATS] = "beaten", [RUN_VERDICT_TIME] = "time",     [RUN_VERDICT_STATIC] = "static_energy",
    [RUN_VERDICT_SHARE] = "share",  [RUN_VERDICT_MOST] = "most",     [RUN_VERDICT_GROUP] = "group_beaten",
    [RUN_VERDICT_KNEE] = "knee",    [RUN_VERDICT_KEEPS] = "all_fit", [RUN_VERDICT_NONE] = "none_fits",
    [RUN_VERDICT_MISS] = "miss",    [RUN_VERDICT_CLOSE] = "close",   [RUN_VERDICT_CHANGE] = "change_of_limit"};

const char *run_verdict_text(struct run_verdict *verdict, const char *text)
{
	return memory_must(arena_text(&verdict->arena, text));
}

/* From a standing of either tier. */
static void take_standing(const struct standing *standing, bool is_event, double resolution_frac,
                          struct run_verdict_machine *machine)
{
	machine->is_event = is_event;
	machine->is_bound = standing->kind == STANDING_CUT;
	machine->is_proven = standing->is_proven;
	memcpy(machine->least, standing->least, sizeof(machine->least));
	machine->margin = standing->is_on_front ? NAN : standing->margin;
	machine->by = RUN_VERDICT_NOBODY;
	if (standing->is_on_front)
		machine->place = RUN_VERDICT_ON_FRONT;
	else if (standing->margin >= 0.0)
		machine->place = RUN_VERDICT_BEATEN;
	else
		machine->place = standing->margin >= -resolution_frac / (1.0 + resolution_frac) ? RUN_VERDICT_ALIKE
		                                                                                : RUN_VERDICT_BEHIND;
	if (machine->place == RUN_VERDICT_BEATEN && standing->beaten_by != STANDING_NOBODY) {
		machine->by = standing->beaten_by;
		machine->margin = standing->own_margin;
	}
}

static enum run_verdict_place place_of_kind(uint32_t kind)
{
	static const enum run_verdict_place place[] = {
	    [STANDING_OPEN] = RUN_VERDICT_OPEN,   [STANDING_REFUSED] = RUN_VERDICT_REFUSED,
	    [STANDING_EMPTY] = RUN_VERDICT_EMPTY, [STANDING_FAILED] = RUN_VERDICT_FAILED,
	    [STANDING_CUT] = RUN_VERDICT_BEHIND,  [STANDING_SEARCHED] = RUN_VERDICT_BEHIND};
	return place[kind];
}

/* Of the tier that searched first, then, where its designs got a price, of the event tier. */
static void make_machine(const struct run_verdict_of *of, uint32_t index, struct run_verdict_machine *machine)
{
	const struct standings *prices = of->price && of->price->is_priced ? of->price->standings : NULL;
	const struct standings *noted = of->explore->standings;
	const struct standing unknown = {.kind = STANDING_SEARCHED, .margin = NAN};
	const struct standing *own = noted ? &noted->machine[index] : &unknown;
	struct machine cfg;
	char why[EXPLORE_TEXT_SIZE];
	*machine = (struct run_verdict_machine){
	    .index = index, .margin = NAN, .by = RUN_VERDICT_NOBODY, .place = place_of_kind(own->kind)};
	for (unsigned k = 0; k < SPACE_MAX_OBJECTIVE; k++)
		machine->least[k] = INFINITY;
	if (noted && (own->kind == STANDING_CUT || own->kind == STANDING_SEARCHED))
		take_standing(own, false, 0.0, machine);
	machine->fastest = own->fastest;
	machine->thriftiest = own->thriftiest;
	if (prices && prices->machine[index].kind == STANDING_SEARCHED)
		take_standing(&prices->machine[index], true, of->price->resolution_frac, machine);
	else if (prices && machine->place == RUN_VERDICT_ON_FRONT)
		machine->place = RUN_VERDICT_BEHIND; /* of the fast front, without a design that got a price */
	if (space_machine(of->space, index, &cfg, why, sizeof(why)))
		metric_of_machine(&cfg, machine->metric);
}

/* Where nobody noted standings, the front is all that is known. */
static void take_point(const struct run_verdict_of *of, size_t i, struct run_verdict_machine *machine)
{
	const struct pareto *front = &of->explore->front;
	machine->n_point++;
	if (of->explore->standings)
		return;
	machine->place = RUN_VERDICT_ON_FRONT;
	for (unsigned k = 0; k < front->n_objective; k++)
		machine->least[k] = fmin(machine->least[k], front->objective[i * front->n_objective + k]);
}

static void make_machines(struct run_verdict_maker *maker)
{
	const struct run_verdict_of *of = maker->of;
	const struct pareto *front = &of->explore->front;
	struct run_verdict *verdict = maker->verdict;
	if (of->explore->counts.n_machine > STANDING_MAX_MACHINE)
		return;
	verdict->n_machine = (size_t)of->explore->counts.n_machine;
	verdict->machine = memory_must(arena_array(&verdict->arena, verdict->n_machine, sizeof(*verdict->machine)));
	for (size_t i = 0; i < verdict->n_machine; i++)
		make_machine(of, (uint32_t)i, &verdict->machine[i]);
	for (size_t i = 0; i < front->n; i++)
		take_point(of, i, &verdict->machine[front->genome[i * front->n_gene]]);
}

/* What figures are of: tiers, bounds, designs that were seen. */
static void add_notes(struct run_verdict_maker *maker)
{
	struct run_verdict *verdict = maker->verdict;
	bool has_event = false, has_fast = false, has_bound = false;
	for (size_t i = 0; i < verdict->n_machine; i++) {
		const struct run_verdict_machine *machine = &verdict->machine[i];
		bool has_figures = isfinite(machine->least[0]);
		has_event |= has_figures && machine->is_event;
		has_fast |= has_figures && !machine->is_event;
		has_bound |= machine->is_bound;
	}
	if (has_event && has_fast)
		verdict->note[verdict->n_note++] = "tiers: machines on the front, and those that got a price, event "
						   "tier; the others, and what bounds the "
						   "time, fast tier";
	else if (has_event)
		verdict->note[verdict->n_note++] = "tiers: event tier; what bounds the time, fast tier";
	if (run_verdict_wants_prices(maker))
		verdict->note[verdict->n_note++] =
		    "close to: behind by less than the fast tier may be off; --effort signoff prices more designs of "
		    "those that were searched";
	if (has_bound)
		verdict->note[verdict->n_note++] = ">=: no design has less, as bounds prove; such machines were not "
						   "searched, and the time's shares are those "
						   "of their fastest design that was seen";
}

void run_verdict_make(const struct run_verdict_of *of, struct run_verdict *verdict)
{
	struct run_verdict_maker *maker = memory_array(1, sizeof(*maker));
	assert(of && of->space && of->explore && verdict);
	*verdict = (struct run_verdict){0};
	maker->of = of;
	maker->verdict = verdict;
	standing_scaled(of->space, maker->is_scaled);
	make_machines(maker);
	run_verdict_find_doubts(maker);
	run_verdict_make_rows(maker); /* sentences are on rows, too */
	run_verdict_claim_all(maker);
	add_notes(maker);
	free(maker);
}

void run_verdict_free(struct run_verdict *verdict)
{
	arena_free(&verdict->arena);
	*verdict = (struct run_verdict){0};
}
