/* SPDX-License-Identifier: Apache-2.0 */
/* Fitting: known parameters come back from noisy measurements, within the intervals that are given. */
#include "tests/support/unit_test.h"
#include "tests/dse/fit/fit_trial.h"
#include "sim/mla/greybox.h"
#include "sim/fast/fast.h"

/* Each with tasks and errors of its own; energies take longer. */
#define N_SEED 10
#define N_ENERGY_SEED 4

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

static void put_shape(FILE *file, const char *name, const struct greybox_shape *shape)
{
	(void)fprintf(file, "%s,conv,%u,%u,%u,%u,%u,%u", name, shape->in_w, shape->in_h, shape->in_c, shape->kernel_w,
	              shape->kernel_h, shape->out_c);
}

/* Clocks of n convolutions, each with normal errors of so many per cent. */
static void measure_clocks(struct trial *trial, uint64_t seed, int n, double noise_pct,
                           const struct fit_options *options)
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
	(void)fprintf(
	    file, SHAPE_HEADER ",level,n_pe,repeat,mla_clk,sram_read32,sram_write32,noc_read128,clk_mhz,time_ns,%s\n",
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
    {"PL1.mla_clk_pj", 8.1, false},   {"PL2.mla_clk_pj", 11.9, false},      {"PL1.pe_static_mw", 1.4, false},
    {"PL2.pe_static_mw", 2.1, false}, {"sram_read32_pj", 3.3, false},       {"sram_write32_pj", 4.6, false},
    {"noc_read128_pj", 6.2, false},   {"energy.sram_static_mw", 2.4, true}, {"energy.noc_static_mw", 3.1, true},
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
	run_text(&trial, "kind,n_powered_pe,time_ns,energy_nj\nidle,2,1000,6\nidle,8,1000,24\nidle,8,500,12\n",
	         &no_options);
	assert_int_equal(trial.code, ERR_OK);
	assert_true(off_pct(&trial, "PL1.pe_static_mw", 3) < 1e-9);
	assert_true(trial.result.identified);
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
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
