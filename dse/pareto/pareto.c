/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With one or two objectives the points are kept sorted: the second objective
 * then falls where the first one rises, a staircase,
 *
 *   objective 1 |  a                      a point is superfluous when the last step at or
 *               |     b                   left of it is at or below it, and the steps it
 *               |         c               makes superfluous stand next to each other,
 *               +------------ objective 0
 *
 * so both are found by bisection. With more objectives the points are not
 * sorted and looked through one by one; what keeps this cheap is that callers
 * ask pareto_covers() with a hint first, which settles most candidates of a
 * search with one comparison. Trees were left out: they pay only from some
 * thousand points on, and whole networks are composed elsewhere (compose.c).
 */
#include "dse/pareto/pareto.h"
#include "dse/pareto/nondominated.h"
#include "dse/base/parallel.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_ALLOC = 16,
	MAX_ORDERED = 3,  /* objectives up to which points in order are filtered fastest one after the other */
	MOVE_CHUNK = 1024 /* points that one thread copies at a time */
};

bool pareto_dominates(const double *a, const double *b, unsigned n_objective)
{
	bool smaller = false;
	for (unsigned i = 0; i < n_objective; i++) {
		if (a[i] > b[i])
			return false;
		smaller |= a[i] < b[i];
	}
	return smaller;
}

void pareto_init(struct pareto *archive, unsigned n_objective, size_t n_gene)
{
	assert(n_objective >= 1 && n_objective <= PARETO_MAX_OBJECTIVE);
	*archive = (struct pareto){.n_objective = n_objective, .n_gene = n_gene};
}

void pareto_free(struct pareto *archive)
{
	free(archive->objective);
	free(archive->genome);
	free(archive->tag);
	*archive = (struct pareto){.n_objective = archive->n_objective, .n_gene = archive->n_gene};
}

static const double *objective_of(const struct pareto *archive, size_t at)
{
	return archive->objective + at * archive->n_objective;
}

static const uint32_t *genome_of(const struct pareto *archive, size_t at)
{
	return archive->genome + at * archive->n_gene;
}

static int compare_genome(const uint32_t *a, const uint32_t *b, size_t n_gene)
{
	for (size_t i = 0; i < n_gene; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

/* Whether point `at` makes the given one superfluous: it dominates it, or is equal and its genome comes first. */
static bool point_covers(const struct pareto *archive, size_t at, const double *objective, const uint32_t *genome)
{
	const double *own = objective_of(archive, at);
	bool smaller = false;
	for (unsigned i = 0; i < archive->n_objective; i++) {
		if (own[i] > objective[i])
			return false;
		smaller |= own[i] < objective[i];
	}
	return smaller || compare_genome(genome_of(archive, at), genome, archive->n_gene) <= 0;
}

/* How many points of a staircase have a first objective at or below (strictly below) the limit. */
static size_t count_below(const struct pareto *archive, double limit, bool strictly)
{
	size_t low = 0, n = archive->n;
	while (n > 0) {
		double value = *objective_of(archive, low + n / 2);
		bool below = strictly ? value < limit : value <= limit;
		low = below ? low + n / 2 + 1 : low;
		n = below ? n - n / 2 - 1 : n / 2;
	}
	return low;
}

bool pareto_covers(const struct pareto *archive, const double *objective, const uint32_t *genome, size_t *hint)
{
	assert(hint);
	if (*hint < archive->n && point_covers(archive, *hint, objective, genome))
		return true;
	if (archive->n_objective <= 2) {
		size_t n_left = count_below(archive, objective[0], false);
		if (n_left == 0 || !point_covers(archive, n_left - 1, objective, genome))
			return false;
		*hint = n_left - 1;
		return true;
	}
	for (size_t i = 0; i < archive->n; i++) {
		if (point_covers(archive, i, objective, genome)) {
			*hint = i;
			return true;
		}
	}
	return false;
}

/* Room for n_alloc points; false when memory is out. */
static bool grow_archive(struct pareto *archive, size_t n_alloc)
{
	size_t gene_byte = archive->n_gene * sizeof(*archive->genome);
	if (mul_sat(n_alloc, gene_byte + 8 * PARETO_MAX_OBJECTIVE) > SIZE_MAX / 2)
		return false;
	double *objective = realloc(archive->objective, n_alloc * archive->n_objective * sizeof(*objective));
	archive->objective = objective ? objective : archive->objective;
	/* One byte more: an archive of bare objectives has no genes, and realloc to 0 bytes may return NULL. */
	uint32_t *genome = realloc(archive->genome, n_alloc * gene_byte + 1);
	archive->genome = genome ? genome : archive->genome;
	uint64_t *tag = realloc(archive->tag, n_alloc * sizeof(*tag));
	archive->tag = tag ? tag : archive->tag;
	if (!objective || !genome || !tag)
		return false;
	archive->n_alloc = n_alloc;
	return true;
}

/* Room for a point more; without memory the archive is freed. */
static bool has_room(struct pareto *archive)
{
	if (archive->n < archive->n_alloc || grow_archive(archive, archive->n > 0 ? 2 * archive->n : FIRST_ALLOC))
		return true;
	pareto_free(archive);
	return false;
}

/* Move n points within the archive; the places may overlap. */
static void move_points(struct pareto *archive, size_t to, size_t from, size_t n)
{
	assert(to + n <= archive->n_alloc && from + n <= archive->n_alloc);
	if (n == 0 || to == from)
		return;
	memmove(archive->objective + to * archive->n_objective, objective_of(archive, from),
	        n * archive->n_objective * sizeof(*archive->objective));
	memmove(archive->genome + to * archive->n_gene, genome_of(archive, from),
	        n * archive->n_gene * sizeof(*archive->genome));
	memmove(archive->tag + to, archive->tag + from, n * sizeof(*archive->tag));
}

static void write_point(struct pareto *archive, size_t at, const double *objective, const uint32_t *genome,
                        uint64_t tag)
{
	assert(at < archive->n_alloc);
	memcpy(archive->objective + at * archive->n_objective, objective, archive->n_objective * sizeof(*objective));
	if (archive->n_gene > 0)
		memcpy(archive->genome + at * archive->n_gene, genome, archive->n_gene * sizeof(*genome));
	archive->tag[at] = tag;
}

/* Put a point that no other covers into the staircase, in the place of the steps it covers. */
static void insert_step(struct pareto *archive, const double *objective, const uint32_t *genome, uint64_t tag)
{
	size_t begin = count_below(archive, objective[0], true), end = begin;
	while (end < archive->n && (archive->n_objective == 1 || objective_of(archive, end)[1] >= objective[1]))
		end++;
	move_points(archive, begin + 1, end, archive->n - end);
	archive->n = archive->n - (end - begin) + 1;
	write_point(archive, begin, objective, genome, tag);
	assert(begin == 0 || *objective_of(archive, begin - 1) < objective[0]);
	assert(begin + 1 == archive->n || *objective_of(archive, begin + 1) > objective[0]);
}

/* The same without an order: drop what the point covers, append it. */
static void insert_anywhere(struct pareto *archive, const double *objective, const uint32_t *genome, uint64_t tag)
{
	size_t at = 0;
	while (at < archive->n) {
		const double *own = objective_of(archive, at);
		bool covered = true;
		for (unsigned i = 0; i < archive->n_objective && covered; i++)
			covered = objective[i] <= own[i];
		if (covered)
			move_points(archive, at, --archive->n, 1);
		else
			at++;
	}
	write_point(archive, archive->n++, objective, genome, tag);
}

bool pareto_insert(struct pareto *archive, const double *objective, const uint32_t *genome, uint64_t tag)
{
	size_t hint = 0;
	assert(objective && (genome || archive->n_gene == 0));
	if (pareto_covers(archive, objective, genome, &hint))
		return false;
	if (!has_room(archive))
		return false;
	if (archive->n_objective <= 2)
		insert_step(archive, objective, genome, tag);
	else
		insert_anywhere(archive, objective, genome, tag);
	assert(archive->n >= 1 && archive->n <= archive->n_alloc);
	return true;
}

void pareto_merge(struct pareto *archive, const struct pareto *other)
{
	assert(archive != other);
	assert(archive->n_objective == other->n_objective && archive->n_gene == other->n_gene);
	for (size_t i = 0; i < other->n; i++) {
		pareto_insert(archive, objective_of(other, i), genome_of(other, i), other->tag[i]);
		if (archive->n_alloc == 0)
			return;
	}
}

/* By objectives, then genome: point a of one archive before point b of another one, or of the same. */
static bool is_before(const struct pareto *one, size_t a, const struct pareto *other, size_t b)
{
	const double *left = objective_of(one, a), *right = objective_of(other, b);
	for (unsigned i = 0; i < one->n_objective; i++) {
		if (left[i] != right[i])
			return left[i] < right[i];
	}
	return compare_genome(genome_of(one, a), genome_of(other, b), one->n_gene) < 0;
}

static bool comes_before(const struct pareto *archive, size_t a, size_t b)
{
	return is_before(archive, a, archive, b);
}

static void swap_points(struct pareto *archive, size_t a, size_t b)
{
	for (unsigned i = 0; i < archive->n_objective; i++) {
		double *row = archive->objective, kept = row[a * archive->n_objective + i];
		row[a * archive->n_objective + i] = row[b * archive->n_objective + i];
		row[b * archive->n_objective + i] = kept;
	}
	for (size_t i = 0; i < archive->n_gene; i++) {
		uint32_t *row = archive->genome, kept = row[a * archive->n_gene + i];
		row[a * archive->n_gene + i] = row[b * archive->n_gene + i];
		row[b * archive->n_gene + i] = kept;
	}
	uint64_t kept = archive->tag[a];
	archive->tag[a] = archive->tag[b];
	archive->tag[b] = kept;
}

static void sift_down(struct pareto *archive, size_t root, size_t n)
{
	for (size_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && comes_before(archive, child, child + 1))
			child++;
		if (!comes_before(archive, root, child))
			return;
		swap_points(archive, root, child);
	}
}

static bool is_sorted(const struct pareto *archive)
{
	for (size_t i = 1; i < archive->n; i++)
		if (!comes_before(archive, i - 1, i))
			return false;
	return true;
}

size_t pareto_least(const struct pareto *archive, unsigned objective)
{
	const double *value = archive->objective + objective;
	size_t least = 0;
	assert(objective < archive->n_objective);
	for (size_t i = 1; i < archive->n; i++)
		least = value[i * archive->n_objective] < value[least * archive->n_objective] ? i : least;
	return least;
}

/* Heap sort, because it needs no memory and so cannot fail. What pareto_insert_all left is in order already. */
void pareto_sort(struct pareto *archive)
{
	if (is_sorted(archive))
		return;
	for (size_t i = archive->n / 2; i-- > 0;)
		sift_down(archive, i, archive->n);
	for (size_t i = archive->n; i-- > 1;) {
		swap_points(archive, 0, i);
		sift_down(archive, 0, i);
	}
	assert(is_sorted(archive));
}

bool pareto_append(struct pareto *batch, const double *objective, const uint32_t *genome, uint64_t tag)
{
	assert(objective && (genome || batch->n_gene == 0));
	if (!has_room(batch))
		return false;
	write_point(batch, batch->n++, objective, genome, tag);
	return true;
}

bool pareto_extend(struct pareto *batch, size_t n)
{
	assert(batch->n == 0);
	if (!grow_archive(batch, n + 1)) {
		pareto_free(batch);
		return false;
	}
	batch->n = n;
	return true;
}

/* The points of an archive and of a batch, numbered through. */
struct both {
	const struct pareto *archive, *batch;
};

static const struct pareto *side_of(const struct both *both, uint32_t number, size_t *at)
{
	bool is_first = number < both->archive->n;
	*at = is_first ? number : number - both->archive->n;
	return is_first ? both->archive : both->batch;
}

static bool number_comes_before(const struct both *both, uint32_t a, uint32_t b)
{
	size_t at_a, at_b;
	const struct pareto *left = side_of(both, a, &at_a), *right = side_of(both, b, &at_b);
	return is_before(left, at_a, right, at_b);
}

/* Where the run of numbers that begins there ends: up to it they are in order. */
static size_t end_of_run(const struct both *both, const uint32_t *number, size_t begin, size_t n)
{
	size_t end = begin + 1;
	while (end < n && !number_comes_before(both, number[end], number[end - 1]))
		end++;
	return end;
}

static void merge_runs(const struct both *both, const uint32_t *from, size_t n_first, size_t n, uint32_t *to)
{
	size_t a = 0, b = n_first;
	for (size_t i = 0; i < n; i++) {
		bool first = a < n_first && (b == n || !number_comes_before(both, from[b], from[a]));
		to[i] = first ? from[a++] : from[b++];
	}
}

/*
 * Numbers of all points by objectives, then genome; scratch [n]. What comes in order, as archives do and the fronts of
 * compositions, is merged run by run: twenty times faster than a sort of everything.
 */
static void sort_numbers(const struct both *both, size_t n, uint32_t *number, uint32_t *scratch)
{
	for (size_t i = 0; i < n; i++)
		number[i] = (uint32_t)i;
	for (size_t n_run = 2; n_run > 1;) {
		n_run = 0;
		for (size_t begin = 0, end; begin < n; begin = end, n_run++) {
			size_t middle = end_of_run(both, number, begin, n);
			end = middle < n ? end_of_run(both, number, middle, n) : n;
			merge_runs(both, number + begin, middle - begin, end - begin, scratch + begin);
		}
		memcpy(number, scratch, n * sizeof(*number));
	}
}

/* What stays of archive and batch on its way into made. */
struct archive_move {
	const struct both *both;
	const uint32_t *number; /* [made->n] */
	struct pareto *made;
};

static void move_chunk(void *context, size_t chunk)
{
	const struct archive_move *move = context;
	size_t end = (chunk + 1) * MOVE_CHUNK, at;
	for (size_t i = chunk * MOVE_CHUNK; i < end && i < move->made->n; i++) {
		const struct pareto *side = side_of(move->both, move->number[i], &at);
		write_point(move->made, i, objective_of(side, at), genome_of(side, at), side->tag[at]);
	}
}

/* Numbers of those of archive and batch that nothing dominates, of equal ones the first genome's, in order. */
static bool find_kept(const struct both *both, uint32_t *number, size_t *n_kept)
{
	size_t n = both->archive->n + both->batch->n, at, n_found = 0;
	unsigned n_objective = both->batch->n_objective;
	struct arena arena = {0};
	double *sorted = arena_array(&arena, n, n_objective * sizeof(*sorted));
	bool *keep = arena_array(&arena, n, sizeof(*keep)), done = !arena.is_out;
	if (done)
		sort_numbers(both, n, number, number + n);
	for (size_t i = 0; done && i < n; i++) {
		const struct pareto *side = side_of(both, number[i], &at);
		memcpy(sorted + i * n_objective, objective_of(side, at), n_objective * sizeof(*sorted));
	}
	if (done && n_objective <= MAX_ORDERED)
		done = nondominated_filter_ordered(sorted, n, n_objective, keep, n_kept);
	else
		done = done && nondominated_filter(sorted, n, n_objective, keep, n_kept);
	for (size_t i = 0; done && i < n; i++)
		if (keep[i])
			number[n_found++] = number[i];
	assert(!done || n_found == *n_kept);
	arena_free(&arena);
	return done;
}

/* Whether all of the batch stays, in its order, and nothing of the archive: then its memory need not be copied. */
static bool is_batch(const struct both *both, const uint32_t *number, size_t n_kept)
{
	bool is_same = n_kept == both->batch->n;
	for (size_t i = 0; i < n_kept && is_same; i++)
		is_same = number[i] == both->archive->n + i;
	return is_same;
}

bool pareto_insert_all(struct pareto *archive, struct pareto *batch, unsigned n_thread)
{
	const struct both both = {archive, batch};
	size_t n = archive->n + batch->n, n_kept = 0;
	struct pareto made;
	assert(archive->n_objective == batch->n_objective && archive->n_gene == batch->n_gene);
	assert(n < UINT32_MAX && n_thread > 0);
	pareto_init(&made, batch->n_objective, batch->n_gene);
	uint32_t *number = malloc((2 * n + 1) * sizeof(*number));
	bool done = number && find_kept(&both, number, &n_kept);
	if (done && is_batch(&both, number, n_kept)) {
		made = *batch;
		pareto_init(batch, made.n_objective, made.n_gene);
	} else if (done && grow_archive(&made, n_kept + 1)) {
		struct archive_move move = {&both, number, &made};
		made.n = n_kept;
		parallel_for(ceil_div(n_kept, MOVE_CHUNK), n_thread, move_chunk, &move);
	} else {
		done = false;
		pareto_free(&made);
	}
	free(number);
	pareto_free(archive);
	*archive = made;
	pareto_free(batch);
	return done;
}

void pareto_pack(struct pareto *archive, const uint32_t *n_value, struct pack *pack)
{
	size_t n = archive->n, point_byte = 8 * archive->n_objective + 4 * archive->n_gene + 8;
	pack_count(pack, &n, point_byte);
	if (pack->is_reading && pack_refuse(pack, !pack->failed && !grow_archive(archive, n + 1)))
		return;
	pack_reals(pack, archive->objective, n * archive->n_objective);
	pack_u32s(pack, archive->genome, n * archive->n_gene);
	pack_u64s(pack, archive->tag, n);
	for (size_t i = 0; n_value && i < n * archive->n_gene && !pack->failed; i++)
		(void)pack_refuse(pack, archive->genome[i] >= n_value[i % archive->n_gene]);
	if (pack->is_reading)
		archive->n = pack->failed ? 0 : n;
}
