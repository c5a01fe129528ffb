/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dse explore` on the spaces of spaces/bench/, the whole of it, from one thread to two, beside what the machine gives
 * two processes that have nothing to do with each other. In rounds of three, so that whatever else the machine does
 * meets all of them:
 *
 *   one    seconds of `dse explore -j1`
 *   pair   seconds until two of `dse explore -j1`, begun together, have both ended
 *   two    seconds of `dse explore -j2`
 *
 * each as the least of all rounds and as their median. From the least:
 *
 *   ratio  one / two: the speed-up of a second thread
 *   given  2 one / pair: that of a second process; 2 where cores, caches and memory are enough for both
 *   share  ratio / given: what the second thread makes of what there is
 *   CPU    processor seconds of all threads, two / one: 1 where sharing costs nothing
 *   proved the speed-up that work and span allow, whatever the machine (bench_span, which must lie beside this program)
 *
 * The last line has the sums of seconds over all spaces. Fails where fronts differ. Run it from the repository root;
 * arguments: names of spaces, all when there are none.
 */
#include "tests/support/explore_once.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { MAX_ROUND = 7, MIN_ROUND = 3 };

/* Rounds of a space: more than the fewest only of short ones. */
#define ENOUGH_S 2.0

static const char *const single[] = {"vgg16_conv_1",        "vgg16_conv_8",        "vgg16_fc_21",
                                     "resnet50_conv_1",     "resnet50_conv_sc_26", "vgg16_conv_8_qpe",
                                     "resnet50_conv_46_qpe"};
static const char *const network[] = {"net_mlp",     "net_resnet50_stage_3", "net_vgg16",           "net_tiny_machines",
                                      "exact_vgg16", "exact_vgg16_dram",     "exact_hardware_vgg16"};

enum way { ONE, PAIR, TWO, N_WAY };

/* How many processes, of how many threads each. */
static const struct {
	unsigned n_process, n_thread;
} way_table[N_WAY] = {[ONE] = {1, 1}, [PAIR] = {2, 1}, [TWO] = {1, 2}};

/* Of a space, or the sum over several. */
struct figures {
	double least_s[N_WAY], median_s[N_WAY], cpu_s[N_WAY]; /* the least of CPU, too */
	double work_s, span_s;
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
	(void)snprintf(command, sizeof(command), "cat %s/*/front.csv %s/*/front.json | cksum", folder, folder);
	FILE *pipe = popen(command, "r");
	if (!pipe || !fgets(outcome->checksum, sizeof(outcome->checksum), pipe) || pclose(pipe) != 0)
		explore_stop(folder, "no checksum");
}

static double children_cpu_s(void)
{
	struct rusage usage;
	if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
		exit(1);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

struct process {
	pid_t id;
	char folder[32];
};

/* This program starts no threads of its own, so that its children may. */
static void start(const char *name, const char *engine, unsigned n_thread, struct process *process)
{
	if (fflush(stdout) != 0)
		explore_stop(name, "stdout cannot be written");
	process->id = fork();
	if (process->id < 0)
		explore_stop(name, "no process can be made");
	if (process->id == 0) {
		explore_once(name, engine, n_thread, process->folder);
		_exit(0);
	}
}

/* Run a space in one of the ways. */
static void run_once(const char *name, const char *engine, enum way way, double *wall_s, double *cpu_s,
                     struct outcome *outcome)
{
	unsigned n = way_table[way].n_process;
	struct process process[2];
	for (unsigned i = 0; i < n; i++)
		explore_make_folder(process[i].folder);
	double begin_s = clock_s(CLOCK_MONOTONIC), before_s = children_cpu_s();
	for (unsigned i = 0; i < n; i++)
		start(name, engine, way_table[way].n_thread, &process[i]);
	for (unsigned i = 0; i < n; i++) {
		int status;
		if (waitpid(process[i].id, &status, 0) != process[i].id || status != 0)
			explore_stop(name, "failed");
	}
	*wall_s = clock_s(CLOCK_MONOTONIC) - begin_s;
	*cpu_s = children_cpu_s() - before_s;
	for (unsigned i = 0; i < n; i++) {
		sum_files(process[i].folder, outcome);
		explore_remove_folder(process[i].folder);
	}
}

/* What work and span prove; bench_span has a parallel_for of its own, so it is another program. */
static void ask_span(const char *program, const char *name, const char *engine, struct figures *figures)
{
	char command[512], line[64], *end;
	(void)snprintf(command, sizeof(command), "$(dirname '%s')/bench_span --brief %s %s", program, name, engine);
	FILE *pipe = popen(command, "r");
	if (!pipe || !fgets(line, sizeof(line), pipe) || pclose(pipe) != 0)
		explore_stop(name, "bench_span does not answer; build it, too");
	figures->work_s = strtod(line, &end);
	figures->span_s = strtod(end, NULL);
}

static int compare(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

static double median(double *value, size_t n)
{
	qsort(value, n, sizeof(*value), compare);
	return n % 2 ? value[n / 2] : 0.5 * (value[n / 2 - 1] + value[n / 2]);
}

static void print_figures(const char *name, const char *engine, const struct figures *figures, bool same)
{
	const double *least_s = figures->least_s, *median_s = figures->median_s, work_s = figures->work_s;
	double ratio = least_s[ONE] / least_s[TWO], given = 2 * least_s[ONE] / least_s[PAIR];
	printf("%-21s %-10s", name, engine);
	for (unsigned i = 0; i < N_WAY; i++)
		printf(" %7.3f %7.3f", least_s[i], median_s[i]);
	printf(" %5.2f %5.2f %5.2f %5.2f %6.3f%s\n", ratio, given, ratio / given,
	       figures->cpu_s[TWO] / figures->cpu_s[ONE], work_s / ((work_s - figures->span_s) / 2 + figures->span_s),
	       same ? "" : " DIFFERENT");
	fflush(stdout);
}

static void add_figures(struct figures *sum, const struct figures *figures)
{
	for (unsigned i = 0; i < N_WAY; i++) {
		sum->least_s[i] += figures->least_s[i];
		sum->median_s[i] += figures->median_s[i];
		sum->cpu_s[i] += figures->cpu_s[i];
	}
	sum->work_s += figures->work_s;
	sum->span_s += figures->span_s;
}

static bool bench_one(const char *program, const char *name, const char *engine, struct figures *sum)
{
	double wall_s[N_WAY][MAX_ROUND], cpu_s[N_WAY][MAX_ROUND], spent_s = 0;
	struct outcome outcome[N_WAY];
	struct figures figures;
	size_t n = 0;
	bool same = true;
	for (; n < MAX_ROUND && (n < MIN_ROUND || spent_s < ENOUGH_S); n++) {
		for (unsigned i = 0; i < N_WAY; i++) {
			run_once(name, engine, (enum way)i, &wall_s[i][n], &cpu_s[i][n], &outcome[i]);
			spent_s += wall_s[i][n];
			same &= strcmp(outcome[ONE].checksum, outcome[i].checksum) == 0;
		}
	}
	for (unsigned i = 0; i < N_WAY; i++) {
		figures.median_s[i] = median(wall_s[i], n);
		figures.least_s[i] = wall_s[i][0]; /* sorted now */
		(void)median(cpu_s[i], n);
		figures.cpu_s[i] = cpu_s[i][0];
	}
	ask_span(program, name, engine, &figures);
	print_figures(name, engine, &figures, same);
	add_figures(sum, &figures);
	return same;
}

static bool bench_all(const char *program, const char *const *name, size_t n, const char *engine, struct figures *sum)
{
	bool same = true;
	for (size_t i = 0; i < n; i++)
		same &= bench_one(program, name[i], engine, sum);
	return same;
}

int main(int argc, char **argv)
{
	/* threads that wait sleep; read when the program is loaded */
	if (!getenv("OMP_WAIT_POLICY") && setenv("OMP_WAIT_POLICY", "passive", 1) == 0)
		(void)execv(argv[0], argv);
	struct figures sum = {0};
	bool same = true;
	printf("From one thread to two: least and median seconds; what the columns are is at the head of %s\n",
	       __FILE__);
	printf("%-21s %-10s %15s %15s %15s %5s %5s %5s %5s %6s\n", "space", "engine", "one", "pair", "two", "ratio",
	       "given", "share", "CPU", "proved");
	for (int i = 1; i < argc; i++) {
		const char *name = argv[i];
		same &= bench_all(argv[0], &name, 1, "exact", &sum);
	}
	if (argc == 1) {
		same &= bench_all(argv[0], network, sizeof(network) / sizeof(*network), "exact", &sum);
		same &= bench_all(argv[0], single, sizeof(single) / sizeof(*single), "exact", &sum);
		same &= bench_all(argv[0], single, sizeof(single) / sizeof(*single), "exhaustive", &sum);
	}
	print_figures("all of these", "", &sum, true);
	return same ? 0 : 1;
}
