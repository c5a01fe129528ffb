/* SPDX-License-Identifier: Apache-2.0 */
/* Fitting: known parameters come back from noisy measurements, what cannot be known is said, mistakes have places. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "dse/fit_parts.h"
#include "dse/space.h"
#include "sim/base/rng.h"
#include "sim/greybox.h"
#include "sim/sim.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each with tasks and errors of its own; energies take longer. */
#define N_SEED 10
#define N_ENERGY_SEED 4

/* A table as a file, its reading and its fit. */
struct trial {
	char path[32];
	struct machine machine;
	struct fit_data data;
	struct fit_result result;
	struct err err;
	enum err_code code;
};

static struct machine read_machine(void)
{
	struct machine machine;
	struct err err = {0};
	if (machine_read("spaces/machines/dvfs_chip.yaml", &machine, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return machine;
}

static void start(struct trial *trial, FILE **file)
{
	memset(trial, 0, sizeof(*trial));
	trial->machine = read_machine();
	(void)strcpy(trial->path, "/tmp/test_fit_XXXXXX");
	int descriptor = mkstemp(trial->path);
	assert_true(descriptor >= 0);
	*file = fdopen(descriptor, "w");
	assert_non_null(*file);
}

static void finish(struct trial *trial, FILE *file, const struct fit_options *options)
{
	assert_int_equal(fclose(file), 0);
	trial->code = fit_read(trial->path, &trial->machine, options, &trial->data, &trial->err);
	if (trial->code == ERR_OK)
		trial->code = fit_run(&trial->data, options, &trial->result, &trial->err);
	(void)unlink(trial->path);
}

static void end(struct trial *trial)
{
	fit_free(&trial->data);
	err_clear(&trial->err);
}

static void run_text(struct trial *trial, const char *text, const struct fit_options *options)
{
	FILE *file;
	start(trial, &file);
	(void)fputs(text, file);
	finish(trial, file, options);
}

static const struct fit_options no_options;

static double normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_unit(rng))) * cos(2 * acos(-1) * rng_unit(rng));
}

static const struct fit_param *find(const struct trial *trial, const char *name)
{
	for (size_t i = 0; i < trial->result.n_group; i++)
		for (size_t k = 0; k < trial->result.group[i].n_param; k++)
			if (strcmp(fit_param_name(&trial->data, &trial->result.group[i].param[k]).text, name) == 0)
				return &trial->result.group[i].param[k];
	fail_msg("no parameter %s", name);
	return NULL;
}

static double off_pct(const struct trial *trial, const char *name, double truth)
{
	return 100 * fabs(find(trial, name)->value / truth - 1);
}

static bool has_warning(const struct trial *trial, const char *text)
{
	for (size_t i = 0; i < trial->result.n_group; i++)
		for (size_t k = 0; k < trial->result.group[i].n_warning; k++)
			if (strstr(trial->result.group[i].warning[k], text))
				return true;
	return false;
}

/* A convolution as a user would measure it: from one output to as many as an SRAM holds. */
static struct greybox_shape draw_shape(struct rng *rng)
{
	static const uint32_t kernel[] = {1, 3, 5, 7};
	uint32_t k = kernel[rng_below(rng, 4)];
	return (struct greybox_shape){.in_w = k + rng_below(rng, 40),
	                              .in_h = k + rng_below(rng, rng_below(rng, 2) ? 3 : 20),
	                              .in_c = 1 + rng_below(rng, rng_below(rng, 2) ? 4 : 64),
	                              .out_c = 1 + rng_below(rng, 16),
	                              .kernel_w = k,
	                              .kernel_h = k,
	                              .cols = 16,
	                              .rows = 4};
}

static const struct greybox_theta true_theta = {.init_clk = 140, .wb_clk = 21.5, .a = 1.27, .b = 1};

#define SHAPE_HEADER "task,kind,in_w,in_h,in_c,k_w,k_h,out_c"
static void put_shape(FILE *file, const char *name, const struct greybox_shape *shape)
{
	(void)fprintf(file, "%s,conv,%u,%u,%u,%u,%u,%u", name, shape->in_w, shape->in_h, shape->in_c, shape->kernel_w,
	              shape->kernel_h, shape->out_c);
}

/* Clocks of n convolutions, each with normal errors of so many per cent. */
static void measure_clocks(struct trial *trial, uint64_t seed, int n, double noise_pct, const struct fit_options *options)
{
	FILE *file;
	struct rng rng = rng_stream(seed, 0, 0);
	start(trial, &file);
	(void)fputs(SHAPE_HEADER ",clk\n", file);
	for (int i = 0; i < n; i++) {
		struct greybox_shape shape = draw_shape(&rng);
		put_shape(file, "t", &shape);
		double clk = greybox_clk(&shape, &true_theta) * (1 + noise_pct / 100 * normal(&rng));
		(void)fprintf(file, ",%.17g\n", clk);
	}
	finish(trial, file, options);
}

static void test_fit_recovers_clocks(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < N_SEED; seed++) {
		struct trial trial;
		measure_clocks(&trial, seed, 300, 1, &no_options);
		assert_int_equal(trial.code, ERR_OK);
		assert_true(trial.result.identified);
		assert_true(off_pct(&trial, "PL1.conv_init_clk", true_theta.init_clk) < 1);
		assert_true(off_pct(&trial, "PL1.conv_wb_clk", true_theta.wb_clk) < 1);
		assert_true(off_pct(&trial, "PL1.conv_a", true_theta.a) < 1);
		assert_false(find(&trial, "PL1.conv_b")->is_free);
		assert_true(fabs(trial.result.group[0].weighted_rms - 1) < 0.15);
		end(&trial);
	}
}

/* Without noise to the last digits, each row predicted by the others too. */
static void test_fit_is_exact_without_noise(void **state)
{
	(void)state;
	struct trial trial;
	measure_clocks(&trial, 77, 30, 0, &no_options);
	assert_int_equal(trial.code, ERR_OK);
	assert_true(off_pct(&trial, "PL1.conv_init_clk", true_theta.init_clk) < 1e-9);
	assert_true(off_pct(&trial, "PL1.conv_wb_clk", true_theta.wb_clk) < 1e-9);
	assert_true(off_pct(&trial, "PL1.conv_a", true_theta.a) < 1e-9);
	assert_true(trial.result.group[0].without_row.max_abs_pct < 1e-8);
	assert_int_equal(trial.result.group[0].without_row.n, 30);
	end(&trial);
}

/* Of 400 intervals of 95 % about 380 hold the truth; 3.5 standard deviations are allowed. */
static void test_fit_intervals_cover(void **state)
{
	(void)state;
	static const char *const name[] = {"PL1.conv_wb_clk", "PL1.conv_a"};
	const double truth[] = {true_theta.wb_clk, true_theta.a};
	int n_held = 0;
	for (uint64_t seed = 100; seed < 300; seed++) {
		struct trial trial;
		measure_clocks(&trial, seed, 12, 3, &no_options);
		assert_int_equal(trial.code, ERR_OK);
		for (int i = 0; i < 2; i++) {
			const struct fit_param *param = find(&trial, name[i]);
			n_held += param->low <= truth[i] && truth[i] <= param->high;
		}
		end(&trial);
	}
	assert_true(n_held >= 365 && n_held <= 395);
}

/* b multiplies a and wb: equation 8 cannot tell the three apart, whatever is measured. */
static void test_fit_says_that_b_is_not_identified(void **state)
{
	(void)state;
	const struct fit_options all = {.parameters = "conv_init_clk,conv_wb_clk,conv_a,conv_b"};
	const struct fit_options held = {.parameters = "conv_init_clk,conv_wb_clk,conv_a,conv_b", .fix = "conv_a=1"};
	struct trial trial;
	measure_clocks(&trial, 5, 50, 1, &all);
	assert_int_equal(trial.code, ERR_OK);
	assert_false(trial.result.identified);
	assert_true(find(&trial, "PL1.conv_init_clk")->identified);
	assert_false(find(&trial, "PL1.conv_wb_clk")->identified || find(&trial, "PL1.conv_a")->identified ||
	             find(&trial, "PL1.conv_b")->identified);
	assert_true(has_warning(&trial, "PL1.conv_wb_clk, PL1.conv_a and PL1.conv_b cannot be told apart"));
	assert_true(isinf(trial.result.group[0].condition));
	end(&trial);
	measure_clocks(&trial, 5, 300, 1, &held);
	assert_true(trial.result.identified);
	assert_true(off_pct(&trial, "PL1.conv_b", true_theta.a) < 1);
	assert_true(off_pct(&trial, "PL1.conv_wb_clk", true_theta.wb_clk / true_theta.a) < 1);
	end(&trial);
}

/* What the energies of a chip that is measured are; those of SRAM and NoC hang on no operating point. */
struct truth {
	double mla[2], static_mw[2], read, write, noc, sram_mw, noc_mw;
};
static const struct truth truth = {{8.1, 11.9}, {1.4, 2.1}, 3.3, 4.6, 6.2, 2.4, 3.1};

/* What is measured: three supplies; one sum of all of them, with and without rows of one kind of action each. */
enum method { BY_SUPPLY, TOTALS, TOTALS_AND_LOOPS };

#define N_PE 8.0
#define N_REPEAT 1000.0

/* Energies of a row that takes so long, in nJ of all repeats with errors of 1 %, and the end of its line. */
static void put_energies(FILE *file, enum method method, int level, double ns, const double *count, struct rng *noise)
{
	double mw = method == BY_SUPPLY;
	double pe = N_PE * (count[TERM_MLA_CLK] * truth.mla[level] + truth.static_mw[level] * ns);
	double sram = N_PE * (count[TERM_SRAM_READ] * truth.read + count[TERM_SRAM_WRITE] * truth.write) +
	              mw * truth.sram_mw * ns;
	double noc = N_PE * count[TERM_NOC_READ] * truth.noc + mw * truth.noc_mw * ns;
	double scale = N_REPEAT * 1e-3;
	double factor[3];
	for (int i = 0; i < 3; i++)
		factor[i] = scale * (1 + 0.01 * normal(noise));
	if (method == BY_SUPPLY)
		(void)fprintf(file, ",%.17g,%.17g,%.17g\n", pe * factor[0], sram * factor[1], noc * factor[2]);
	else
		(void)fprintf(file, ",%.17g\n", (pe + sram + noc) * factor[0]);
}

/* The reader's counts of the shapes that measure_energies measures. */
static void read_counts(struct trial *trial, uint64_t seed, int n)
{
	FILE *file;
	struct rng rng = rng_stream(seed, 1, 0);
	start(trial, &file);
	(void)fputs(SHAPE_HEADER ",clk\n", file);
	for (int i = 0; i < n; i++) {
		struct greybox_shape shape = draw_shape(&rng);
		put_shape(file, "t", &shape);
		(void)fputs(",1\n", file);
	}
	assert_int_equal(fclose(file), 0);
	assert_int_equal(fit_read(trial->path, &trial->machine, &no_options, &trial->data, NULL), ERR_OK);
	(void)unlink(trial->path);
}

/* n convolutions on 8 PEs at two operating points and a swept clock, which static power needs; then loops. */
static void measure_energies(struct trial *trial, uint64_t seed, int n, enum method method,
                             const struct fit_options *options)
{
	static const enum fit_term action[] = {TERM_MLA_CLK, TERM_SRAM_READ, TERM_SRAM_WRITE, TERM_NOC_READ};
	struct trial shapes;
	struct rng rng = rng_stream(seed, 1, 0), noise = rng_stream(seed, 2, 0);
	FILE *file;
	read_counts(&shapes, seed, n);
	start(trial, &file);
	(void)fprintf(file, SHAPE_HEADER ",level,n_pe,repeat,mla_clk,sram_read32,sram_write32,noc_read128,clk_mhz,time_ns,%s\n",
	              method == BY_SUPPLY ? "energy_pe_nj,energy_sram_nj,energy_noc_nj" : "energy_nj");
	for (int i = 0; i < n; i++) {
		struct greybox_shape shape = draw_shape(&rng);
		double mhz = 50 + floor(250 * rng_unit(&noise));
		double ns = greybox_clk(&shape, &true_theta) * 1e3 / mhz;
		put_shape(file, "t", &shape);
		(void)fprintf(file, ",PL%d,%g,%g,,,,,%g,%.17g", i % 2 + 1, N_PE, N_REPEAT, mhz,
		              ns * N_REPEAT * (1 + 0.003 * normal(&noise)));
		put_energies(file, method, i % 2, ns, shapes.data.row[i].count, &noise);
	}
	for (int i = 0; i < n && method == TOTALS_AND_LOOPS; i++) {
		double count[N_FIT_TERM] = {0}, ns = 3e5;
		count[action[i / 2 % 4]] = 4e5;
		(void)fprintf(file, "loop,counts,,,,,,,PL%d,%g,%g,%g,%g,%g,%g,,%.17g", i % 2 + 1, N_PE, N_REPEAT,
		              count[TERM_MLA_CLK], count[TERM_SRAM_READ], count[TERM_SRAM_WRITE], count[TERM_NOC_READ],
		              ns * N_REPEAT);
		put_energies(file, method, i % 2, ns, count, &noise);
	}
	finish(trial, file, options);
	assert_int_equal(trial->code, ERR_OK);
	end(&shapes);
}

static const struct {
	const char *name;
	double value;
	bool by_supply_only;
} true_energy[] = {
    {"PL1.mla_clk_pj", 8.1, false},  {"PL2.mla_clk_pj", 11.9, false},         {"PL1.pe_static_mw", 1.4, false},
    {"PL2.pe_static_mw", 2.1, false}, {"sram_read32_pj", 3.3, false},          {"sram_write32_pj", 4.6, false},
    {"noc_read128_pj", 6.2, false},  {"energy.sram_static_mw", 2.4, true},    {"energy.noc_static_mw", 3.1, true},
};
#define N_TRUE_ENERGY (sizeof(true_energy) / sizeof(true_energy[0]))

static double worst_energy_pct(const struct trial *trial, bool by_supply)
{
	double worst = 0;
	for (size_t i = 0; i < N_TRUE_ENERGY; i++)
		if (by_supply || !true_energy[i].by_supply_only)
			worst = fmax(worst, off_pct(trial, true_energy[i].name, true_energy[i].value));
	return worst;
}

/* As in the paper: times and three supplies at two operating points, in one table. */
static void test_fit_recovers_energies_by_supply(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < N_ENERGY_SEED; seed++) {
		struct trial trial;
		measure_energies(&trial, seed, 300, BY_SUPPLY, &no_options);
		assert_true(trial.result.identified);
		assert_true(worst_energy_pct(&trial, true) < 1);
		assert_true(off_pct(&trial, "PL2.conv_a", true_theta.a) < 1);
		assert_true(trial.result.group[2].weighted_rms < 1.15);
		end(&trial);
	}
}

/* Sums of all supplies over convolutions alone: what cannot be told apart well is said to be uncertain. */
static void test_fit_knows_when_totals_are_not_enough(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < N_ENERGY_SEED; seed++) {
		struct trial trial;
		measure_energies(&trial, seed, 200, TOTALS, &no_options);
		for (size_t i = 0; i < N_TRUE_ENERGY; i++) {
			if (true_energy[i].by_supply_only)
				continue;
			const struct fit_param *param = find(&trial, true_energy[i].name);
			assert_true(fabs(param->value - true_energy[i].value) < 4.5 * param->std_error);
			if (off_pct(&trial, true_energy[i].name, true_energy[i].value) > 10)
				assert_string_not_equal(fit_confidence_word(param), "high");
		}
		end(&trial);
	}
}

/* Loops of one action each, counted by the user, tell them apart. */
static void test_fit_recovers_energies_from_totals_and_loops(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < N_ENERGY_SEED; seed++) {
		struct trial trial;
		measure_energies(&trial, seed, 240, TOTALS_AND_LOOPS, &no_options);
		assert_true(trial.result.identified);
		assert_true(worst_energy_pct(&trial, false) < 1);
		end(&trial);
	}
}

/* With every term at once, a row's energy is what the simulator makes of the same counts. */
static void test_fit_predicts_as_the_simulator(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial,
	         SHAPE_HEADER ",n_pe,level,clk,arm_clk,dram_byte,energy_nj\n"
	                      "t,conv,20,9,8,3,3,7,152,PL2,5000,300,4000,1\n",
	         &(struct fit_options){.fix = "energy.chip_off_mw=75.2"});
	assert_int_equal(trial.code, ERR_OK);
	const struct fit_group *group = &trial.result.group[1];
	const double *count = trial.data.row[0].count;
	struct machine machine = trial.machine;
	struct counts counts = {.mla_clk = 152 * count[TERM_MLA_CLK],
	                        .sram_read_word = 152 * count[TERM_SRAM_READ],
	                        .sram_write_word = 152 * count[TERM_SRAM_WRITE],
	                        .noc_packet = 152 * count[TERM_NOC_READ],
	                        .arm_clk = 152 * 300.0,
	                        .dram_read_byte = 152 * 4000.0,
	                        .awake_clk = 152 * 5000.0};
	double value[FIT_MAX_PARAM];
	for (size_t i = 0; i < group->n_param; i++) {
		value[i] = 0.5 + (double)i;
		fit_term_set(&machine, 1, group->param[i].term, value[i]);
	}
	struct energy energy = energy_of_counts(&machine, 1, &counts);
	double expected = energy.total_pj + energy_static_mw(&machine, 1) * 5000 * 1e3 / 400;
	double predicted = 1e3 * fit_predict(&trial.data, group, value, &trial.data.point[1], NULL);
	assert_true(fabs(predicted / expected - 1) < 1e-12);
	assert_int_equal(machine_n_pe(&machine), 152);
	end(&trial);
}

/* Two PEs that idle draw static power and nothing else. */
static void test_fit_takes_static_power_from_idle_rows(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial, "kind,n_powered_pe,time_ns,energy_nj\nidle,2,1000,6\nidle,8,1000,24\nidle,8,500,12\n", &no_options);
	assert_int_equal(trial.code, ERR_OK);
	assert_true(off_pct(&trial, "PL1.pe_static_mw", 3) < 1e-9);
	assert_true(trial.result.identified);
	end(&trial);
}

/* ---- what cannot be known ------------------------------------------------------------------------ */

#define CLK_HEADER "kind,in_w,in_h,in_c,k_w,k_h,out_c,clk"

static void test_fit_of_one_row_is_not_identified(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial, CLK_HEADER "\nconv,20,9,8,3,3,4,1000\n", &no_options);
	assert_int_equal(trial.code, ERR_OK);
	assert_false(trial.result.identified);
	assert_true(has_warning(&trial, "1 measured value for 3 parameters"));
	end(&trial);
	run_text(&trial, CLK_HEADER "\nconv,20,9,8,3,3,4,1000\n", &(struct fit_options){.parameters = "conv_a"});
	assert_true(trial.result.identified);
	assert_true(isnan(find(&trial, "PL1.conv_a")->std_error));
	assert_int_equal(trial.result.group[0].without_row.n_lost, 1);
	assert_true(has_warning(&trial, "as many parameters as measured values"));
	end(&trial);
}

/* One task many times: its clocks are known well, the parameters behind them are not. */
static void test_fit_of_one_task_is_not_identified(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial, CLK_HEADER "\nconv,20,9,8,3,3,4,1000\nconv,20,9,8,3,3,4,1010\nconv,20,9,8,3,3,4,990\n"
	                            "conv,20,9,8,3,3,4,1005\n",
	         &no_options);
	assert_false(trial.result.identified);
	assert_true(trial.result.group[0].max_abs_pct < 1.5);
	assert_int_equal(trial.result.group[0].without_task.n_lost, 4);
	assert_true(has_warning(&trial, "cannot be told apart"));
	end(&trial);
}

/* A collinear pair that the bounds would hide: the rank is that of all parameters. */
static void test_fit_sees_collinear_energies_behind_bounds(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial, "kind,mla_clk,arm_clk,time_ns,energy_nj\n"
	                 "counts,1000,2000,1,8\ncounts,2000,4000,2,17\ncounts,5000,10000,9,40\n",
	         &(struct fit_options){.parameters = "mla_clk_pj,arm_clk_pj,pe_static_mw"});
	assert_int_equal(trial.code, ERR_OK);
	assert_false(trial.result.identified);
	assert_true(has_warning(&trial, "PL1.mla_clk_pj and PL1.arm_clk_pj cannot be told apart"));
	end(&trial);
}

static void test_fit_warns_of_near_collinearity(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial, "kind,mla_clk,arm_clk,time_ns,energy_nj\n"
	                 "counts,1000,2000,1,8\ncounts,2000,4001,1,17\ncounts,5000,10010,1,40\ncounts,800,1599,1,7\n",
	         &(struct fit_options){.parameters = "mla_clk_pj,arm_clk_pj"});
	assert_true(trial.result.identified);
	assert_true(trial.result.group[0].condition > 30);
	assert_true(has_warning(&trial, "PL1.mla_clk_pj and PL1.arm_clk_pj can hardly be told apart"));
	end(&trial);
}

static void test_fit_of_zeros_is_zero(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial, "kind,mla_clk,time_ns,energy_nj,sigma_energy_nj\ncounts,1000,10,0,1\ncounts,2000,30,0,1\n"
	                 "counts,100,90,0,1\n",
	         &no_options);
	assert_int_equal(trial.code, ERR_OK);
	assert_true(find(&trial, "PL1.mla_clk_pj")->value <= 0 && find(&trial, "PL1.pe_static_mw")->value <= 0);
	assert_true(trial.result.identified);
	end(&trial);
}

/* An energy that the measurements would have below 0 stays there, and is said to. */
static void test_fit_keeps_energies_from_below_zero(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial, "kind,mla_clk,arm_clk,time_ns,energy_nj,sigma_energy_nj\n"
	                 "counts,1000,0,0.001,10,1\ncounts,1000,500,0.001,9,1\ncounts,1000,1000,0.001,8,1\n",
	         &(struct fit_options){.parameters = "mla_clk_pj,arm_clk_pj"});
	assert_int_equal(find(&trial, "PL1.arm_clk_pj")->at_bound, -1);
	assert_true(find(&trial, "PL1.arm_clk_pj")->value <= 0);
	assert_true(fabs(find(&trial, "PL1.mla_clk_pj")->value - 9) < 1e-5);
	assert_true(has_warning(&trial, "PL1.arm_clk_pj is at its smallest value"));
	end(&trial);
}

static void test_fit_survives_huge_numbers(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial, CLK_HEADER ",repeat\nconv,65536,65536,65536,256,256,65536,1e18,1\nconv,1,1,1,1,1,1,1e-9,1e15\n"
	                            "conv,9,9,9,9,9,9,1e18,1e15\n",
	         &no_options);
	assert_int_equal(trial.code, ERR_OK);
	for (size_t i = 0; i < trial.result.group[0].n_param; i++)
		assert_true(isfinite(trial.result.group[0].param[i].value));
	assert_true(isfinite(trial.result.group[0].weighted_rms));
	end(&trial);
}

/* ---- weights ------------------------------------------------------------------------------------- */

static void test_fit_leaves_rows_without_weight_out(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial, "kind,mla_clk,time_ns,energy_nj,weight\ncounts,1000,1e-9,10,1\ncounts,2000,1e-9,20,\n"
	                 "counts,1000,1e-9,99,0\n",
	         &(struct fit_options){.parameters = "mla_clk_pj"});
	assert_true(off_pct(&trial, "PL1.mla_clk_pj", 10) < 0.1);
	assert_int_equal(trial.result.group[0].n_used, 2);
	assert_int_equal(trial.result.group[0].n_point, 3);
	assert_true(fabs(trial.data.point[5].predicted - 10) < 0.1);
	end(&trial);
	run_text(&trial, "kind,mla_clk,time_ns,energy_nj,weight\ncounts,1000,1,10,0\n", &no_options);
	assert_int_equal(trial.code, ERR_OK);
	assert_int_equal(trial.result.group[0].n_free, 0);
	end(&trial);
}

/* The weighted mean of two values of one action, by hand: standard deviations 1 and 3 are weights 9 to 1. */
static void test_fit_weighs_by_sigma(void **state)
{
	(void)state;
	struct trial trial;
	run_text(&trial, "kind,mla_clk,time_ns,energy_nj,sigma_energy_nj\ncounts,1000,1e-9,10,1\ncounts,1000,1e-9,20,3\n",
	         &(struct fit_options){.parameters = "mla_clk_pj", .fix = "pe_static_mw=0"});
	assert_true(fabs(find(&trial, "PL1.mla_clk_pj")->value - 11) < 1e-9);
	end(&trial);
	/* relative without one: minimises (x/10 - 1)^2 + (x/20 - 1)^2, so x = 12 */
	run_text(&trial, "kind,mla_clk,time_ns,energy_nj\ncounts,1000,1e-9,10\ncounts,1000,1e-9,20\n",
	         &(struct fit_options){.parameters = "mla_clk_pj", .fix = "pe_static_mw=0"});
	assert_true(fabs(find(&trial, "PL1.mla_clk_pj")->value - 12) < 1e-9);
	end(&trial);
}

static void test_fit_robust_ignores_an_outlier(void **state)
{
	(void)state;
	static const char text[] = "kind,mla_clk,time_ns,energy_nj\ncounts,1000,1,10.1\ncounts,2000,1,19.8\n"
				   "counts,3000,1,30.3\ncounts,4000,1,39.7\ncounts,5000,1,50.2\ncounts,6000,1,90\n";
	struct trial plain, robust;
	run_text(&plain, text, &(struct fit_options){.parameters = "mla_clk_pj"});
	run_text(&robust, text, &(struct fit_options){.parameters = "mla_clk_pj", .robust = true});
	assert_true(off_pct(&plain, "PL1.mla_clk_pj", 10) > 4);
	assert_true(off_pct(&robust, "PL1.mla_clk_pj", 10) < 1);
	end(&plain);
	end(&robust);
}

/* ---- rows left out ------------------------------------------------------------------------------- */

/* Of a linear model e_i / (1 - h_i), h the diagonal of the hat matrix, here of a straight line. */
static void test_fit_left_out_equals_hat_matrix(void **state)
{
	(void)state;
	static const double x[] = {1000, 2000, 3500, 5000, 9000}, y[] = {14, 23, 42, 55, 99};
	char text[512] = "kind,mla_clk,time_ns,energy_nj,sigma_energy_nj\n";
	double sx = 0, sxx = 0, n = 5;
	for (int i = 0; i < 5; i++) {
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "counts,%g,1000,%g,1\n", x[i], y[i]);
		sx += x[i];
		sxx += x[i] * x[i];
	}
	struct trial trial;
	run_text(&trial, text, &no_options);
	assert_int_equal(trial.code, ERR_OK);
	for (int i = 0; i < 5; i++) {
		const struct fit_point *point = NULL;
		for (size_t k = 0; k < trial.data.n_point; k++)
			if (trial.data.point[k].row == (size_t)i && trial.data.point[k].quantity == QUANTITY_ENERGY)
				point = &trial.data.point[k];
		assert_non_null(point);
		double hat = 1 / n + (x[i] - sx / n) * (x[i] - sx / n) / (sxx - sx * sx / n);
		double expected = y[i] + (point->predicted - y[i]) / (1 - hat);
		assert_true(fabs(point->without_row - expected) < 1e-9 * fabs(expected));
	}
	end(&trial);
}

/* ---- mistakes ------------------------------------------------------------------------------------ */

static void expect_mistake(const char *text, const struct fit_options *options, enum err_code code, const char *message)
{
	struct trial trial;
	run_text(&trial, text, options);
	if (trial.code != code || !strstr(err_text(&trial.err), message))
		fail_msg("expected '%s', code %d, found code %d:\n%s", message, code, trial.code, err_text(&trial.err));
	end(&trial);
}

static void test_fit_says_where_mistakes_are(void **state)
{
	(void)state;
	expect_mistake("kind,in_w\nconv,3\n", &no_options, ERR_INPUT, ":1:1: no column with measured values");
	expect_mistake("kind,in_w,clk\nconv,3,5\n", &no_options, ERR_INPUT, ":1:1: column 'in_h' is missing; a conv has");
	expect_mistake(CLK_HEADER "\nconf,20,9,8,3,3,4,1000\n", &no_options, ERR_INPUT,
	               ":2:1: kind is 'conf'; conv, matmul, idle or counts is allowed; did you mean 'conv'?");
	expect_mistake(CLK_HEADER "\nconv,20,9,8,3,3,4,nan\n", &no_options, ERR_INPUT, ":2:19: clk is 'nan'");
	expect_mistake(CLK_HEADER "\nconv,20,9,8,3,3,4,inf\n", &no_options, ERR_INPUT, ":2:19: clk is 'inf'");
	expect_mistake(CLK_HEADER "\nconv,20,9,8,3,3,4,1e999\n", &no_options, ERR_INPUT, ":2:19: clk is 1e999");
	expect_mistake(CLK_HEADER "\nconv,20,9,8,3,3,4,-3\n", &no_options, ERR_INPUT, ":2:19: clk is -3");
	expect_mistake(CLK_HEADER "\nconv,20,9,8,3,3,4,0\n", &no_options, ERR_INPUT, ":2:19: clk is 0");
	expect_mistake(CLK_HEADER "\nconv,2,9,8,3,3,4,10\n", &no_options, ERR_INPUT, ":2:12: the kernel is wider");
	expect_mistake(CLK_HEADER ",sigma\nconv,20,9,8,3,3,4,10,0\n", &no_options, ERR_INPUT, ":2:22: sigma is 0");
	expect_mistake(CLK_HEADER ",weight\nconv,20,9,8,3,3,4,10,-1\n", &no_options, ERR_INPUT, ":2:22: weight is -1");
	expect_mistake(CLK_HEADER ",level\nconv,20,9,8,3,3,4,10,PL3\n", &no_options, ERR_INPUT,
	               ":2:22: level is 'PL3'; PL1 or PL2 is allowed");
	expect_mistake(CLK_HEADER ",array\nconv,20,9,8,3,3,4,10,16\n", &no_options, ERR_INPUT, ":2:22: mla.array");
	expect_mistake(CLK_HEADER "\nconv,20,9,8,3,3,4,\n", &no_options, ERR_INPUT, ":1:1: no row has a measured value");
	expect_mistake(CLK_HEADER "\n", &no_options, ERR_INPUT, ":1:1: no row has a measured value");
	expect_mistake("", &no_options, ERR_INPUT, ":1:1: empty file");
	expect_mistake("kind,time_ns,energy_nj\nidle,10,0\n", &no_options, ERR_INPUT,
	               ":2:9: energy_nj is 0 and has no standard deviation");
	expect_mistake("kind,time_ns,energy_nj\nidle,,5\n", &no_options, ERR_INPUT,
	               ":2:1: the row has an energy and neither clk nor time_ns");
	expect_mistake("kind,time_ns,energy_nj,sigma\nidle,1,5,1\n", &no_options, ERR_INPUT,
	               ":1:24: column sigma, but several measured ones");
}

static void test_fit_says_which_options_are_wrong(void **state)
{
	(void)state;
	static const char text[] = CLK_HEADER "\nconv,20,9,8,3,3,4,1000\n";
	expect_mistake(text, &(struct fit_options){.clocks = "hdl"}, ERR_INPUT, ":1:1: the table has no column 'hdl'");
	expect_mistake(text, &(struct fit_options){.where = "kin=conv"}, ERR_INPUT, "did you mean 'kind'?");
	expect_mistake(text, &(struct fit_options){.where = "kind"}, ERR_USAGE, "--where is 'kind'");
	expect_mistake(text, &(struct fit_options){.where = "kind=matmul"}, ERR_INPUT, "no row that --where leaves");
	expect_mistake(text, &(struct fit_options){.parameters = "conv_c"}, ERR_USAGE, "did you mean 'conv_a'?");
	expect_mistake(text, &(struct fit_options){.parameters = "mla_clk_pj"}, ERR_USAGE,
	               "--parameters names mla_clk_pj, of which no row has a measured energy");
	expect_mistake(text, &(struct fit_options){.fix = "conv_b"}, ERR_USAGE, "allowed is KEY=VALUE");
	expect_mistake(text, &(struct fit_options){.fix = "conv_b=x"}, ERR_USAGE, "--fix gives conv_b the value 'x'");
	expect_mistake(text, &(struct fit_options){.fix = "conv_b=-1"}, ERR_USAGE, "allowed is a number from 0 to");
	expect_mistake(text, &(struct fit_options){.fix = "PL2.konv_b=1"}, ERR_USAGE, "did you mean 'conv_b'?");
}

/* --where and --clocks on a table of ours; figures as in sim/CALIBRATION.md's machine files. */
static void test_fit_of_the_hdl_prototype(void **state)
{
	(void)state;
	const struct fit_options options = {.clocks = "hdl_clk", .where = "task=conv"};
	struct trial trial = {.machine = read_machine()};
	assert_int_equal(fit_read("tests/reference/hdl_clocks.csv", &trial.machine, &options, &trial.data, &trial.err), ERR_OK);
	assert_int_equal(fit_run(&trial.data, &options, &trial.result, &trial.err), ERR_OK);
	assert_int_equal(trial.result.n_group, 1);
	const struct fit_group *group = &trial.result.group[0];
	assert_int_equal(group->n_used, 9);
	assert_true(trial.result.identified);
	assert_true(fabs(find(&trial, "PL1.conv_init_clk")->value - 1531.9) < 0.1);
	assert_true(fabs(find(&trial, "PL1.conv_wb_clk")->value - 47.14) < 0.01);
	assert_true(fabs(find(&trial, "PL1.conv_a")->value - 1.7483) < 0.0001);
	assert_true(fabs(group->mean_abs_pct - 5.83) < 0.01 && fabs(group->max_abs_pct - 19.69) < 0.01);
	assert_true(fabs(group->without_row.mean_abs_pct - 9.09) < 0.01);
	assert_true(group->without_task.mean_abs_pct > group->without_row.mean_abs_pct);
	end(&trial);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fit_recovers_clocks),
	    cmocka_unit_test(test_fit_is_exact_without_noise),
	    cmocka_unit_test(test_fit_intervals_cover),
	    cmocka_unit_test(test_fit_says_that_b_is_not_identified),
	    cmocka_unit_test(test_fit_recovers_energies_by_supply),
	    cmocka_unit_test(test_fit_knows_when_totals_are_not_enough),
	    cmocka_unit_test(test_fit_recovers_energies_from_totals_and_loops),
	    cmocka_unit_test(test_fit_predicts_as_the_simulator),
	    cmocka_unit_test(test_fit_takes_static_power_from_idle_rows),
	    cmocka_unit_test(test_fit_of_one_row_is_not_identified),
	    cmocka_unit_test(test_fit_of_one_task_is_not_identified),
	    cmocka_unit_test(test_fit_sees_collinear_energies_behind_bounds),
	    cmocka_unit_test(test_fit_warns_of_near_collinearity),
	    cmocka_unit_test(test_fit_of_zeros_is_zero),
	    cmocka_unit_test(test_fit_keeps_energies_from_below_zero),
	    cmocka_unit_test(test_fit_survives_huge_numbers),
	    cmocka_unit_test(test_fit_leaves_rows_without_weight_out),
	    cmocka_unit_test(test_fit_weighs_by_sigma),
	    cmocka_unit_test(test_fit_robust_ignores_an_outlier),
	    cmocka_unit_test(test_fit_left_out_equals_hat_matrix),
	    cmocka_unit_test(test_fit_says_where_mistakes_are),
	    cmocka_unit_test(test_fit_says_which_options_are_wrong),
	    cmocka_unit_test(test_fit_of_the_hdl_prototype),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
