/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates of random small spaces, and of smoke: they are accepted as written; faults that are planted are refused,
 * each at a line; and whatever else is changed in them, what is accepted is true of all designs, which are tried one by
 * one. Ten faults and ten other changes a space.
 */
#include "tests/support/unit_test.h"

#include "dse/certify/certify.h"
#include "dse/search/certificate_log.h"
#include "sim/base/rng.h"
#include "tests/support/random_network.h"
#include "tests/support/draws.h"
#include "tests/support/space_folder.h"
#include <inttypes.h>
#include <math.h>

enum { TEXT = 4096, N_FAULT_TRY = 40, CHANGES_A_SPACE = 10 };

static uint32_t n_space(void)
{
	return draws(60, 12);
}

/* ---- spaces and their certificates ---- */

/* With all splits of a dimension there are too many designs to try. */
static void write_space(struct rng *rng, bool all_splits)
{
	/* name, a parameter, what else may vary, a layer's choices, a strategy and what else it may have */
	static const char *const one = "noc.clk_mhz: [500]", *const array = ", mla.array: [16x4, 8x4, 4x4]",
				 *const form = "conv_1x1: conv";
	const char *const machine[][6] = {
	    {"dvfs_chip", one, array, form, "fusion", ", fusion_reuse"},
	    {"final_chip", one, array, form, "fusion", ", fusion_reuse"},
	    {"thesis_qpe_dram", one, array, form, "fusion", ", fusion_reuse"},
	    {"edge_tpu", "systolic.dataflow: [any]",
	     ", systolic.array: [8x8, 16x4, 4x4], systolic.filter_byte: [256, 65536]", "level: [f500, f250]",
	     "output_stationary", ", weight_stationary"},
	};
	static const char *const dimension[] = {"width", "height", "out_channels"};
	static const char *const objectives[] = {"latency_ms, energy_mj",
	                                         "energy_mj",
	                                         "latency_ms, energy_mj, mac_units",
	                                         "latency_ms, energy_mj, dram_byte",
	                                         "edp_mj_ms, dram_byte",
	                                         "peak_power_mw, latency_ms"};
	static const char *const more[] = {"",
	                                   "",
	                                   "search: {max_front: 2}\n",
	                                   "search: {max_front: 6}\n",
	                                   "network_result: any\n",
	                                   "constraints: ['mac_units < 9000']\n",
	                                   "deadline_ms: 0.2\n",
	                                   "deadline_ms: 2\n"};
	char text[TEXT], network[TEXT];
	unsigned n_layer;
	random_network(rng, all_splits ? 4 : 3, network, TEXT, &n_layer);
	folder_write("random.yaml", network, "");
	const char *const *own = machine[rng_below(rng, 4)];
	int n = snprintf(text, TEXT, "name: random\nmachine: %s\nnetwork: random.yaml\naxes: {%s%s}\n", own[0], own[1],
	                 rng_below(rng, 2) ? own[2] : "");
	n += snprintf(text + n, TEXT - (size_t)n, "layers:\n  - {match: '.*', split: whole, %s, strategy: [%s%s]}\n",
	              own[3], own[4], rng_below(rng, 2) ? own[5] : "");
	n += snprintf(text + n, TEXT - (size_t)n,
	              "  - match: '_(SC_)?[1-%u]$'\n    split: {%s: {max_parts: %u, choose: %s}}\n", all_splits ? 4 : 1,
	              dimension[rng_below(rng, 3)], 2 + rng_below(rng, 2), all_splits ? "all" : "even");
	(void)snprintf(text + n, TEXT - (size_t)n, "objectives: [%s]\n%s", objectives[rng_below(rng, 6)],
	               more[rng_below(rng, 8)]);
	folder_write("space.yaml", text, "");
}

/* Search a space to its certificate, in certificate.txt; false: of designs near its limits nothing is proven. */
static void write_certificate(const struct space *space, struct explore *explore)
{
	struct certificate_log log;
	struct err err = {0};
	FILE *file = folder_open("certificate.txt");
	assert_int_equal(certificate_log_begin(&log, space, file, &err), ERR_OK);
	const struct explore_options options = {
	    .engine = &engine_exact, .n_thread = 1, .seed = 1, .log = {certificate_log_machine, &log}};
	if (explore_run(space, &options, explore, &err) != ERR_OK ||
	    certificate_log_end(&log, explore, 1, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(fclose(file), 0);
	certificate_log_free(&log);
}

/* ---- certificates as lines ---- */

struct text {
	size_t n;
	char **line; /* [n] */
};

static void free_text(struct text *text)
{
	for (size_t i = 0; i < text->n; i++)
		free(text->line[i]);
	free(text->line);
}

static char *copy_line(const char *line)
{
	size_t n = strlen(line) + 1;
	char *copy = malloc(n);
	assert_non_null(copy);
	memcpy(copy, line, n);
	return copy;
}

static void read_text(struct text *text)
{
	char path[FOLDER_PATH], line[8192];
	FILE *file = fopen(folder_path("certificate.txt", path), "r");
	assert_non_null(file);
	*text = (struct text){0, calloc(1 << 19, sizeof(char *))};
	assert_non_null(text->line);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		assert_true(text->n < (1 << 19) - 2);
		text->line[text->n++] = copy_line(line);
	}
	(void)fclose(file);
}

static struct text copy_text(const struct text *text)
{
	struct text copy = {text->n, calloc(text->n + 2, sizeof(char *))};
	assert_non_null(copy.line);
	for (size_t i = 0; i < text->n; i++)
		copy.line[i] = copy_line(text->line[i]);
	return copy;
}

static void set_line(struct text *text, size_t at, const char *line)
{
	char *copy = copy_line(line);
	free(text->line[at]);
	text->line[at] = copy;
}

static void drop_lines(struct text *text, size_t at, size_t n)
{
	for (size_t i = at; i < at + n; i++)
		free(text->line[i]);
	memmove(text->line + at, text->line + at + n, (text->n - at - n) * sizeof(char *));
	text->n -= n;
}

static enum err_code check_text(const struct text *text, struct err *err)
{
	struct certify_report report;
	char path[FOLDER_PATH];
	FILE *file = folder_open("changed.txt");
	for (size_t i = 0; i < text->n; i++)
		assert_true(fprintf(file, "%s\n", text->line[i]) > 0);
	assert_int_equal(fclose(file), 0);
	return certify_check(folder_path("changed.txt", path), NULL, &report, err);
}

/* A line that begins so, at random; SIZE_MAX: there is none. */
static size_t pick_line(struct rng *rng, const struct text *text, const char *begin)
{
	for (int i = 0; i < 4000; i++) {
		size_t at = rng_below(rng, (uint32_t)text->n);
		if (strncmp(text->line[at], begin, strlen(begin)) == 0)
			return at;
	}
	return SIZE_MAX;
}

/* ---- faults ---- */

/* Number i of a line's words, and where it ends; NULL: there are less. */
static char *find_word(char *line, unsigned i)
{
	for (; i > 0 && line; i--)
		line = strchr(line, ' ') ? strchr(line, ' ') + 1 : NULL;
	return line;
}

/* The line with another word in place of its word i. */
static void replace_word(struct text *text, size_t at, unsigned i, const char *word)
{
	char line[8192];
	const char *own = find_word(text->line[at], i);
	size_t n = (size_t)(own - text->line[at]);
	(void)snprintf(line, sizeof(line), "%.*s%s%s", (int)n, text->line[at], word, own + strcspn(own, " "));
	set_line(text, at, line);
}

/* The real of a word made so many times as large. */
static void scale_word(struct text *text, size_t at, unsigned i, double factor)
{
	char word[40];
	(void)snprintf(word, sizeof(word), "%.17g", strtod(find_word(text->line[at], i), NULL) * factor);
	replace_word(text, at, i, word);
}

enum fault {
	DROP_BOX,      /* a box, cut or halved, is left out */
	RAISE_BOUND,   /* a bound is said to be more than a thousandth larger */
	FORGE_WITNESS, /* a point that is not there cuts a box */
	CUT_TOO_MUCH,  /* a box that was halved is said to be empty, and its halves are left out */
	ALTER_POINT,   /* a layer's design costs something else */
	ALTER_DESIGN,  /* so does a design of the front */
	DROP_LAYER,    /* points and boxes of a layer in a place */
	DROP_MACHINE,  /* all of a machine */
	DROP_FRONT,    /* a point of an exact front */
	LOSE_EPSILON,  /* a thinned front is said to be exact */
	OTHER_FILE,    /* the space was another one */
	N_FAULT
};

static const char *const fault_name[N_FAULT] = {"drop_box",    "raise_bound",  "forge_witness", "cut_too_much",
                                                "alter_point", "alter_design", "drop_layer",    "drop_machine",
                                                "drop_front",  "lose_epsilon", "other_file"};

static bool is_box(const char *line)
{
	return line[1] == '\0' ? line[0] == 'x' : line[1] == ' ' && strchr("sce", line[0]) != NULL;
}

/* Lines of a box and of all in it. */
static size_t count_box(const struct text *text, size_t at)
{
	size_t n = 1;
	if (text->line[at][0] == 's') {
		n += count_box(text, at + 1);
		n += count_box(text, at + n);
	}
	return n;
}

static size_t find_end(const struct text *text, size_t at, const char *begin)
{
	size_t end = at + 1;
	while (strncmp(text->line[end], begin, strlen(begin)) != 0 && strncmp(text->line[end], "machine", 7) != 0 &&
	       strncmp(text->line[end], "front", 5) != 0)
		end++;
	return end;
}

static bool raise_bound(struct rng *rng, struct text *text)
{
	char word[24];
	size_t at = pick_line(rng, text, "c ");
	char *permille = at == SIZE_MAX ? NULL : find_word(text->line[at], 2);
	/* of a bound that is said to be as large as can be, more may be true */
	if (!permille || text->line[at][2] == 'l' || strtoul(permille, NULL, 10) >= 100000)
		return false;
	(void)snprintf(word, sizeof(word), "%lu", strtoul(permille, NULL, 10) + 2 + rng_below(rng, 50));
	replace_word(text, at, 2, word);
	return true;
}

static bool drop_front(struct rng *rng, struct text *text)
{
	size_t at = pick_line(rng, text, "d "), front = 0, n = 1;
	while (strncmp(text->line[front], "front ", 6) != 0)
		front++;
	unsigned long n_front = strtoul(text->line[front] + 6, NULL, 10);
	double epsilon = strtod(find_word(text->line[front], 2), NULL);
	if (at == SIZE_MAX || epsilon > 0)
		return false;
	while (text->line[at + n][0] == 'l')
		n++;
	char line[64];
	(void)snprintf(line, sizeof(line), "front %lu 0", n_front - 1);
	set_line(text, front, line);
	drop_lines(text, at, n);
	return true;
}

/* Only where a certificate needs it: of an exact front, or of one that was thinned. */
static bool lose_epsilon(struct text *text)
{
	for (size_t i = 0; i < text->n; i++) {
		if (strncmp(text->line[i], "front ", 6) != 0)
			continue;
		bool is_thinned = strtod(find_word(text->line[i], 2), NULL) > 1e-6;
		if (is_thinned)
			replace_word(text, i, 2, "0");
		return is_thinned;
	}
	return false;
}

/* false: the certificate has nothing of the kind. */
static bool plant(struct rng *rng, enum fault fault, struct text *text)
{
	size_t at;
	switch (fault) {
	case DROP_BOX:
		at = rng_below(rng, (uint32_t)text->n);
		if (!is_box(text->line[at]))
			return false;
		drop_lines(text, at, rng_below(rng, 2) ? count_box(text, at) : 1);
		return true;
	case RAISE_BOUND:
		return raise_bound(rng, text);
	case FORGE_WITNESS:
		at = pick_line(rng, text, rng_below(rng, 2) ? "c " : "e ");
		if (at == SIZE_MAX || text->line[at][2] == 'l' || text->line[at][2] == 'x')
			return false;
		replace_word(text, at, 1, "4000000");
		return true;
	case CUT_TOO_MUCH:
		if ((at = pick_line(rng, text, "s ")) == SIZE_MAX)
			return false;
		drop_lines(text, at + 1, count_box(text, at) - 1);
		set_line(text, at, "x");
		return true;
	case ALTER_POINT:
		if ((at = pick_line(rng, text, "p ")) == SIZE_MAX)
			return false;
		scale_word(text, at, 9, rng_below(rng, 2) ? 1 + 1e-6 : 1 - 1e-6);
		return true;
	case ALTER_DESIGN:
		if ((at = pick_line(rng, text, "d ")) == SIZE_MAX)
			return false;
		scale_word(text, at, 2, rng_below(rng, 2) ? 1 + 1e-6 : 1 - 1e-6);
		return true;
	case DROP_LAYER:
		if ((at = pick_line(rng, text, "layer ")) == SIZE_MAX)
			return false;
		drop_lines(text, at, find_end(text, at, "layer") - at);
		return true;
	case DROP_MACHINE:
		if ((at = pick_line(rng, text, "machine ")) == SIZE_MAX)
			return false;
		drop_lines(text, at, find_end(text, at, "machine") - at);
		return true;
	case DROP_FRONT:
		return drop_front(rng, text);
	case LOSE_EPSILON:
		return lose_epsilon(text);
	case OTHER_FILE:
		at = 3; /* behind title, model and space */
		text->line[at][5] = text->line[at][5] == '0' ? '1' : '0';
		return true;
	case N_FAULT:
		break;
	}
	return false;
}

struct tally {
	uint32_t n_fault[N_FAULT], n_change, n_accepted, n_thinned, n_cut;
};

/* The first false step is named: file and line. */
static void expect_refused(enum err_code code, struct err *err, const char *what, const struct text *text)
{
	char path[FOLDER_PATH];
	if (code == ERR_OK) {
		for (size_t i = 0; i < text->n && getenv("DRAWS_SHOW"); i++)
			print_message("%s\n", text->line[i]);
		fail_msg("a certificate with the fault %s is accepted", what);
	}
	(void)folder_path("changed.txt", path);
	assert_true(code == ERR_GATE || code == ERR_INPUT);
	assert_non_null(strstr(err_text(err), path));
	assert_true(err_text(err)[strlen(path)] == ':' && err_text(err)[strlen(path) + 1] > '0');
	err_clear(err);
}

/* Whether what a text says of the front is true of all designs: each is covered, and each point is one. */
static bool is_true(const struct text *text, const struct pareto *all)
{
	const unsigned n = all->n_objective;
	size_t at = 0;
	while (strncmp(text->line[at], "front ", 6) != 0)
		at++;
	double epsilon = strtod(find_word(text->line[at], 2), NULL);
	for (size_t i = 0; i < all->n; i++) {
		bool is_covered = false;
		for (size_t line = at; line < text->n && !is_covered; line++) {
			is_covered = text->line[line][0] == 'd';
			for (unsigned k = 0; k < n && is_covered; k++)
				is_covered = strtod(find_word(text->line[line], 2 + k), NULL) <=
				             all->objective[i * n + k] * (1 + epsilon) * (1 + 1e-9);
		}
		if (!is_covered)
			return false;
	}
	return true;
}

/* all NULL: nobody knows all designs. An epsilon may be larger than what was lost. */
static bool may_be_true(enum fault fault, const struct text *changed, const struct pareto *all)
{
	return fault == LOSE_EPSILON && (!all || is_true(changed, all));
}

static void plant_faults(struct rng *rng, const struct text *text, const struct pareto *all, struct tally *tally)
{
	for (int fault = 0; fault < N_FAULT; fault++) {
		bool is_planted = false;
		for (int i = 0; i < N_FAULT_TRY && !is_planted; i++) {
			struct text changed = copy_text(text);
			struct err err = {0};
			is_planted = plant(rng, (enum fault)fault, &changed);
			enum err_code code = is_planted ? check_text(&changed, &err) : ERR_OK;
			if (is_planted && (code != ERR_OK || !may_be_true((enum fault)fault, &changed, all)))
				expect_refused(code, &err, fault_name[fault], &changed);
			else
				is_planted = false;
			free_text(&changed);
		}
		tally->n_fault[fault] += is_planted;
	}
}

/* ---- other changes ---- */

static void change_text(struct rng *rng, struct text *text)
{
	size_t at = 4 + rng_below(rng, (uint32_t)text->n - 4);
	unsigned word = rng_below(rng, 8);
	char digits[24];
	switch (rng_below(rng, 6)) {
	case 0:
		drop_lines(text, at, 1);
		return;
	case 1:
		memmove(text->line + at + 1, text->line + at, (text->n - at) * sizeof(char *));
		text->n++;
		text->line[at] = copy_line(text->line[rng_below(rng, (uint32_t)at)]);
		return;
	case 2:
		drop_lines(text, at, text->n - at);
		return;
	case 3:
		text->line[at][rng_below(rng, (uint32_t)strlen(text->line[at]) + (text->line[at][0] == '\0'))] =
		    (char)(1 + rng_below(rng, 255));
		return;
	default:
		if (!find_word(text->line[at], word))
			return;
		(void)snprintf(digits, sizeof(digits), "%u", rng_below(rng, 5));
		if (rng_below(rng, 2))
			replace_word(text, at, word, digits);
		else
			scale_word(text, at, word, 1 + 1e-3 * (rng_below(rng, 2) ? 1 : -1));
	}
}

static void change_texts(struct rng *rng, const struct text *text, const struct pareto *all, struct tally *tally)
{
	for (int i = 0; i < CHANGES_A_SPACE; i++) {
		struct text changed = copy_text(text);
		struct err err = {0};
		change_text(rng, &changed);
		enum err_code code = check_text(&changed, &err);
		tally->n_change++;
		tally->n_accepted += code == ERR_OK;
		if (code == ERR_OK)
			assert_true(is_true(&changed, all));
		else
			expect_refused(code, &err, "", &changed);
		free_text(&changed);
	}
}

static void try_space(uint32_t number, struct tally *tally)
{
	struct rng rng = rng_stream(22, 4, number);
	struct space space;
	struct explore all, found;
	struct text text;
	struct err err = {0};
	bool all_splits = number % 3 == 0;
	write_space(&rng, all_splits);
	folder_read_space(&space);
	assert_int_equal(certify_allows(&space, &err), ERR_OK);
	write_certificate(&space, &found);
	read_text(&text);
	if (!found.counts.is_limited) {
		if (check_text(&text, &err) != ERR_OK)
			fail_msg("space %u: %s", number, err_text(&err));
		if (all_splits)
			plant_faults(&rng, &text, NULL, tally);
	}
	if (!found.counts.is_limited && !all_splits) {
		folder_explore(&space, &engine_exhaustive, true, 1, &all);
		assert_true(is_true(&text, &all.front));
		plant_faults(&rng, &text, &all.front, tally);
		change_texts(&rng, &text, &all.front, tally);
		explore_free(&all);
	}
	tally->n_thinned += found.counts.epsilon > 0;
	tally->n_cut += found.counts.n_machine_cut > 0;
	free_text(&text);
	explore_free(&found);
	space_free(&space);
}

static void test_certify_accepts_what_is_true_and_refuses_planted_faults(void **state)
{
	struct tally tally = {0};
	uint32_t n = 0;
	(void)state;
	for (uint32_t i = 0; i < n_space(); i++)
		try_space(i, &tally);
	for (int i = 0; i < N_FAULT; i++) {
		n += tally.n_fault[i];
		print_message("%s %u, ", fault_name[i], tally.n_fault[i]);
		assert_true(tally.n_fault[i] > 0 || i == LOSE_EPSILON || n_space() < 12);
	}
	print_message(
	    "all %u refused; of %u other changes %u accepted, all true; %u spaces thinned, %u with machines cut\n", n,
	    tally.n_change, tally.n_accepted, tally.n_thinned, tally.n_cut);
}

/* A front that was thinned is not exact, and its certificate, which says by how much, is accepted. */
static void test_certify_needs_the_epsilon_of_a_thinned_front(void **state)
{
	struct space space;
	struct explore found;
	struct text text;
	struct err err = {0};
	(void)state;
	folder_write(
	    "random.yaml",
	    "name: random\ninput: [14, 14, 8]\nlayers:\n  - conv: {kernel: 3, out_channels: 24}\n"
	    "  - conv: {kernel: 1, out_channels: 40}\n  - conv: {kernel: 3, out_channels: 16}\n  - fc: {out: 20}\n",
	    "");
	folder_write("space.yaml",
	             "name: thinned\nmachine: dvfs_chip\nnetwork: random.yaml\nobjectives: [latency_ms, energy_mj]\n"
	             "layers: [{match: '.*', split: all, level: [PL1, PL2]}]\nsearch: {max_front: 6}\n",
	             "");
	folder_read_space(&space);
	write_certificate(&space, &found);
	assert_true(found.counts.epsilon > 1e-6);
	read_text(&text);
	if (check_text(&text, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_true(lose_epsilon(&text));
	expect_refused(check_text(&text, &err), &err, "lose_epsilon", &text);
	free_text(&text);
	explore_free(&found);
	space_free(&space);
}

/* A search of a space without limits says nothing false, but its designs do not keep another space's limits. */
static void test_certify_refuses_designs_over_a_limit(void **state)
{
	static const char *const limit[] = {"",
	                                    "constraints: [latency_ms <= 0.0113]\n",
	                                    "constraints: [peak_power_mw <= 20]\n",
	                                    "constraints: [sram_used_frac <= 0.01]\n",
	                                    "constraints: [dram_byte <= 10]\n",
	                                    "constraints: [edp_mj_ms <= 1e-9]\n",
	                                    "deadline_ms: 0.001\n"};
	struct text text = {0};
	(void)state;
	for (size_t i = 0; i < sizeof(limit) / sizeof(limit[0]); i++) {
		struct space space;
		struct explore found;
		struct err err = {0};
		char line[FOLDER_PATH + 64];
		folder_write(
		    "space.yaml",
		    "name: limited\nmachine: dvfs_chip\nnetwork: small.yaml\nobjectives: [latency_ms, energy_mj]\n"
		    "layers: [{match: '.*', split: even, level: [PL1, PL2]}]\n",
		    limit[i]);
		folder_read_space(&space);
		if (i == 0) {
			write_certificate(&space, &found);
			read_text(&text);
			explore_free(&found);
		}
		(void)snprintf(line, sizeof(line), "file %s %s", space.file[0].hash, space.file[0].path);
		set_line(&text, 3, line);
		enum err_code code = check_text(&text, &err);
		if (i == 0)
			assert_int_equal(code, ERR_OK);
		else
			expect_refused(code, &err, limit[i], &text);
		space_free(&space);
	}
	free_text(&text);
}

static void test_certify_says_which_spaces_have_no_certificate(void **state)
{
	static const char *const text[] = {"level_changes: true\n", "layers: [{match: '.*', split: thesis}]\n"};
	(void)state;
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct space space;
		struct err err = {0};
		folder_write(
		    "space.yaml",
		    "name: odd\nmachine: dvfs_chip\nnetwork: small.yaml\nobjectives: [latency_ms, energy_mj]\n",
		    text[i]);
		folder_read_space(&space);
		assert_int_equal(certify_allows(&space, &err), ERR_USAGE);
		assert_non_null(strstr(err_text(&err), "no certificate of space odd: it "));
		err_clear(&err);
		space_free(&space);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_certify_accepts_what_is_true_and_refuses_planted_faults),
	    cmocka_unit_test(test_certify_needs_the_epsilon_of_a_thinned_front),
	    cmocka_unit_test(test_certify_refuses_designs_over_a_limit),
	    cmocka_unit_test(test_certify_says_which_spaces_have_no_certificate),
	};
	return cmocka_run_group_tests(tests, folder_make_small, folder_remove);
}
