/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes of a layer's splits. For each strategy, operand kept and operand two trees cover all splits: input channels
 * whole, and split. A line is a box; one that is halved is followed by its halves, so no split can be left out.
 *
 *   s DIM AT     halved at choice AT of dimension DIM (d, w, h, c)
 *   x            no design of it runs: the mapper's bound says so
 *   c ...        cut; for each operating point `P K`: the bound is at least (1 + K/1000) times point P of the layer, or
 *                `l`: it exceeds a limit, or no design can be counted
 *   e ...        one split, priced; for each operating point P: it is nowhere below point P, `l`: over a limit, or `x`:
 *                it does not run
 */
#include "dse/certify/certify_parts.h"
#include <assert.h>
#include <string.h>

struct boxes {
	struct certify_reader *reader;
	const struct certify_layer *layer;
	unsigned n_metric;
	const enum metric *metric;
	const struct certify_points *points;
	struct certify_report *report;
	struct certify_design root; /* strategy, reuse, operand */
	struct layer_design design; /* of them */
};

/* Boxes within boxes; a search halves numbers of parts and lists of splits, some dozen times each. */
#define MAX_DEPTH 1000

struct box {
	uint32_t first[N_BOUND_DIM], last[N_BOUND_DIM];
	unsigned depth;
};

/* Whether values are nowhere below a point that is made larger by so many thousandths. */
static bool is_behind(const struct boxes *boxes, const double *value, uint64_t point, uint64_t permille)
{
	const double *own = boxes->points->value + point * boxes->n_metric;
	for (unsigned i = 0; i < boxes->n_metric; i++)
		if (!(own[i] * (1 + (double)permille / 1000) <= value[boxes->metric[i]]))
			return false;
	return true;
}

/* The next word is this letter alone. */
static bool takes_letter(struct certify_reader *reader, char letter)
{
	while (*reader->at == ' ')
		reader->at++;
	if (reader->at[0] != letter || (reader->at[1] != ' ' && reader->at[1] != '\0'))
		return false;
	reader->at++;
	return true;
}

static bool take_point(const struct boxes *boxes, uint64_t *point)
{
	if (!certify_number(boxes->reader, UINT32_MAX, point))
		return false;
	return *point < boxes->points->n ||
	       certify_refuse(boxes->reader, ERR_GATE, "point %llu of a layer that has %zu", (unsigned long long)*point,
	                      boxes->points->n);
}

static struct dim_range range_of(const struct boxes *boxes, const struct box *box, int dim)
{
	const struct certify_layer *layer = boxes->layer;
	return bound_range(layer->splits[dim]->split, box->first[dim], box->last[dim], layer->extent[dim],
	                   layer->step[dim]);
}

/* The mapper's bound of a box; false: no design of it runs. */
static bool bound_box(const struct boxes *boxes, const struct box *box, struct range_bound *bound)
{
	const struct split_range range = {.d = range_of(boxes, box, BOUND_D),
	                                  .w = range_of(boxes, box, BOUND_W),
	                                  .h = range_of(boxes, box, BOUND_H),
	                                  .c = range_of(boxes, box, BOUND_C)};
	struct verdict verdict;
	return mapper_bound_range(&boxes->layer->context[boxes->root.operand], &boxes->design, &range, true, bound,
	                          &verdict);
}

static bool check_cut(const struct boxes *boxes, const struct box *box)
{
	const struct certify_layer *layer = boxes->layer;
	struct range_bound bound;
	if (!bound_box(boxes, box, &bound)) /* no design runs: what was said is true of all of them */
		return certify_refuse(boxes->reader, ERR_GATE, "a bound of a box in which no design runs");
	for (uint32_t l = 0; l < layer->n_level; l++) {
		double value[N_METRIC];
		uint64_t point, permille;
		bool is_counted = bound_metrics(layer->space, &layer->context[boxes->root.operand], &bound,
		                                layer->level[l], false, NULL, value);
		if (takes_letter(boxes->reader, 'l')) {
			if (is_counted && !certify_over_limit(layer, value))
				return certify_refuse(boxes->reader, ERR_GATE,
				                      "operating point %u: the bound exceeds no limit", l);
			continue;
		}
		if (!take_point(boxes, &point) || !certify_number(boxes->reader, 1000000, &permille))
			return false;
		if (!is_behind(boxes, value, point, permille))
			return certify_refuse(boxes->reader, ERR_GATE,
			                      "operating point %u: the box's bound is not %llu/1000 above point %llu",
			                      l, (unsigned long long)permille, (unsigned long long)point);
	}
	boxes->report->n_cut++;
	return certify_end(boxes->reader);
}

static bool check_priced(const struct boxes *boxes, const struct box *box)
{
	struct certify_design design = boxes->root;
	for (int i = 0; i < N_BOUND_DIM; i++) {
		if (box->last[i] != box->first[i] + 1)
			return certify_refuse(boxes->reader, ERR_GATE, "a box of more than one split cannot be priced");
		design.split[i] = box->first[i];
	}
	for (design.level = 0; design.level < boxes->layer->n_level; design.level++) {
		double value[N_METRIC];
		uint64_t point;
		bool runs = certify_price(boxes->layer, &design, value);
		if (takes_letter(boxes->reader, 'x')) {
			if (runs)
				return certify_refuse(boxes->reader, ERR_GATE, "operating point %u: the design runs",
				                      design.level);
		} else if (takes_letter(boxes->reader, 'l')) {
			if (runs && !certify_over_limit(boxes->layer, value))
				return certify_refuse(boxes->reader, ERR_GATE,
				                      "operating point %u: the design exceeds no limit", design.level);
		} else if (!take_point(boxes, &point)) {
			return false;
		} else if (runs && !is_behind(boxes, value, point, 0)) {
			return certify_refuse(boxes->reader, ERR_GATE,
			                      "operating point %u: the design is below point %llu somewhere",
			                      design.level, (unsigned long long)point);
		}
	}
	boxes->report->n_priced++;
	return certify_end(boxes->reader);
}

static bool check_infeasible(const struct boxes *boxes, const struct box *box)
{
	struct range_bound bound;
	if (bound_box(boxes, box, &bound))
		return certify_refuse(boxes->reader, ERR_GATE, "designs of the box may run, as far as its bound says");
	boxes->report->n_infeasible++;
	return certify_end(boxes->reader);
}

static bool check_box(const struct boxes *boxes, const struct box *box);

static bool check_halves(const struct boxes *boxes, const struct box *box)
{
	static const char name[N_BOUND_DIM] = {'d', 'w', 'h', 'c'};
	int dim = 0;
	uint64_t at;
	while (dim < N_BOUND_DIM && !takes_letter(boxes->reader, name[dim]))
		dim++;
	if (dim == N_BOUND_DIM)
		return certify_refuse(boxes->reader, ERR_INPUT, "found '%.40s', expected a dimension: d, w, h or c",
		                      certify_rest(boxes->reader));
	if (!certify_number(boxes->reader, UINT32_MAX, &at) || !certify_end(boxes->reader))
		return false;
	if (at <= box->first[dim] || at >= box->last[dim])
		return certify_refuse(boxes->reader, ERR_GATE,
		                      "the box cannot be halved there: it has choices %u to %u", box->first[dim],
		                      box->last[dim] - 1);
	if (box->depth == MAX_DEPTH)
		return certify_refuse(boxes->reader, ERR_INPUT, "boxes in more than %d boxes", MAX_DEPTH);
	struct box half[2] = {*box, *box};
	half[0].depth = half[1].depth = box->depth + 1;
	half[0].last[dim] = half[1].first[dim] = (uint32_t)at;
	return check_box(boxes, &half[0]) && check_box(boxes, &half[1]);
}

static bool check_box(const struct boxes *boxes, const struct box *box)
{
	if (!certify_next_line(boxes->reader))
		return false;
	boxes->report->n_box++;
	if (takes_letter(boxes->reader, 's'))
		return check_halves(boxes, box);
	if (takes_letter(boxes->reader, 'c'))
		return check_cut(boxes, box);
	if (takes_letter(boxes->reader, 'x'))
		return check_infeasible(boxes, box);
	if (takes_letter(boxes->reader, 'e'))
		return check_priced(boxes, box);
	return certify_refuse(boxes->reader, ERR_INPUT, "found '%.40s', expected a box: s, c, x or e",
	                      certify_rest(boxes->reader));
}

/* Input channels whole, then split: their partial sums are bounded otherwise. */
static bool check_root(struct boxes *boxes)
{
	const struct certify_layer *layer = boxes->layer;
	const struct certify_splits *d = layer->splits[BOUND_D];
	uint32_t n_whole = 0;
	struct box all = {.depth = 0};
	while (n_whole < d->n && dim_n_part(&d->split[n_whole]) == 1)
		n_whole++;
	for (int i = 0; i < N_BOUND_DIM; i++) {
		all.first[i] = 0;
		all.last[i] = layer->splits[i]->n;
	}
	certify_layer_design(layer, &boxes->root, &boxes->design);
	struct box whole = all, split = all;
	whole.last[BOUND_D] = split.first[BOUND_D] = n_whole;
	return (n_whole == 0 || check_box(boxes, &whole)) && (n_whole == d->n || check_box(boxes, &split));
}

bool certify_boxes(struct certify_reader *reader, const struct certify_layer *layer, unsigned n_metric,
                   const enum metric *metric, const struct certify_points *points, struct certify_report *report)
{
	struct boxes boxes = {.reader = reader,
	                      .layer = layer,
	                      .n_metric = n_metric,
	                      .metric = metric,
	                      .points = points,
	                      .report = report};
	bool good = true;
	for (uint32_t s = 0; s < layer->n_strategy && good; s++)
		for (uint32_t r = 0; r < layer->n_reuse && good; r++)
			for (uint32_t o = 0; o < layer->n_operand && good; o++) {
				boxes.root = (struct certify_design){.strategy = s, .reuse = r, .operand = o};
				good = check_root(&boxes);
			}
	return good;
}
