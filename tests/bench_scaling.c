/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dse explore` on the spaces of spaces/bench/, the whole of it, from one thread to two: medians of seconds and their
 * ratio, which means something on a machine with nothing else to do only; CPU seconds of all threads, which tell what
 * sharing costs; and what work and span prove of the ratio, whatever else the machine does (bench_span, which must lie
 * beside this program). Fails where fronts differ. Run it from the repository root; arguments: names of spaces, all
 * when there are none.
 */
#include "tests/explore_once.h"
#include <time.h>

enum { MAX_RUN = 7, N_THREAD = 2 };

/* Runs of a space: many of short ones. */
#define MIN_RUN 3
#define ENOUGH_S 1.0

static const char *const single[] = {"vgg16_conv_1",        "vgg16_conv_8",        "vgg16_fc_21",
                                     "resnet50_conv_1",     "resnet50_conv_sc_26", "vgg16_conv_8_qpe",
                                     "resnet50_conv_46_qpe"};
static const char *const network[] = {"net_mlp",     "net_resnet50_stage_3", "net_vgg16",           "net_tiny_machines",
                                      "exact_vgg16", "exact_vgg16_dram",     "exact_hardware_vgg16"};

struct seconds {
	double wall, cpu;
};

struct sum {
	double one, two, one_cpu, two_cpu;
};

static double clock_s(clockid_t clock)
{
	struct timespec at;
	if (clock_gettime(clock, &at) != 0)
		exit(1);
	return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* What must not depend on the threads: a checksum of the front's files. */
struct outcome {
	char checksum[64];
};

static void sum_files(const char *folder, struct outcome *outcome)
{
	char command[128];
	(void)snprintf(command, sizeof command, "cat %s/*/front.csv %s/*/front.json | cksum", folder, folder);
	FILE *pipe = popen(command, "r");
	if (!pipe || !fgets(outcome->checksum, sizeof outcome->checksum, pipe) || pclose(pipe) != 0)
		explore_stop(folder, "no checksum");
}

static struct seconds run_once(const char *name, const char *engine, unsigned n_thread, struct outcome *outcome)
{
	char folder[32];
	explore_make_folder(folder);
	double wall = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
	explore_once(name, engine, n_thread, folder);
	wall = clock_s(CLOCK_MONOTONIC) - wall;
	cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	sum_files(folder, outcome);
	explore_remove_folder(folder);
	return (struct seconds){wall, cpu};
}

/* The ratio that work and span prove; bench_span has a parallel_for of its own, so it is another program. */
static double proved_ratio(const char *program, const char *name, const char *engine)
{
	char command[512], line[32];
	(void)snprintf(command, sizeof command, "$(dirname '%s')/bench_span --brief %s %s", program, name, engine);
	FILE *pipe = popen(command, "r");
	if (!pipe || !fgets(line, sizeof line, pipe) || pclose(pipe) != 0)
		explore_stop(name, "bench_span does not answer; build it, too");
	return strtod(line, NULL);
}

static int compare(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

static double median(double *value, size_t n)
{
	qsort(value, n, sizeof *value, compare);
	return n % 2 ? value[n / 2] : 0.5 * (value[n / 2 - 1] + value[n / 2]);
}

/* One thread and two in turn, so that whatever else the machine does meets both. */
static bool bench_one(const char *program, const char *name, const char *engine, struct sum *sum)
{
	double wall[N_THREAD][MAX_RUN], cpu[N_THREAD][MAX_RUN], spent_s = 0;
	struct outcome outcome[N_THREAD];
	size_t n = 0;
	bool same = true;
	for (; n < MAX_RUN && (n < MIN_RUN || spent_s < ENOUGH_S); n++) {
		for (unsigned k = 0; k < N_THREAD; k++) {
			struct seconds seconds = run_once(name, engine, k + 1, &outcome[k]);
			wall[k][n] = seconds.wall;
			cpu[k][n] = seconds.cpu;
			spent_s += seconds.cpu;
		}
		same &= strcmp(outcome[0].checksum, outcome[1].checksum) == 0;
	}
	double one = median(wall[0], n), two = median(wall[1], n);
	double one_cpu = median(cpu[0], n), two_cpu = median(cpu[1], n);
	printf("%-21s %-10s %8.3f %8.3f %6.2f %8.3f %8.3f %6.2f %7.2f %s\n", name, engine, one, two, one / two, one_cpu,
	       two_cpu, two_cpu / one_cpu, proved_ratio(program, name, engine), same ? "" : " DIFFERENT");
	fflush(stdout);
	sum->one += one;
	sum->two += two;
	sum->one_cpu += one_cpu;
	sum->two_cpu += two_cpu;
	return same;
}

static bool bench_all(const char *program, const char *const *name, size_t n, const char *engine)
{
	struct sum sum = {0};
	bool same = true;
	for (size_t i = 0; i < n; i++)
		same &= bench_one(program, name[i], engine, &sum);
	printf("%-21s %-10s %8.3f %8.3f %6.2f %8.3f %8.3f %6.2f\n", "all of these", engine, sum.one, sum.two,
	       sum.one / sum.two, sum.one_cpu, sum.two_cpu, sum.two_cpu / sum.one_cpu);
	return same;
}

int main(int argc, char **argv)
{
	/* threads that wait sleep; read when the program is loaded */
	if (!getenv("OMP_WAIT_POLICY") && setenv("OMP_WAIT_POLICY", "passive", 1) == 0)
		(void)execv(argv[0], argv);
	bool same = true;
	printf("From one thread to two: medians of seconds, and of CPU seconds of all threads; proved: by work and "
	       "span\n");
	printf("%-21s %-10s %8s %8s %6s %8s %8s %6s %7s\n", "space", "engine", "1", "2", "ratio", "CPU 1", "CPU 2",
	       "ratio", "proved");
	for (int i = 1; i < argc; i++) {
		const char *name = argv[i];
		same &= bench_all(argv[0], &name, 1, "exact");
	}
	if (argc > 1)
		return same ? 0 : 1;
	same &= bench_all(argv[0], single, sizeof single / sizeof *single, "exact");
	same &= bench_all(argv[0], network, sizeof network / sizeof *network, "exact");
	same &= bench_all(argv[0], single, sizeof single / sizeof *single, "exhaustive");
	return same ? 0 : 1;
}
