/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/check/prove_front.h"
#include "dse/base/memory.h"
#include "dse/check/prove.h"
#include "dse/layer/design_text.h"
#include "dse/out/colour.h"
#include "dse/pareto/shortlist.h"
#include "sim/base/hash.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* A distinct design of the front, and the block that has it in the first point that is looked at. */
struct item {
	size_t network, design;
	struct prove_candidate candidate;
};

struct prove_work {
	const struct unroller *unroller;
	const struct prove_front_options *options;
	struct prove_front *proof;
	bool *is_taken; /* [n_design of the unroller] */
	struct item *item;
	size_t n_item;
	struct prove_candidate *candidate; /* [n_item] room for those of one network */
};

/* The design of a block in a point, with what is fetched ahead around it there. */
static void add_item(struct prove_work *work, const struct unrolled *point, size_t k)
{
	const struct layer_map *map = &work->unroller->explore->map;
	size_t network = layer_map_network(map, k), b = k - map->begin[network];
	const struct layer_design *own = &point->layer[k]->design;
	bool is_last = k + 1 == map->begin[network + 1];
	uint32_t next_bit = is_last ? own->operand_bit : point->layer[k + 1]->design.operand_bit;
	struct item *item = &work->item[work->n_item++];
	*item = (struct item){.network = network, .design = (size_t)(point->layer[k] - work->unroller->design)};
	item->candidate =
	    (struct prove_candidate){.block = b,
	                             .machine = point->machine,
	                             .design = *own,
	                             .ahead = ahead_around(&work->unroller->explore->space->network[network].network, b,
	                                                   own->operand_bit, next_bit)};
	work->is_taken[item->design] = true;
	work->proof->mac += (double)block_n_mac(map->block[k]);
}

/* false: what the point has beside the designs taken is beyond the limit. */
static bool take_point(struct prove_work *work, const struct unrolled *point)
{
	const struct layer_map *map = &work->unroller->explore->map;
	double mac = work->proof->mac;
	for (size_t k = 0; k < point->n_layer; k++)
		if (!work->is_taken[point->layer[k] - work->unroller->design])
			mac += (double)block_n_mac(map->block[k]);
	if (mac > PROVE_FRONT_MAC && work->n_item > 0)
		return false;
	for (size_t k = 0; k < point->n_layer; k++)
		if (!work->is_taken[point->layer[k] - work->unroller->design])
			add_item(work, point, k);
	work->proof->n_point++;
	return true;
}

/* Points that a table shows, then all. */
static void take_points(struct prove_work *work)
{
	const struct explore *explore = work->unroller->explore;
	size_t shown[SHORTLIST_MAX], knee;
	struct unrolled point;
	size_t n_shown = shortlist_choose(&explore->front, SHORTLIST_MAX, shown, &knee), n = explore->front.n;
	bool has_room = true;
	memory_check(unrolled_init(&explore->map, &point, NULL) == ERR_OK);
	for (size_t i = 0; i < n_shown + n && has_room; i++) {
		bool is_shown = false;
		for (size_t s = 0; s < n_shown && i >= n_shown; s++)
			is_shown = is_shown || shown[s] == i - n_shown;
		if (is_shown)
			continue;
		unroll_point(work->unroller, i < n_shown ? shown[i] : i - n_shown, &point);
		has_room = take_point(work, &point);
	}
	unrolled_free(&point);
}

static int compare_items(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	if (a->network != b->network)
		return a->network < b->network ? -1 : 1;
	if (a->candidate.block != b->candidate.block)
		return a->candidate.block < b->candidate.block ? -1 : 1;
	return a->design < b->design ? -1 : a->design > b->design;
}

static void note_failure(struct prove_work *work, const struct network *network, const struct item *item,
                         const struct prove_result *result)
{
	struct prove_front *proof = work->proof;
	char design[200];
	if (proof->n_failed++ >= PROVE_FRONT_MAX_FAULT)
		return;
	(void)design_print(&item->candidate.design, item->candidate.machine, design, sizeof(design));
	(void)snprintf(proof->fault[proof->n_failed - 1], sizeof(proof->fault[0]), "%s (%s): %.150s",
	               network->block[item->candidate.block].name, design,
	               !result->ran          ? "it cannot run"
	               : result->n_fault > 0 ? result->fault[0]
	                                     : result->difference);
}

/* The items from first on that are of one network; the index after them. */
static enum err_code prove_items(struct prove_work *work, size_t first, size_t *end, struct err *err)
{
	const struct network *network = &work->unroller->explore->space->network[work->item[first].network].network;
	const struct prove_how how = {.seed = work->options->seed,
	                              .n_thread = work->options->n_thread,
	                              .show_progress = work->options->show_progress,
	                              .what = "proving the front's designs"};
	size_t n = 0, n_done;
	for (; first + n < work->n_item && work->item[first + n].network == work->item[first].network; n++)
		work->candidate[n] = work->item[first + n].candidate;
	*end = first + n;
	enum err_code code = prove_run(network, work->candidate, n, &how, &n_done, err);
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		const struct prove_result *result = &work->candidate[i].result;
		if (!result->is_proved)
			note_failure(work, network, &work->item[first + i], result);
		work->proof->hash = hash_bytes(&result->hash, sizeof(result->hash), work->proof->hash);
	}
	return code;
}

enum err_code prove_front_run(const struct unroller *unroller, const struct prove_front_options *options,
                              struct prove_front *proof, struct err *err)
{
	size_t n = unroller->n_design;
	struct prove_work work = {.unroller = unroller,
	                          .options = options,
	                          .proof = proof,
	                          .is_taken = memory_array(n, sizeof(*work.is_taken)),
	                          .item = memory_array(n, sizeof(*work.item)),
	                          .candidate = memory_array(n, sizeof(*work.candidate))};
	uint64_t start_ms = stop_now_ms();
	struct err own = {0};
	enum err_code code = ERR_OK;
	assert(n > 0 && unroller->explore->front.n > 0);
	*proof = (struct prove_front){.n_design_all = n, .n_point_all = unroller->explore->front.n};
	take_points(&work);
	proof->n_design = work.n_item;
	qsort(work.item, work.n_item, sizeof(*work.item), compare_items);
	for (size_t i = 0; i < work.n_item && code == ERR_OK;)
		code = prove_items(&work, i, &i, &own);
	proof->interrupted = code == ERR_INTERRUPTED;
	if (proof->interrupted)
		code = ERR_OK;
	else if (own.n_message > 0)
		code = err_add_all(err, (struct err_place){0}, &own);
	err_clear(&own);
	proof->seconds = (double)(stop_now_ms() - start_ms) / 1000.0;
	free(work.is_taken);
	free(work.item);
	free(work.candidate);
	return code;
}

/* ---- what is said of it ---- */

void prove_front_print(FILE *file, const struct prove_front *proof)
{
	(void)fprintf(file, "Proved on data: %zu of %zu layer designs bit-exact in %.1f s, ",
	              proof->n_design - proof->n_failed, proof->n_design, proof->seconds);
	if (proof->n_point == proof->n_point_all)
		(void)fputs("all of the front\n", file);
	else
		(void)fprintf(file, "those of %zu of %zu points, shown ones first; the front has %zu designs\n",
		              proof->n_point, proof->n_point_all, proof->n_design_all);
	for (size_t i = 0; i < proof->n_failed && i < PROVE_FRONT_MAX_FAULT; i++)
		colour_print(file, COLOUR_BAD, "  %s\n", proof->fault[i]);
}

void prove_front_put_json(struct json *json, const struct prove_front *proof)
{
	char hash[17];
	(void)snprintf(hash, sizeof(hash), "%016" PRIx64, proof->hash);
	json_begin_object(json, "prove");
	json_put_fields(
	    json, "proved %d, designs %zu, designs_of_front %zu, points %zu, points_of_front %zu, failed %zu, hash %s",
	    proof->n_failed == 0, proof->n_design, proof->n_design_all, proof->n_point, proof->n_point_all,
	    proof->n_failed, hash);
	json_put_fields(json, "mac %g, seconds %g", proof->mac, proof->seconds);
	json_begin_list(json, "faults");
	for (size_t i = 0; i < proof->n_failed && i < PROVE_FRONT_MAX_FAULT; i++)
		json_put_text(json, NULL, proof->fault[i]);
	json_end(json);
	json_end(json);
}

enum err_code prove_front_judge(const struct prove_front *proof, struct err *err)
{
	for (size_t i = 0; i < proof->n_failed && i < PROVE_FRONT_MAX_FAULT; i++)
		(void)err_add(err, ERR_GATE, "%s", proof->fault[i]);
	return proof->n_failed == 0 ? ERR_OK
	                            : err_add(err, ERR_GATE, "%zu of %zu layer designs of the front are not bit-exact",
	                                      proof->n_failed, proof->n_design);
}
