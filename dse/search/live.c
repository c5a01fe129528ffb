/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/live.h"
#include "dse/out/colour.h"
#include "dse/out/progress.h"
#include "dse/keep/output_file.h"
#include "dse/search/live_print.h"
#include "sim/base/stop.h"
#include "dse/pareto/quality.h"
#include "dse/out/terminal.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_MS 170 /* six pictures a second at most */
#define WAIT_MS 340   /* nothing for runs that end at once */
#define MAX_DRAWN 20000
#define MAX_MEASURED_4D 2000
#define N_SAMPLE 18 /* of the number of evaluations, for their rate: three seconds */
/* Measuring a hypervolume takes one part in so many of the drawing thread's time. */
#define MEASURE_SHARE 50

/* What points are; later ones are shown rather than earlier ones. */
enum points_kind { POINTS_NONE, POINTS_LAYER, POINTS_SAMPLE, POINTS_FRONT };

struct points {
	enum points_kind kind;
	uint64_t version; /* counts up with each change */
	size_t n, n_drawn, n_alloc;
	unsigned n_objective;
	double *objective; /* [n_drawn][n_objective] */
	enum metric metric[PARETO_MAX_OBJECTIVE];
	char layer[96];
};

struct live {
	const struct space *space; /* NULL: nothing is drawn */
	struct live_axes axes;
	uint64_t start_ms, stop_ms;
	char title[160];

	/* What the search leaves. */
	_Atomic double done_frac, gap_frac;
	uint64_t gap_begin_ms, gap_end_ms; /* when it was measured last */
	atomic_int phase;
	atomic_uint_fast64_t n_evaluation, first, last, n_machine, n_search, n_search_done;
	atomic_int wants; /* the least kind of points that are asked for; POINTS_NONE: none are */
	pthread_mutex_t mutex;
	pthread_cond_t wakes;
	bool ends;
	struct points left; /* points left for the drawing thread */

	/* The drawing thread's. */
	pthread_t thread;
	struct points shown;
	double hypervolume_frac;
	size_t knee;
	uint64_t measured_version, measure_ms, measured_at_ms;
	struct {
		uint64_t ms, n;
	} sample[N_SAMPLE];
	size_t n_sample;
	struct progress_left time_left;
	unsigned n_line, n_column;
	unsigned width[64]; /* of the lines drawn */
	struct live_text text;
	char drawn[LIVE_TEXT_SIZE + 1024]; /* of text and codes for the terminal */
};

/* ---- options ---------------------------------------------------------------------------------- */

static bool find_objective(const struct space *space, const char *name, size_t n_byte, unsigned *index)
{
	for (unsigned i = 0; i < space->n_objective; i++) {
		const char *known = metric_table[space->objective[i]].name;
		*index = i;
		if (strlen(known) == n_byte && strncmp(known, name, n_byte) == 0)
			return true;
	}
	return false;
}

enum err_code live_parse(const char *text, const struct space *space, struct live_axes *axes, struct err *err)
{
	char known[SPACE_MAX_OBJECTIVE * 32] = "";
	assert(space->n_objective >= 1 && axes);
	*axes = (struct live_axes){.x = 0, .y = space->n_objective > 1 ? 1 : 0};
	if (!text)
		return ERR_OK;
	axes->only_line = strcmp(text, "line") == 0;
	size_t n_x = strcspn(text, ",");
	bool is_known = axes->only_line ||
	                (text[n_x] == ',' && find_objective(space, text, n_x, &axes->x) &&
	                 find_objective(space, text + n_x + 1, strlen(text + n_x + 1), &axes->y) && axes->x != axes->y);
	if (is_known)
		return ERR_OK;
	for (size_t i = 0, n = 0; i < space->n_objective && n < sizeof(known); i++)
		n += (size_t)snprintf(known + n, sizeof(known) - n, "%s%s", i ? ", " : "",
		                      metric_table[space->objective[i]].name);
	return err_add(err, ERR_USAGE,
	               "dse explore: --live is '%.80s', allowed are two of %s with a comma between, or line", text,
	               known);
}

/* ---- what the search leaves ------------------------------------------------------------------- */

void live_set_done(struct live *live, double done_frac)
{
	if (live)
		atomic_store_explicit(&live->done_frac, done_frac, memory_order_relaxed);
}

void live_set_phase(struct live *live, enum live_phase phase)
{
	if (live)
		atomic_store_explicit(&live->phase, (int)phase, memory_order_relaxed);
}

void live_add_evaluations(struct live *live, uint64_t n)
{
	if (live)
		atomic_fetch_add_explicit(&live->n_evaluation, n, memory_order_relaxed);
}

void live_set_evaluations(struct live *live, uint64_t n)
{
	if (live)
		atomic_store_explicit(&live->n_evaluation, n, memory_order_relaxed);
}

void live_set_machines(struct live *live, uint64_t first, uint64_t last, uint64_t n, size_t n_search)
{
	if (!live)
		return;
	atomic_store_explicit(&live->first, first, memory_order_relaxed);
	atomic_store_explicit(&live->last, last, memory_order_relaxed);
	atomic_store_explicit(&live->n_machine, n, memory_order_relaxed);
	atomic_store_explicit(&live->n_search, n_search, memory_order_relaxed);
	atomic_store_explicit(&live->n_search_done, 0, memory_order_relaxed);
	live_set_phase(live, LIVE_LAYERS);
}

void live_add_search(struct live *live)
{
	if (live)
		atomic_fetch_add_explicit(&live->n_search_done, 1, memory_order_relaxed);
}

bool live_wants_gap(struct live *live)
{
	uint64_t now_ms = stop_now_ms();
	if (!live || !live->space || now_ms < live->gap_end_ms + MEASURE_SHARE * (live->gap_end_ms - live->gap_begin_ms))
		return false;
	live->gap_begin_ms = now_ms;
	return true;
}

void live_set_gap(struct live *live, double gap_frac)
{
	if (!live)
		return;
	live->gap_end_ms = stop_now_ms();
	atomic_store_explicit(&live->gap_frac, gap_frac, memory_order_relaxed);
}

/* Of very many points every so many-th; the front is sorted or not, either way they spread over it. */
static bool copy_points(struct points *to, const struct pareto *from)
{
	size_t stride = from->n / MAX_DRAWN + 1, n = (from->n + stride - 1) / stride, n_number = n * from->n_objective;
	if (n_number > to->n_alloc) {
		double *objective = realloc(to->objective, n_number * sizeof(*objective));
		if (!objective)
			return false;
		to->objective = objective;
		to->n_alloc = n_number;
	}
	for (size_t i = 0; i < n; i++)
		memcpy(to->objective + i * from->n_objective, from->objective + i * stride * from->n_objective,
		       from->n_objective * sizeof(*to->objective));
	to->n = from->n;
	to->n_drawn = n;
	to->n_objective = from->n_objective;
	return true;
}

static void leave_points(struct live *live, enum points_kind kind, const struct pareto *points,
                         const enum metric *metric, const char *layer)
{
	if (!live || points->n == 0 || points->n_objective > PARETO_MAX_OBJECTIVE)
		return;
	int wanted = atomic_load_explicit(&live->wants, memory_order_relaxed);
	if (wanted == POINTS_NONE || (int)kind < wanted)
		return;
	(void)pthread_mutex_lock(&live->mutex);
	struct points *left = &live->left;
	if (kind >= left->kind && copy_points(left, points)) {
		left->kind = kind;
		left->version++;
		memcpy(left->metric, metric, points->n_objective * sizeof(*metric));
		(void)snprintf(left->layer, sizeof(left->layer), "%s", layer);
		atomic_store_explicit(&live->wants, POINTS_NONE, memory_order_relaxed);
	}
	(void)pthread_mutex_unlock(&live->mutex);
}

void live_show_front(struct live *live, const struct pareto *front)
{
	if (live && live->space)
		leave_points(live, POINTS_FRONT, front, live->space->objective, "");
}

void live_show_sample(struct live *live, const struct pareto *sample)
{
	if (live && live->space)
		leave_points(live, POINTS_SAMPLE, sample, live->space->objective, "");
}

void live_show_layer(struct live *live, const char *layer, const enum metric *metric, const struct pareto *front)
{
	leave_points(live, POINTS_LAYER, front, metric, layer);
}

/* ---- drawing ---------------------------------------------------------------------------------- */

/* Take over what was left, and ask for more. */
static void take_points(struct live *live)
{
	struct points *left = &live->left, *shown = &live->shown;
	(void)pthread_mutex_lock(&live->mutex);
	if (left->version != shown->version) {
		struct points old = *shown;
		*shown = *left;
		*left = old; /* its memory is written next */
		left->kind = shown->kind;
		left->version = shown->version;
	}
	int least = shown->kind > POINTS_LAYER ? (int)shown->kind : POINTS_LAYER;
	atomic_store_explicit(&live->wants, least, memory_order_relaxed);
	(void)pthread_mutex_unlock(&live->mutex);
}

/* Only of the points that are all of the space's objectives; in four of them measuring takes a front's square. */
static void measure_so_far(struct live *live, uint64_t now_ms)
{
	const struct points *points = &live->shown;
	const struct pareto front = {
	    .n_objective = points->n_objective, .n = points->n_drawn, .objective = points->objective};
	struct quality quality;
	if (points->kind < POINTS_SAMPLE) {
		live->hypervolume_frac = NAN;
		live->knee = SIZE_MAX;
		return;
	}
	if (points->version == live->measured_version ||
	    now_ms < live->measured_at_ms + MEASURE_SHARE * live->measure_ms)
		return;
	bool is_measured = (front.n_objective < 4 || front.n <= MAX_MEASURED_4D) && quality_of_front(&front, &quality);
	live->hypervolume_frac = is_measured && points->n_drawn == points->n ? quality.hypervolume_frac : NAN;
	live->knee = is_measured ? quality.knee : SIZE_MAX;
	live->measured_version = points->version;
	live->measured_at_ms = stop_now_ms();
	live->measure_ms = live->measured_at_ms - now_ms;
}

/* Over the last seconds, because a search that goes on from a journal begins with what it need not evaluate. */
static double find_rate(struct live *live, uint64_t now_ms, uint64_t n)
{
	size_t at = live->n_sample % N_SAMPLE;
	size_t oldest = live->n_sample < N_SAMPLE ? 0 : (live->n_sample + 1) % N_SAMPLE;
	live->sample[at].ms = now_ms;
	live->sample[at].n = n;
	live->n_sample++;
	uint64_t ms = now_ms - live->sample[oldest].ms;
	return ms >= PERIOD_MS ? 1000.0 * (double)(n - live->sample[oldest].n) / (double)ms : NAN;
}

static void print_phase(struct live *live, char *text, size_t n_byte)
{
	static const char *const name[LIVE_N_PHASE] = {[LIVE_BEGIN] = "preparing",
	                                               [LIVE_BOUND] = "bounds of machines",
	                                               [LIVE_COMPOSE] = "composing",
	                                               [LIVE_FLAT] = "searching whole networks"};
	int phase = atomic_load_explicit(&live->phase, memory_order_relaxed);
	uint64_t first = atomic_load_explicit(&live->first, memory_order_relaxed);
	uint64_t last = atomic_load_explicit(&live->last, memory_order_relaxed);
	uint64_t n_machine = atomic_load_explicit(&live->n_machine, memory_order_relaxed);
	char machines[80] = "";
	if (last > first)
		(void)snprintf(machines, sizeof(machines), "machines %" PRIu64 " to %" PRIu64 " of %" PRIu64, first,
		               last, n_machine);
	else
		(void)snprintf(machines, sizeof(machines), "machine %" PRIu64 " of %" PRIu64, first, n_machine);
	if (phase == LIVE_LAYERS)
		(void)snprintf(text, n_byte, "%s, layer search %" PRIu64 " of %" PRIu64, machines,
		               (uint64_t)atomic_load_explicit(&live->n_search_done, memory_order_relaxed),
		               (uint64_t)atomic_load_explicit(&live->n_search, memory_order_relaxed));
	else if (phase == LIVE_COMPOSE)
		(void)snprintf(text, n_byte, "%s, composing", machines);
	else
		(void)snprintf(text, n_byte, "%s", name[phase]);
}

/* How far it is, by the search or by its time, whichever ends it first. */
static void find_done(struct live *live, struct live_view *view)
{
	double done_frac = fmin(1.0, atomic_load_explicit(&live->done_frac, memory_order_relaxed));
	double all_s = live->stop_ms > 0 ? (double)(live->stop_ms - live->start_ms) / 1000.0 : INFINITY;
	view->done_frac = fmin(1.0, fmax(done_frac, view->elapsed_s / all_s));
	view->left_s = progress_left_s(&live->time_left, view->elapsed_s, view->done_frac);
}

static void set_points(const struct live *live, struct live_view *view)
{
	const struct points *points = &live->shown;
	view->n_point = points->n;
	view->n_drawn = points->n_drawn;
	view->n_objective = points->n_objective;
	view->objective = points->objective;
	view->hypervolume_frac = live->hypervolume_frac;
	view->knee = live->knee;
	for (unsigned i = 0; i < points->n_objective; i++)
		view->name[i] = metric_table[points->metric[i]].name;
	view->x = live->axes.x;
	view->y = live->axes.y;
	if (points->kind == POINTS_LAYER) {
		view->x = 0;
		view->y = points->n_objective > 1 ? 1 : 0;
		(void)snprintf(view->what, sizeof(view->what), "front of layer %.96s", points->layer);
	} else {
		(void)snprintf(view->what, sizeof(view->what), "%s",
		               points->kind == POINTS_SAMPLE ? "front of a sample" : "front so far");
	}
}

/*
 * To the first line of what was drawn. Terminals that became narrower have wrapped its lines, most of them; there are
 * as many more of them then.
 */
static size_t print_return(const struct live *live, unsigned n_column, unsigned n_row, char *text, size_t n_byte)
{
	unsigned n_up = 0; /* the cursor is below the picture, where a shell goes on if the program is killed */
	for (unsigned i = 0; i < live->n_line; i++)
		n_up += live->width[i] > n_column ? (live->width[i] + n_column - 1) / n_column : 1;
	n_up = n_up < n_row ? n_up : n_row - 1;
	int n = n_up > 0 ? snprintf(text, n_byte, "\r\033[%uA", n_up) : snprintf(text, n_byte, "\r");
	return n > 0 ? (size_t)n : 0;
}

/* Before each line's end comes the code that clears its rest, after the last one that for the rest of the screen. */
static void draw(struct live *live, unsigned n_column, unsigned n_row)
{
	static char const clear_line[] = "\033[K", clear_below[] = "\033[J";
	const struct live_text *from = &live->text;
	char *text = live->drawn;
	size_t n = print_return(live, n_column, n_row, text, sizeof(live->drawn));
	for (const char *line = from->text; *line;) {
		size_t n_line = strcspn(line, "\n");
		memcpy(text + n, line, n_line);
		n += n_line;
		memcpy(text + n, clear_line, sizeof(clear_line) - 1);
		n += sizeof(clear_line) - 1;
		text[n++] = '\n';
		line += n_line + 1;
	}
	memcpy(text + n, clear_below, sizeof(clear_below) - 1);
	/* all of it at once, past stdio: the search may be writing to stderr, too */
	(void)output_file_write_all(STDERR_FILENO, text, n + sizeof(clear_below) - 1);
	live->n_line = from->n_line;
	memcpy(live->width, from->width, sizeof(live->width));
}

static void show(struct live *live)
{
	uint64_t now_ms = stop_now_ms();
	struct live_view view = {.only_line = live->axes.only_line, .is_utf8 = terminal_is_utf8()};
	if (!terminal_size(stderr, &view.n_column, &view.n_row)) {
		view.n_column = 80;
		view.n_row = 2;
		view.only_line = true;
	}
	take_points(live);
	measure_so_far(live, now_ms);
	set_points(live, &view);
	view.is_coloured = colour_is_on(stderr);
	view.n_evaluation = atomic_load_explicit(&live->n_evaluation, memory_order_relaxed);
	view.evaluations_per_s = find_rate(live, now_ms, view.n_evaluation);
	view.gap_frac = atomic_load_explicit(&live->gap_frac, memory_order_relaxed);
	view.elapsed_s = (double)(now_ms - live->start_ms) / 1000.0;
	find_done(live, &view);
	(void)snprintf(view.title, sizeof(view.title), "%s", live->title);
	print_phase(live, view.phase, sizeof(view.phase));
	live_print(&view, &live->text);
	draw(live, view.n_column, view.n_row);
}

/* When the next picture is due, by the clock that the condition waits by. */
static struct timespec after_ms(unsigned ms)
{
	struct timespec time;
	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_nsec += (long)ms * 1000000L;
	time.tv_sec += time.tv_nsec / 1000000000L;
	time.tv_nsec %= 1000000000L;
	return time;
}

static void *run(void *context)
{
	struct live *live = context;
	unsigned wait_ms = WAIT_MS;
	(void)pthread_mutex_lock(&live->mutex);
	while (!live->ends) {
		struct timespec due = after_ms(wait_ms);
		int code = 0;
		while (!live->ends && code == 0)
			code = pthread_cond_timedwait(&live->wakes, &live->mutex, &due);
		wait_ms = PERIOD_MS;
		if (live->ends)
			break;
		(void)pthread_mutex_unlock(&live->mutex);
		show(live);
		(void)pthread_mutex_lock(&live->mutex);
	}
	(void)pthread_mutex_unlock(&live->mutex);
	return NULL;
}

/* Signals are for the thread that searches; this one is out of their way. */
static bool start_thread(struct live *live)
{
	sigset_t all, before;
	pthread_condattr_t attributes;
	(void)sigfillset(&all);
	if (pthread_condattr_init(&attributes) != 0)
		return false;
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	bool is_fine = pthread_mutex_init(&live->mutex, NULL) == 0 && pthread_cond_init(&live->wakes, &attributes) == 0;
	(void)pthread_condattr_destroy(&attributes);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	is_fine = is_fine && pthread_create(&live->thread, NULL, run, live) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return is_fine;
}

struct live *live_start(const struct space *space, const char *engine, const struct live_axes *axes, uint64_t stop_ms)
{
	assert(space && engine && axes && space->n_objective >= 1);
	struct live *live = terminal_obeys(stderr) ? calloc(1, sizeof(*live)) : NULL;
	if (!live)
		return NULL;
	live->space = space;
	if (axes->x < space->n_objective && axes->y < space->n_objective)
		live->axes = *axes; /* else the one objective of a search for a misfit: a line */
	if (live->axes.x == live->axes.y && space->n_objective > 1)
		live->axes.y = live->axes.x == 0 ? 1 : 0; /* nobody chose */
	live->start_ms = stop_now_ms();
	live->stop_ms = stop_ms;
	live->knee = SIZE_MAX;
	live->hypervolume_frac = NAN;
	(void)snprintf(live->title, sizeof(live->title), "%.96s, %s", space->name, engine);
	atomic_init(&live->wants, POINTS_LAYER);
	atomic_init(&live->gap_frac, INFINITY);
	if (start_thread(live))
		return live;
	free(live);
	return NULL;
}

struct live *live_start_silent(void)
{
	struct live *live = calloc(1, sizeof(*live));
	if (!live)
		return NULL;
	live->start_ms = stop_now_ms();
	atomic_init(&live->wants, POINTS_NONE);
	atomic_init(&live->gap_frac, INFINITY);
	return live;
}

void live_read(struct live *live, struct live_numbers *numbers)
{
	struct live_view view = {.elapsed_s = (double)(stop_now_ms() - live->start_ms) / 1000.0};
	find_done(live, &view);
	*numbers = (struct live_numbers){
	    .done_frac = view.done_frac,
	    .elapsed_s = view.elapsed_s,
	    .left_s = view.left_s,
	    .n_evaluation = atomic_load_explicit(&live->n_evaluation, memory_order_relaxed),
	    .first = atomic_load_explicit(&live->first, memory_order_relaxed),
	    .last = atomic_load_explicit(&live->last, memory_order_relaxed),
	    .n_machine = atomic_load_explicit(&live->n_machine, memory_order_relaxed),
	    .n_search = atomic_load_explicit(&live->n_search, memory_order_relaxed),
	    .n_search_done = atomic_load_explicit(&live->n_search_done, memory_order_relaxed),
	};
	print_phase(live, numbers->phase, sizeof(numbers->phase));
}

void live_end(struct live *live)
{
	char text[64];
	if (!live)
		return;
	if (!live->space) {
		free(live);
		return;
	}
	(void)pthread_mutex_lock(&live->mutex);
	live->ends = true;
	(void)pthread_cond_signal(&live->wakes);
	(void)pthread_mutex_unlock(&live->mutex);
	(void)pthread_join(live->thread, NULL);
	if (live->n_line > 0) {
		unsigned n_column = 80, n_row = 24;
		(void)terminal_size(stderr, &n_column, &n_row);
		size_t n = print_return(live, n_column, n_row, text, sizeof(text) - 8);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "\033[J");
		(void)output_file_write_all(STDERR_FILENO, text, n);
	}
	(void)pthread_cond_destroy(&live->wakes);
	(void)pthread_mutex_destroy(&live->mutex);
	free(live->left.objective);
	free(live->shown.objective);
	free(live);
}
