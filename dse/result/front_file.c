/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/result/front_file.h"
#include "dse/space/space_machine.h"
#include "dse/base/memory.h"
#include "dse/design/uncertain.h"
#include "dse/keep/text_blocks.h"
#include "dse/layer/design_text.h"
#include "dse/out/build.h"
#include "dse/out/csv_write.h"
#include "dse/space/space_goals.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "name n, name n" for the names that occur. */
static void print_shares(const char *const *name, const size_t *n_use, size_t n, char *text, size_t n_byte)
{
	int at = 0;
	assert(n_byte > 0);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		if (n_use[i] > 0 && at >= 0 && (size_t)at < n_byte)
			at += snprintf(text + at, n_byte - (size_t)at, "%s%s %zu", at ? ", " : "", name[i], n_use[i]);
}

static void print_strategies(const struct unrolled *point, char *text, size_t n_byte)
{
	const char *name[N_STRATEGY];
	size_t n_use[N_STRATEGY] = {0};
	assert(point && point->n_layer > 0);
	for (unsigned i = 0; i < N_STRATEGY; i++)
		name[i] = strategy_table[i].name;
	for (size_t i = 0; i < point->n_layer; i++)
		n_use[point->layer[i]->design.strategy]++;
	print_shares(name, n_use, N_STRATEGY, text, n_byte);
}

void front_file_print_levels(const struct unrolled *point, char *text, size_t n_byte)
{
	const char *name[MACHINE_MAX_LEVEL];
	size_t n_use[MACHINE_MAX_LEVEL] = {0};
	assert(point->machine && point->machine->n_level <= MACHINE_MAX_LEVEL);
	for (unsigned i = 0; i < point->machine->n_level; i++)
		name[i] = point->machine->level[i].name;
	for (size_t i = 0; i < point->n_layer; i++)
		n_use[point->layer[i]->design.level]++;
	print_shares(name, n_use, point->machine->n_level, text, n_byte);
}

const char *front_file_hash(const struct space *space, const char *path)
{
	assert(space && path);
	for (size_t i = 0; i < space->n_file; i++)
		if (strcmp(space->file[i].path, path) == 0)
			return space->file[i].hash;
	return NULL;
}

/* Texts are joined by what none of them contains, so that "ab" "c" is not "a" "bc". */
static uint64_t sign_text(const char *text, uint64_t hash)
{
	return hash_bytes(text, strlen(text) + 1, hash);
}

static void put_signed(FILE *file, const char *text)
{
	(void)fwrite(text, 1, strlen(text) + 1, file);
}

/* What is signed of each design of layers, one behind the other: thousands of points share them. */
struct signed_designs {
	const struct front_run *run;
	char *text;
	size_t n_byte, *first; /* [n_design + 1] where each one's text begins */
};

static void sign_design(FILE *file, const struct front_run *run, const struct unrolled_design *unrolled)
{
	const struct layer_map *map = &run->explore->map;
	const struct layer_design *design = &unrolled->design;
	char text[512];
	(void)design_print_signed(design, unroller_machine(run->unroller, unrolled->machine_index), text, sizeof(text));
	put_signed(file, text);
	put_signed(file, reuse_operand_name[design->reuse]);
	put_signed(file, design_place_name(design->in_storage));
	put_signed(file, design_place_name(design->out_storage));
	if (map->block[map->first[unrolled->distinct]]->has_mat_ele)
		put_signed(file, design_place_name(design->add_storage));
	if (design->weight_ahead != AHEAD_NONE || design->fetch_next != AHEAD_NONE)
		put_signed(file, design_ahead_name(design));
}

static void sign_designs(const struct front_run *run, struct signed_designs *signs)
{
	size_t n = run->unroller->n_design;
	*signs = (struct signed_designs){.run = run, .first = memory_array(n + 1, sizeof(size_t))};
	FILE *file = memory_must(open_memstream(&signs->text, &signs->n_byte));
	for (size_t i = 0; i < n; i++) {
		sign_design(file, run, &run->unroller->design[i]);
		signs->first[i + 1] = (size_t)ftell(file);
	}
	memory_check(fclose(file) == 0);
}

static void sign_point(FILE *file, const struct signed_designs *signs, const struct unrolled *point)
{
	const struct space *space = signs->run->space;
	char text[512];
	for (size_t i = 0; i < space->n_objective; i++) {
		number_print_17(point->metric[space->objective[i]], text);
		put_signed(file, text);
	}
	put_signed(file, point->machine->name);
	for (size_t i = 0; i < space->n_axis; i++) {
		(void)machine_print_param(point->machine, space->axis[i].param, text, sizeof(text));
		put_signed(file, text);
	}
	for (size_t i = 0; i < point->n_layer; i++) {
		size_t at = (size_t)(point->layer[i] - signs->run->unroller->design);
		(void)fwrite(signs->text + signs->first[at], 1, signs->first[at + 1] - signs->first[at], file);
	}
}

static enum err_code sign_points(void *context, FILE *file, size_t first, size_t end, struct err *err)
{
	const struct signed_designs *signs = context;
	struct unrolled point;
	memory_check(unrolled_init(&signs->run->explore->map, &point, err) == ERR_OK);
	for (size_t i = first; i < end; i++) {
		unroll_point(signs->run->unroller, i, &point);
		sign_point(file, signs, &point);
	}
	unrolled_free(&point);
	return ERR_OK;
}

static void hash_texts(void *sink, const char *text, size_t n_byte)
{
	uint64_t *hash = sink;
	for (const char *end = text + n_byte; text < end; text += strlen(text) + 1)
		*hash = sign_text(text, *hash);
}

unsigned front_file_n_thread(const struct front_run *run)
{
	return run->options && run->options->n_thread > 0 ? run->options->n_thread : 1;
}

void front_file_sign(struct front_run *run)
{
	uint64_t hash = 0;
	struct signed_designs signs;
	assert(run && run->unroller);
	sign_designs(run, &signs);
	const struct text_blocks blocks = {
	    run->explore->front.n, front_file_n_thread(run), sign_points, &signs, hash_texts, &hash};
	memory_check(text_blocks_run(&blocks, NULL) == ERR_OK);
	free(signs.text);
	free(signs.first);
	(void)snprintf(run->signature, sizeof(run->signature), "%016" PRIx64, hash);
}

/* Objectives first, then what tells designs apart, then all else; each column name carries its unit. */
static void write_csv_header(FILE *file, const struct front_run *run)
{
	const struct space *space = run->space;
	csv_put_text(file, true, "id");
	for (size_t i = 0; i < space->n_objective; i++)
		csv_put_text(file, false, metric_table[space->objective[i]].name);
	csv_put_text(file, false, "machine");
	for (size_t i = 0; i < space->n_axis; i++)
		csv_put_text(file, false, space->axis[i].param->key);
	for (unsigned k = 0; k < N_METRIC; k++)
		if (!space_has_objective(space, (enum metric)k))
			csv_put_text(file, false, metric_table[k].name);
	(void)fputs(",strategies,levels", file);
	for (size_t i = 0; i < space->n_network; i++) {
		for (unsigned k = 0; k < N_METRIC; k++) {
			char name[NETWORK_NAME_SIZE + 32];
			if (metric_table[k].scope == METRIC_OF_MACHINE)
				continue;
			(void)snprintf(name, sizeof(name), "%s.%s", space->network[i].network.name,
			               metric_table[k].name);
			csv_put_text(file, false, name);
		}
	}
	csv_put_text(file, false, "uncertainty_pct");
	csv_put_text(file, false, "reference_uncertainty_pct");
	energy_trust_put_csv_names(file);
	csv_put_text(file, false, "front_csv_format");
	if (run->price && run->price->is_priced) {
		csv_put_text(file, false, "like_it");
		csv_put_text(file, false, "place");
	}
	for (size_t i = 0; i < space->n_objective && run->verify; i++) {
		char name[64];
		(void)snprintf(name, sizeof(name), "verified_%s", metric_table[space->objective[i]].name);
		csv_put_text(file, false, name);
	}
	(void)fputs(run->verify ? ",verified_error_pct,verified_margin_pct,verified_front\n" : "\n", file);
}

const char *front_file_place(const struct price *price, size_t i)
{
	return price->is_shared[i] ? "shared" : "certain";
}

const char *front_file_verdict(const struct verify_point *point)
{
	return point->certain ? "certain" : "depends";
}

static void put_metric(FILE *file, const struct machine *machine, const double *metric, enum metric which)
{
	csv_put_known(file, false, metric_value(machine, metric, which));
}

/* The objectives in the event tier, and what they say about the point's place. */
static void put_verified(FILE *file, const struct space *space, const struct machine *machine,
                         const struct verify_point *point)
{
	for (size_t i = 0; i < space->n_objective; i++)
		put_metric(file, machine, point->metric, space->objective[i]);
	csv_put_real(file, false, 100.0 * point->error_frac);
	/* the only point of a front has no other to be beaten by */
	if (isfinite(point->margin_frac))
		csv_put_real(file, false, 100.0 * point->margin_frac);
	else
		csv_put_text(file, false, "");
	csv_put_text(file, false, front_file_verdict(point));
}

/* The same order as write_csv_header. */
static void write_csv_point(FILE *file, const struct front_run *run, size_t id, const struct unrolled *point)
{
	const struct space *space = run->space;
	struct energy_trust trust;
	char text[256];
	(void)fprintf(file, "%zu", id);
	for (size_t i = 0; i < space->n_objective; i++)
		put_metric(file, point->machine, point->metric, space->objective[i]);
	space_machine_put_csv(file, false, space, point->machine);
	for (unsigned k = 0; k < N_METRIC; k++)
		if (!space_has_objective(space, (enum metric)k))
			put_metric(file, point->machine, point->metric, (enum metric)k);
	print_strategies(point, text, sizeof(text));
	csv_put_text(file, false, text);
	front_file_print_levels(point, text, sizeof(text));
	csv_put_text(file, false, text);
	for (size_t i = 0; i < point->n_network; i++)
		for (unsigned k = 0; k < N_METRIC; k++)
			if (metric_table[k].scope != METRIC_OF_MACHINE)
				put_metric(file, point->machine, point->network[i], (enum metric)k);
	csv_put_known(file, false, uncertain_pct(uncertainty_frac(&point->uncertain)));
	csv_put_known(file, false, uncertain_pct(point->uncertain.reference_frac));
	unroll_trust(run->unroller, point, &trust);
	energy_trust_put_csv(file, &trust);
	(void)fprintf(file, ",%d", FRONT_CSV_FORMAT);
	if (run->price && run->price->is_priced) {
		(void)fprintf(file, ",%u", (unsigned)run->price->n_like[id]);
		csv_put_text(file, false, front_file_place(run->price, id));
	}
	if (run->verify)
		put_verified(file, space, point->machine, &run->verify->point[id]);
	(void)fputc('\n', file);
}

static enum err_code write_csv_points(void *context, FILE *file, size_t first, size_t end, struct err *err)
{
	const struct front_run *run = context;
	struct unrolled point;
	memory_check(unrolled_init(&run->explore->map, &point, err) == ERR_OK);
	for (size_t i = first; i < end; i++) {
		unroll_point(run->unroller, i, &point);
		write_csv_point(file, run, i, &point);
	}
	unrolled_free(&point);
	return ERR_OK;
}

void front_file_write_csv(FILE *file, const struct front_run *run)
{
	struct front_run own = *run;
	assert(file && run->unroller);
	const struct text_blocks blocks = {
	    run->explore->front.n, front_file_n_thread(run), write_csv_points, &own, text_blocks_to_file, file};
	write_csv_header(file, run);
	memory_check(text_blocks_run(&blocks, NULL) == ERR_OK);
}

void front_file_dir_name(const struct front_run *run, char *name, size_t n_byte)
{
	char text[320], tier[16] = "", epsilon[48] = "", hex[HASH_HEX_SIZE];
	uint64_t hash = 0;
	assert(run->space->n_file > 0 && run->options->engine);
	/* By contents, not by path: the same question in another folder is the same question. */
	for (size_t i = 0; i < run->space->n_file; i++)
		hash = hash_bytes(run->space->file[i].hash, strlen(run->space->file[i].hash), hash);
	/* The seed decides nothing where nothing is random. */
	bool is_random = run->options->engine->is_random;
	if (run->options->prices)
		(void)snprintf(tier, sizeof(tier), run->options->all_machines ? " closed" : " priced");
	else if (run->space->detail != DETAIL_FAST)
		(void)snprintf(tier, sizeof(tier), " %s", detail_name[run->space->detail]);
	if (run->options->epsilon > 0)
		(void)snprintf(epsilon, sizeof(epsilon), " within %.17g", run->options->epsilon);
	(void)snprintf(text, sizeof(text), "%s %016" PRIx64 " %s %d %" PRIu64 " %" PRIu64 "%s%s", build_version, hash,
	               run->options->engine->name, (int)run->options->flat, is_random ? run->options->seed : 0,
	               run->options->max_evaluation, tier, epsilon);
	hash_hex(text, strlen(text), hex);
	(void)snprintf(name, n_byte, "%s-%.8s", run->space->name, hex);
}
