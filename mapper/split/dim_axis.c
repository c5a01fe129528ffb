/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The splits one dimension can have. In units of step, n parts of sizes a > b
 * with m of size a are legal when (a - b) * m = extent - b * n: for every n and
 * b the divisors m < n of what remains. All loops below follow from that.
 */
#include "mapper/split/dim.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A list of that many splits is a mistake of the space: it asks for SPLIT_ALL where the reduced set would do. */
#define MAX_CHOICE (1u << 22)

/*
 * Parts are looked at up to their extent, n_unit / n sizes for n parts: a few seconds' worth, and 16 MB of divisors.
 * Reached by matrices of 300 000 rows; even splits are only counted and go on to millions.
 */
#define MAX_LIST_WORK (UINT64_C(1) << 22)
#define MAX_COUNT_WORK (UINT64_C(1) << 26)

/* n_divisor is scratch, [n_unit] and zeroed: the divisors of r that are below the current number of parts. */
static uint64_t count_legal(uint32_t n_unit, uint32_t max_part, uint16_t *n_divisor)
{
	uint64_t n_legal = 0;
	assert(max_part <= n_unit);
	for (uint32_t n = 1; n <= max_part; n++) {
		/* n - 1 becomes a possible m. */
		for (uint64_t r = n - 1; n > 1 && r < n_unit; r += n - 1)
			n_divisor[r]++;
		for (uint64_t covered = n; covered < n_unit; covered += n)
			n_legal += n_divisor[n_unit - covered];
		n_legal += n_unit % n == 0;
	}
	return n_legal;
}

uint64_t dim_n_legal(uint32_t extent, uint32_t step, uint32_t max_part)
{
	uint32_t n_unit;
	uint64_t n_legal;
	assert(step > 0 && extent > 0 && extent % step == 0 && max_part > 0);
	n_unit = extent / step;
	if (max_part > n_unit)
		max_part = n_unit;
	uint16_t *n_divisor = calloc(n_unit, sizeof(*n_divisor));
	if (!n_divisor)
		return UINT64_MAX;
	n_legal = count_legal(n_unit, max_part, n_divisor);
	free(n_divisor);
	return n_legal;
}

/*
 * Divisors below max of all numbers below n_unit, ascending: those of r are
 * divisor[first[r]] to divisor[first[r + 1] - 1].
 */
struct divisor_table {
	uint32_t *first, *divisor;
};

static bool build_divisors(uint32_t n_unit, uint32_t max, struct arena *arena, struct divisor_table *table)
{
	uint32_t *next;
	table->first = arena_array(arena, (size_t)n_unit + 2, sizeof(*table->first));
	next = arena_array(arena, (size_t)n_unit + 1, sizeof(*next));
	if (!table->first || !next)
		return false;
	for (uint32_t d = 1; d < max; d++)
		for (uint64_t r = d; r < n_unit; r += d)
			table->first[r + 1]++;
	for (uint32_t r = 0; r < n_unit; r++) {
		table->first[r + 1] += table->first[r];
		next[r] = table->first[r];
	}
	table->divisor = arena_array(arena, (size_t)table->first[n_unit] + 1, sizeof(*table->divisor));
	if (!table->divisor)
		return false;
	for (uint32_t d = 1; d < max; d++)
		for (uint64_t r = d; r < n_unit; r += d)
			table->divisor[next[r]++] = d;
	return true;
}

/* The three features that the cost of a program depends on; see dim_axis_build. */
struct feature {
	uint64_t largest, n_unit, n_four;
};

static struct feature feature_of(const struct dim_split *dim, uint32_t unit)
{
	struct feature feature = {.largest = dim->size_a};
	feature.n_unit = ceil_div(dim->size_a, unit) * dim->n_a + ceil_div(dim->size_b, unit) * dim->n_b;
	feature.n_four = ceil_div(dim->size_a, 4) * dim->n_a + ceil_div(dim->size_b, 4) * dim->n_b;
	return feature;
}

static bool is_covered(const struct feature *by, const struct feature *of)
{
	return by->largest <= of->largest && by->n_unit <= of->n_unit && by->n_four <= of->n_four;
}

/* A growing list of splits; start is where the current number of parts begins. */
struct choice_list {
	struct dim_split *choice;
	size_t n, max, start;
	uint32_t unit; /* for SPLIT_REDUCED */
	bool reduced;
	bool out_of_memory;
};

/* Ours is not needed when one there is as good in every feature; those it beats are dropped. */
static bool make_room(struct choice_list *list, const struct dim_split *dim)
{
	struct feature own = feature_of(dim, list->unit);
	size_t kept = list->start;
	for (size_t i = list->start; i < list->n; i++) {
		struct feature other = feature_of(&list->choice[i], list->unit);
		if (is_covered(&other, &own))
			return false;
	}
	for (size_t i = list->start; i < list->n; i++) {
		struct feature other = feature_of(&list->choice[i], list->unit);
		if (!is_covered(&own, &other))
			list->choice[kept++] = list->choice[i];
	}
	list->n = kept;
	return true;
}

static void append_choice(struct choice_list *list, const struct dim_split *dim)
{
	if (list->out_of_memory || (list->reduced && !make_room(list, dim)))
		return;
	if (list->n == list->max) {
		size_t max = list->max ? 2 * list->max : 64;
		struct dim_split *grown = realloc(list->choice, max * sizeof(*grown));
		if (!grown) {
			list->out_of_memory = true;
			return;
		}
		list->choice = grown;
		list->max = max;
	}
	list->choice[list->n++] = *dim;
}

static uint64_t size_key(const struct dim_split *dim)
{
	return (uint64_t)dim->size_a << 32 | dim->n_a;
}

/*
 * By size, then number of larger parts; no two are equal in both. D. L. Shell, "A high-speed sorting procedure", 1959,
 * with M. Ciura's gaps of 2001: of millions of splits most lists are some dozens long, where qsort's calls take longer
 * than its comparisons.
 */
static void sort_sizes(struct dim_split *choice, size_t n)
{
	static const size_t gap[] = {1, 4, 10, 23, 57, 132, 301, 701, 1577, 3548, 7983, 17961, 40412, 90927, 204585};
	size_t n_gap = sizeof(gap) / sizeof(*gap);
	while (n_gap > 1 && gap[n_gap - 1] >= n)
		n_gap--;
	while (n_gap-- > 0) {
		size_t step = gap[n_gap];
		for (size_t i = step; i < n; i++) {
			struct dim_split moved = choice[i];
			uint64_t key = size_key(&moved);
			size_t to = i;
			for (; to >= step && size_key(&choice[to - step]) > key; to -= step)
				choice[to] = choice[to - step];
			choice[to] = moved;
		}
	}
}

/* Every legal split into n parts, or those of them that are not beaten. */
static void append_parts(struct choice_list *list, uint32_t n_unit, uint32_t step, uint32_t n,
                         const struct divisor_table *table)
{
	assert(n > 0 && n <= n_unit);
	list->start = list->n;
	if (n_unit % n == 0)
		append_choice(list, &(struct dim_split){.size_a = n_unit / n * step, .n_a = n});
	for (uint32_t b = (n_unit - 1) / n; b > 0; b--) {
		uint32_t rest = n_unit - b * n;
		for (uint32_t i = table->first[rest]; i < table->first[rest + 1] && table->divisor[i] < n; i++) {
			uint32_t m = table->divisor[i];
			append_choice(list, &(struct dim_split){(b + rest / m) * step, m, b * step, n - m});
		}
	}
	sort_sizes(list->choice + list->start, list->n - list->start);
}

/* Whether listing or counting the splits into up to n_max parts takes seconds, not hours; a message when not. */
static enum err_code check_work(uint32_t extent, uint32_t step, uint32_t n_max, enum split_choice which,
                                struct err *err)
{
	uint64_t n_work = 0, max_work = which == SPLIT_ALL || which == SPLIT_REDUCED ? MAX_LIST_WORK : MAX_COUNT_WORK;
	assert(n_max > 0 && n_max <= extent / step);
	for (uint32_t n = 1; which != SPLIT_WHOLE && n <= n_max && n_work <= max_work; n++)
		n_work += extent / step / n;
	if (n_work <= max_work)
		return ERR_OK;
	return err_add(err, ERR_INPUT,
	               "%u in steps of %u has too many splits into up to %u parts to look at; choose%s 'whole' or a "
	               "smaller 'max_parts'",
	               extent, step, n_max, max_work == MAX_LIST_WORK ? " 'even'," : "");
}

bool dim_axis_group(struct dim_axis *axis, struct arena *arena)
{
	uint32_t n = 0;
	assert(axis->n > 0 && axis->n < UINT32_MAX);
	for (size_t i = 0; i < axis->n; i++)
		n += i == 0 || dim_n_part(&axis->choice[i]) != dim_n_part(&axis->choice[i - 1]);
	uint32_t *first = arena_array(arena, (size_t)n + 1, sizeof(*first));
	uint32_t *n_part = arena_array(arena, n, sizeof(*n_part));
	if (!first || !n_part)
		return false;
	n = 0;
	for (size_t i = 0; i < axis->n; i++) {
		uint32_t own = dim_n_part(&axis->choice[i]);
		if (n > 0 && own == n_part[n - 1])
			continue;
		assert(n == 0 || own > n_part[n - 1]);
		first[n] = (uint32_t)i;
		n_part[n++] = own;
	}
	first[n] = (uint32_t)axis->n;
	axis->n_group = n;
	axis->first = first;
	axis->n_part = n_part;
	return true;
}

enum {
	MAX_JOB_PART = 48,
	PART_WORTH = 1 << 14 /* splits that make a part worth another thread */
};

struct dim_axis_job {
	uint32_t step, n_unit, n_max, extent;
	enum split_choice which;
	uint64_t n_legal;
	struct arena scratch;
	struct divisor_table table;
	size_t n_part;
	uint32_t first[MAX_JOB_PART + 1]; /* numbers of parts that a part of the job begins with */
	struct choice_list list[MAX_JOB_PART];
	uint32_t n_group[MAX_JOB_PART]; /* numbers of parts of which there are splits */
	/* What the parts' lists are joined to. */
	struct dim_split *choice;
	uint32_t *group_first, *group_part;
};

/* Few parts have many splits each, so the job's parts grow with the numbers: each ends a quarter above its beginning.
 */
static void cut_job(struct dim_axis_job *job)
{
	bool is_long = job->which == SPLIT_ALL && job->n_legal >= PART_WORTH;
	uint32_t at = 1;
	while (job->n_part < MAX_JOB_PART && at <= job->n_max) {
		uint64_t next =
		    is_long && job->n_part + 1 < MAX_JOB_PART ? (uint64_t)at * 5 / 4 + 1 : (uint64_t)job->n_max + 1;
		job->first[job->n_part++] = at;
		at = next <= job->n_max ? (uint32_t)next : job->n_max + 1;
	}
	job->first[job->n_part] = at;
	assert(at == job->n_max + 1);
}

enum err_code dim_axis_begin(uint32_t extent, uint32_t step, uint32_t unit, uint32_t max_part, enum split_choice which,
                             struct dim_axis_job **job, struct err *err)
{
	uint32_t n_unit = extent / step, n_max = which == SPLIT_WHOLE ? 1 : max_part < n_unit ? max_part : n_unit;
	assert(unit > 0 && max_part > 0);
	enum err_code code = check_work(extent, step, n_max, which, err);
	if (code != ERR_OK)
		return code;
	uint64_t n_legal = which == SPLIT_WHOLE ? 1 : dim_n_legal(extent, step, max_part);
	if (which == SPLIT_ALL && n_legal > MAX_CHOICE)
		return err_add(err, ERR_INPUT,
		               "%u in steps of %u has %llu splits into up to %u parts, allowed up to %u; choose "
		               "'even', 'whole' or "
		               "a smaller 'max_parts'",
		               extent, step, (unsigned long long)n_legal, n_max, MAX_CHOICE);
	struct dim_axis_job *made = calloc(1, sizeof(*made));
	bool has_table = which == SPLIT_ALL || which == SPLIT_REDUCED;
	if (!made || (has_table && !build_divisors(n_unit, n_max, &made->scratch, &made->table))) {
		if (made)
			arena_free(&made->scratch);
		free(made);
		return err_add(err, ERR_INTERNAL, "out of memory for the splits of a dimension of %u", extent);
	}
	made->step = step;
	made->n_unit = n_unit;
	made->n_max = n_max;
	made->extent = extent;
	made->which = which;
	made->n_legal = n_legal;
	cut_job(made);
	for (size_t i = 0; i < made->n_part; i++)
		made->list[i] = (struct choice_list){.unit = unit, .reduced = which == SPLIT_REDUCED};
	*job = made;
	return ERR_OK;
}

size_t dim_axis_n_part(const struct dim_axis_job *job)
{
	return job->n_part;
}

void dim_axis_list(struct dim_axis_job *job, size_t part)
{
	struct choice_list *list = &job->list[part];
	assert(part < job->n_part && list->n == 0);
	for (uint32_t n = job->first[part]; n < job->first[part + 1]; n++) {
		struct dim_split even = dim_even(job->extent, n, job->step);
		size_t n_before = list->n;
		if (job->which == SPLIT_ALL || job->which == SPLIT_REDUCED)
			append_parts(list, job->n_unit, job->step, n, &job->table);
		else
			append_choice(list, &even);
		job->n_group[part] += list->n > n_before;
	}
}

enum err_code dim_axis_join(struct dim_axis_job *job, struct arena *arena, struct dim_axis *axis, struct err *err)
{
	size_t n = 0, n_group = 0;
	bool done = true;
	for (size_t i = 0; i < job->n_part; i++) {
		done &= !job->list[i].out_of_memory;
		n += job->list[i].n;
		n_group += job->n_group[i];
	}
	assert(!done || (n > 0 && n < UINT32_MAX));
	if (done) {
		job->choice = arena_array(arena, n, sizeof(*job->choice));
		job->group_first = arena_array(arena, n_group + 1, sizeof(*job->group_first));
		job->group_part = arena_array(arena, n_group, sizeof(*job->group_part));
	}
	*axis = (struct dim_axis){0};
	if (!job->choice || !job->group_first || !job->group_part) {
		job->choice = NULL;
		return err_add(err, ERR_INTERNAL, "out of memory for the splits of a dimension");
	}
	*axis = (struct dim_axis){.n_legal = job->n_legal,
	                          .n = n,
	                          .choice = job->choice,
	                          .n_group = (uint32_t)n_group,
	                          .first = job->group_first,
	                          .n_part = job->group_part};
	job->group_first[n_group] = (uint32_t)n;
	return ERR_OK;
}

/* Behind those of the parts before; numbers of parts do not go on from one to the next. */
void dim_axis_place(struct dim_axis_job *job, size_t part)
{
	struct choice_list *list = &job->list[part];
	size_t at = 0, group = 0;
	for (size_t i = 0; i < part; i++) {
		at += job->list[i].n;
		group += job->n_group[i];
	}
	if (!job->choice || list->n == 0)
		return;
	memcpy(job->choice + at, list->choice, list->n * sizeof(*list->choice));
	for (size_t i = 0; i < list->n; i++) {
		uint32_t own = dim_n_part(&list->choice[i]);
		if (i > 0 && own == dim_n_part(&list->choice[i - 1]))
			continue;
		job->group_first[group] = (uint32_t)(at + i);
		job->group_part[group++] = own;
	}
	/* memory goes back to the system in parts, too, which takes as long as copying it */
	free(list->choice);
	list->choice = NULL;
}

void dim_axis_end(struct dim_axis_job *job)
{
	for (size_t i = 0; i < job->n_part; i++)
		free(job->list[i].choice);
	arena_free(&job->scratch);
	free(job);
}

enum err_code dim_axis_build(uint32_t extent, uint32_t step, uint32_t unit, uint32_t max_part, enum split_choice which,
                             struct arena *arena, struct dim_axis *axis, struct err *err)
{
	struct dim_axis_job *job;
	assert(arena && axis);
	*axis = (struct dim_axis){0};
	enum err_code code = dim_axis_begin(extent, step, unit, max_part, which, &job, err);
	if (code != ERR_OK)
		return code;
	for (size_t i = 0; i < job->n_part; i++)
		dim_axis_list(job, i);
	code = dim_axis_join(job, arena, axis, err);
	for (size_t i = 0; i < job->n_part && code == ERR_OK; i++)
		dim_axis_place(job, i);
	dim_axis_end(job);
	return code;
}

enum err_code dim_axis_build_groups(uint32_t n_group, uint32_t n_filter, uint32_t max_part, enum split_choice which,
                                    struct arena *arena, struct dim_axis *axis, struct err *err)
{
	struct dim_axis whole;
	assert(n_group > 1 && n_filter > 0);
	/* so many rounds a group, however groups are dealt: the unit is a group */
	enum err_code code =
	    dim_axis_build(n_group * n_filter, n_filter, n_filter, max_part, which, arena, &whole, err);
	if (code != ERR_OK)
		return code;
	/* inside groups: n times as many parts as groups, where n divides a group's filters */
	uint32_t n_most = which == SPLIT_WHOLE ? 0 : max_part / n_group < n_filter ? max_part / n_group : n_filter;
	size_t n_choice = whole.n;
	for (uint32_t n = 2; n <= n_most; n++)
		n_choice += n_filter % n == 0;
	struct dim_split *choice = arena_array(arena, n_choice, sizeof(*choice));
	if (!choice)
		return err_add(err, ERR_INTERNAL, "out of memory for the splits of a dimension");
	memcpy(choice, whole.choice, whole.n * sizeof(*choice));
	size_t at = whole.n;
	for (uint32_t n = 2; n <= n_most; n++)
		if (n_filter % n == 0)
			choice[at++] = (struct dim_split){.size_a = n_filter / n, .n_a = n_group * n};
	*axis = (struct dim_axis){.n = n_choice, .choice = choice, .n_legal = whole.n_legal + n_choice - whole.n};
	if (!dim_axis_group(axis, arena))
		return err_add(err, ERR_INTERNAL, "out of memory for the splits of a dimension");
	return ERR_OK;
}
