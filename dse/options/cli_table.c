/* SPDX-License-Identifier: Apache-2.0 */
/* All options and all commands: a new one is a row here and, of an option, a name in dse/options/cli_option.h. */
#include "dse/options/cli_table.h"

#define IN(field) offsetof(struct cli_options, field)

const struct option_info option_table[N_OPTION] = {
    [OPTION_HELP] = {"help", 'h', NULL, TYPE_FLAG, IN(help), 0, 0, "print this help"},
    [OPTION_JSON] = {"json", 0, NULL, TYPE_FLAG, IN(json), 0, 0, "print the result as JSON"},
    [OPTION_JOBS] = {"jobs", 'j', "N", TYPE_U64, IN(jobs), 0, 4096, "threads (default 0: one a core)"},
    [OPTION_SEED] = {"seed", 0, "N", TYPE_U64, IN(seed), 0, 18446744073709551615.0,
                     "seed of all random choices, 0 to 18446744073709551615 (default: the space's)"},
    [OPTION_OUT] = {"out", 'o', "PATH", TYPE_TEXT, IN(out), 0, 0, "file to write the result to (default: stdout)"},
    [OPTION_QUIET] = {"quiet", 'q', NULL, TYPE_FLAG, IN(quiet), 0, 0, "say nothing but results and errors"},
    [OPTION_NO_PROGRESS] = {"no-progress", 0, NULL, TYPE_FLAG, IN(no_progress), 0, 0, "show no progress"},
    [OPTION_COLOR] = {"color", 0, "WHEN", TYPE_TEXT, IN(color), 0, 0,
                      "colours: auto (the default: on terminals, unless NO_COLOR is set), always or never"},
    [OPTION_ENGINE] = {"engine", 0, "NAME", TYPE_TEXT, IN(engine), 0, 0,
                       "search engine: exact, exhaustive, nsga2 or pls (default: the space's)"},
    [OPTION_FLAT] = {"flat", 0, NULL, TYPE_FLAG, IN(flat), 0, 0,
                     "search whole networks at once instead of layer by layer"},
    [OPTION_POINTS] = {"points", 0, NULL, TYPE_FLAG, IN(points), 0, 0, "also write the layers' fronts to points.csv"},
    [OPTION_LIVE] =
	{"live", 0, "X,Y|line", TYPE_TEXT, IN(live), 0, 0,
         "on a terminal, draw the front so far over these two objectives (default: the space's first two);\n"
         "line: only say how far the search is"},
    [OPTION_MAX_EVALUATIONS] = {"max-evaluations", 0, "N", TYPE_U64, IN(max_evaluations), 0, 1e18,
                                "stop after about so many (default: the space's; 0: no limit)"},
    [OPTION_LAYERS] = {"layers", 0, "REGEX", TYPE_TEXT, IN(layers), 0, 0,
                       "only layers whose core operation's name matches (PCRE2)"},
    [OPTION_SPLIT_SCHEME] = {"split-scheme", 0, "FILE", TYPE_TEXT, IN(split_scheme), 0, 0,
                             "CSV with the split of each operation (default: the thesis splitter's)"},
    [OPTION_STRATEGY] = {"strategy", 0, "NAME", TYPE_TEXT, IN(strategy), 0, 0,
                         "no_fusion, fusion, fusion_reuse or thesis_reuse (default fusion_reuse)"},
    [OPTION_LEVEL] = {"level", 0, "NAME", TYPE_TEXT, IN(level), 0, 0, "operating point (default: the machine's first)"},
    [OPTION_POINT] = {"point", 0, "FRONT.json:ID", TYPE_TEXT, IN(point), 0, 0,
                      "replay a point of a front and compare every number; a run's folder, or its\n"
                      "name in 'dse show', stands for its FRONT.json"},
    [OPTION_MACHINE] = {"machine", 0, "MACHINE", TYPE_TEXT, IN(machine), 0, 0,
                        "machine to predict for (default: the one each table was measured on)"},
    [OPTION_MAX_ERROR] = {"max-error", 0, "PCT", TYPE_REAL, IN(max_error_pct), 0, 1e9,
                          "exit 6 when a counted error is larger, in percent"},
    [OPTION_DETAIL] = {"detail", 0, "TIER", TYPE_TEXT, IN(detail), 0, 0,
                       "fast (closed forms, the default), event (event by event) or greybox (fitted task clocks)"},
    [OPTION_TRACE] = {"trace", 0, "FILE", TYPE_TEXT, IN(trace), 0, 0,
                      "write what each unit does when, for ui.perfetto.dev (event tier)"},
    [OPTION_AUDIT] =
	{"audit", 0, NULL, TYPE_FLAG, IN(audit), 0, 0,
         "check the front by brute force, or by samples where there are too many designs; exit 1 on faults"},
    [OPTION_AUDIT_SAMPLES] = {"audit-samples", 0, "N", TYPE_U64, IN(audit_samples), 1, 1e12,
                              "whole designs that --audit draws (default 100000, of the event tier 100); implies it"},
    [OPTION_VERIFY] = {"verify", 0, NULL, TYPE_FLAG, IN(verify), 0, 0,
                       "run the front again in the event tier and say which points it keeps"},
    [OPTION_PROVE] = {"prove", 0, NULL, TYPE_FLAG, IN(prove), 0, 0,
                      "run the front's designs on data, bit for bit, as dse prove does; exit 6 when one fails"},
    [OPTION_RESUME] = {"resume", 0, "DIR", TYPE_TEXT, IN(resume), 0, 0,
                       "go on with the run that was stopped or killed in DIR; SPACE.yaml and options are the run's"},
    [OPTION_SHARD] = {"shard", 0, "I/N", TYPE_TEXT, IN(shard), 0, 0,
                      "make part I of N of the searches; 'dse merge' makes a front of all parts"},
    [OPTION_COMPARE] =
	{"compare", 0, "MAPPING", TYPE_LIST, IN(compare), 0, 0,
         "place FRONT.json:ID, a mapping FILE.yaml, a split scheme FILE.csv or 'thesis' against the front; repeatable"},
    [OPTION_EFFORT] = {"effort", 0, "NAME", TYPE_TEXT, IN(effort), 0, 0,
                       "quick (nsga2, 200 000 evaluations), normal (exact) or signoff (exact, --verify, --audit)"},
    [OPTION_MAX_SECONDS] =
	{"max-seconds", 0, "N", TYPE_U64, IN(max_seconds), 0, 1e9,
         "stop searching after so long (default 0: no limit); results depend on the machine; --resume goes on"},
    [OPTION_SCENARIO] = {"scenario", 0, "NAME", TYPE_TEXT, IN(scenario), 0, 0,
                         "speed, energy, time, power or energy-budget (default: by the budgets given)"},
    [OPTION_BUDGET_MS] = {"budget-ms", 0, "MS", TYPE_REAL, IN(budget_ms), 1e-9, 1e12, "deadline, in ms"},
    [OPTION_BUDGET_FRAC] = {"budget-frac", 0, "F", TYPE_REAL, IN(budget_frac), 0, 1e3,
                            "deadline F of the way from the fastest level's time to the thriftiest's"},
    [OPTION_BUDGET_MJ] = {"budget-mj", 0, "MJ", TYPE_REAL, IN(budget_mj), 1e-12, 1e12, "energy at most, in mJ"},
    [OPTION_BUDGET_MW] = {"budget-mw", 0, "MW", TYPE_REAL, IN(budget_mw), 1e-9, 1e12, "peak power at most, in mW"},
    [OPTION_AVERAGE_MW] = {"average-mw", 0, "MW", TYPE_REAL, IN(average_mw), 1e-9, 1e12,
                           "average power at most, in mW"},
    [OPTION_NO_SLEEP] = {"no-sleep", 0, NULL, TYPE_FLAG, IN(no_sleep), 0, 0,
                         "energy of the work alone, not of sleeping until the deadline"},
    [OPTION_LEVELS] = {"levels", 0, "A,B", TYPE_TEXT, IN(levels), 0, 0,
                       "operating points that may be used (default: all of the machine)"},
    [OPTION_PARTS] = {"parts", 0, "N", TYPE_U64, IN(parts), 0, 1e9,
                      "split each layer into N tasks, as evenly as its shape allows (default 0: as the splitter does)"},
    [OPTION_TASKS] = {"tasks", 0, NULL, TYPE_FLAG, IN(tasks), 0, 0,
                      "MLA tasks alone on all PEs, operands in place, as the DVFS paper counts"},
    [OPTION_PER_LOOP] = {"per-loop", 0, NULL, TYPE_FLAG, IN(per_loop), 0, 0,
                         "choose a level for each loop of tasks, not for each layer"},
    [OPTION_RATIO] = {"ratio", 0, "R", TYPE_REAL, IN(ratio), 1e-6, 1e6,
                      "set the energy of all work at the lower of two levels to R times that at the higher"},
    [OPTION_FRONT] = {"front", 0, NULL, TYPE_FLAG, IN(front), 0, 0,
                      "all schedules worth having in time and energy, too"},
    [OPTION_SEARCH] = {"search", 0, NULL, TYPE_FLAG, IN(search), 0, 0,
                       "choose each layer's split and strategy together with its level"},
    [OPTION_ANALYSE] = {"analyse", 0, "NAME", TYPE_TEXT, IN(analyse), 0, 0,
                        "pairs (which two levels), clock (of least energy), switch (break-even) or sensitivity"},
    [OPTION_MEMORY] = {"memory-gb-s", 0, "A,B", TYPE_TEXT, IN(memory_gb_s), 0, 0,
                       "rates of the memory, in GB/s, each with a roof of its own (default: the machine's)"},
    [OPTION_SVG] = {"svg", 0, "FILE", TYPE_TEXT, IN(svg), 0, 0, "draw predicted against measured into FILE (SVG)"},
    [OPTION_CLOCKS] = {"clocks", 0, "COLUMN", TYPE_TEXT, IN(clocks), 0, 0,
                       "column of the measured clocks (default clk, else hdl_clk)"},
    [OPTION_WHERE] = {"where", 0, "COL=VALUE,...", TYPE_TEXT, IN(where), 0, 0, "only rows with these cells"},
    [OPTION_PARAMETERS] = {"parameters", 0, "KEY,...", TYPE_TEXT, IN(parameters), 0, 0,
                           "fit only these (default: all that the measurements depend on, but for b of the clocks)"},
    [OPTION_FIX] = {"fix", 0, "KEY=VALUE,...", TYPE_TEXT, IN(fix), 0, 0,
                    "hold these instead of fitting them; LEVEL.KEY=VALUE at one operating point"},
    [OPTION_ROBUST] = {"robust", 0, NULL, TYPE_FLAG, IN(robust), 0, 0,
                       "let values that are far off count less (Huber's weights)"},
    [OPTION_DIM] =
	{"dim", 0, "NAME=N", TYPE_LIST, IN(dim), 0, 0,
         "size of a dimension that the model leaves open; repeatable (default: 1 for the first of an input)"},
    [OPTION_MAPPING] = {"mapping", 0, "FILE.yaml", TYPE_TEXT, IN(mapping), 0, 0,
                        "machine, network and the design of every layer: a mapping, or FRONT.json:ID"},
    [OPTION_STORE] = {"store", 0, "FILE", TYPE_TEXT, IN(store), 0, 0,
                      "keep runs in FILE, or none (default: $DSE_STORE, else dse.sqlite beside the runs' folders)"},
    [OPTION_NO_CACHE] = {"no-cache", 0, NULL, TYPE_FLAG, IN(no_cache), 0, 0,
                         "search again what a run that was kept has found already"},
    [OPTION_SPACE] = {"space", 0, "NAME", TYPE_TEXT, IN(space), 0, 0, "only runs of this space"},
    [OPTION_LAST] = {"last", 0, "N", TYPE_U64, IN(last), 0, 1e12, "only the newest N runs (default 20; 0: all)"},
    [OPTION_KEEP] = {"keep", 0, "N", TYPE_U64, IN(keep), 0, 1e12, "with prune: the newest N runs of each space stay"},
    [OPTION_OLDER_THAN] = {"older-than", 0, "DAYS", TYPE_REAL, IN(older_than_day), 0, 1e6,
                           "with prune: runs younger than so many days stay"},
    [OPTION_YES] = {"yes", 0, NULL, TYPE_FLAG, IN(yes), 0, 0,
                    "with prune: remove them, instead of saying what would go"},
    [OPTION_CSV] = {"csv", 0, NULL, TYPE_FLAG, IN(csv), 0, 0, "the run's front.csv (--json: its front.json)"},
    [OPTION_FIGURES] = {"figures", 0, "DIR", TYPE_TEXT, IN(figures), 0, 0,
                        "also write every figure as a picture into DIR: SVG, and PNG where rsvg-convert is installed"},
    [OPTION_GOAL] = {"goal", 0, "NAME", TYPE_TEXT, IN(goal), 0, 0,
                     "what the search makes least: latency (the default) or energy"},
    [OPTION_SPLIT] = {"split", 0, "NAME", TYPE_TEXT, IN(split), 0, 0,
                      "splits to choose from: all (the default), reduced, even; or thesis: by its rules, no search"},
    [OPTION_FETCH_AHEAD] = {"fetch-ahead", 0, NULL, TYPE_FLAG, IN(fetch_ahead), 0, 0,
                            "weights may be fetched into storage QPEs while the layer before runs"},
    [OPTION_CONV_1X1] = {"conv-1x1", 0, "A,B", TYPE_TEXT, IN(conv_1x1), 0, 0,
                         "forms that 1x1 convolutions may have in a search: conv, packed, matmul (default: all)"},
    [OPTION_NETWORK_RESULT] =
	{"network-result", 0, "PLACE", TYPE_TEXT, IN(network_result), 0, 0,
         "where the result of a searched network must lie: dram (the default) or any, which lets\n"
         "it stay in storage QPEs"},
    [OPTION_WORKERS] = {"workers", 0, "N|best|paper", TYPE_TEXT, IN(workers), 0, 0,
                        "N are enabled, of which a layer uses the best number; best (the default) enables what is\n"
                        "best; paper: as in OctopuScheduler's paper"},
    [OPTION_CHIPS] = {"chips", 0, "N", TYPE_U64, IN(chips), 1, 256,
                      "a pipeline of up to N chips, each with layers of its own (default 1)"},
    [OPTION_READ] = {"read", 0, "DIR", TYPE_TEXT, IN(read), 0, 0,
                     "read and check the files of an earlier -o DIR instead of making a schedule"},
    [OPTION_DRAM_BYTE] = {"dram-byte", 0, "N", TYPE_U64, IN(dram_byte), 0, 1099511627776.0,
                          "memory of the chip's DRAM, in bytes (default: 2147483648)"},
    [OPTION_DATE] = {"date", 0, "YYYY-MM-DD", TYPE_TEXT, IN(date), 0, 0, "the night's date (default: today, in UTC)"},
    [OPTION_SEEDS] = {"seeds", 0, "N", TYPE_U64, IN(seeds), 3, 100,
                      "seeds of the night for each stochastic search, besides the space's own (default 5)"},
    [OPTION_ACCEPT] = {"accept", 0, "NAME", TYPE_LIST, IN(accept), 0, 0,
                       "take this space's result for good whatever it is compared with; repeatable"},
    [OPTION_NOTE] = {"note", 0, "TEXT", TYPE_TEXT, IN(note), 0, 0, "why it is accepted, for those who read the page"},
    [OPTION_TABLES] = {"tables", 0, "PATH", TYPE_LIST, IN(tables), 0, 0,
                       "reference table, or folder of them, for the models' errors; none: no errors (default:\n"
                       "tests/reference, where it is); repeatable"},
    [OPTION_TOLERANCE] = {"tolerance", 0, "PCT", TYPE_REAL, IN(tolerance_pct), 0, 1e9,
                          "exit 6 when hypervolume or any objective's least value is worse by more (default 0)"},
};

const struct option_note option_note_table[] = {
    {"nightly", OPTION_TOLERANCE, "what is worse or better by no more is no difference (default 0)"},
    {"nightly", OPTION_OUT, "folder for the store and nightly/DATE/ (default results)"},
    {"explore", OPTION_OUT, "folder for the runs' folders and their store (default results)"},
    {"merge", OPTION_OUT, "folder for the front's folder (default results)"},
    {"simulate", OPTION_AUDIT, "simulate every event, also where all state has recurred; exit 1 when clocks differ"},
    {"map", OPTION_OUT, "folder to write mapping and split reports to (default: none)"},
    {"map", OPTION_STRATEGY, "no_fusion, fusion, fusion_reuse or thesis_reuse (default: what is best for each layer)"},
    {"map", OPTION_GOAL, "what the search makes least: latency (the default), energy or edp, their product"},
    {"map", OPTION_POINT, "report the designs of this point of a front"},
    {"prove", OPTION_POINT, "prove the designs of this point of a front"},
    {"schedule", OPTION_OUT, "folder to write dram.bin, dram.map and schedule.yaml to (default: none)"},
    {"schedule", OPTION_STRATEGY, "dram (the default), hide or sram"},
    {"schedule", OPTION_MACHINE, "the machine; required"},
    {"report", OPTION_JSON, "print the data of the page as JSON instead of writing the page"},
    {"report", OPTION_OUT,
     "file to write (default: report.html in the run's folder, of several runs in the current one)"},
    {"report", OPTION_POINT, "ID of the point whose layers are shown first (default: the knee)"},
    {"power", OPTION_OUT, "folder to write schedule, picture and front to (default: none)"},
    {"power", OPTION_POINT, "take the designs of this point of a front"},
    {"arada", OPTION_OUT, "folder to write schedules and pictures to (default: none)"},
    {"validate", OPTION_DETAIL,
     "fast (closed forms, the default), event (event by event), greybox (fitted task clocks),\n"
     "both (fast and event) or all"},
    {"fit", OPTION_OUT, "file to write sections of a machine file to (default: none)"},
    {"fit", OPTION_MACHINE, "machine whose other parameters hold (default: dvfs_chip)"},
    {"import", OPTION_OUT, "file to write the network to (default: none)"},
    {"roofline", OPTION_OUT, "folder to write roofline.csv, roofline.json and roofline.svg to (default: none)"},
    {"roofline", OPTION_LEVELS, "operating points to draw (default: the machine's first)"},
    {NULL, OPTION_HELP, NULL},
};

const struct option_values option_values_table[] = {
    {NULL, OPTION_COLOR, "auto always never"},
    {NULL, OPTION_LIVE, "line"},
    {NULL, OPTION_ENGINE, "exact exhaustive nsga2 pls"},
    {NULL, OPTION_EFFORT, "quick normal signoff"},
    {"simulate", OPTION_DETAIL, "fast event greybox"},
    {"validate", OPTION_DETAIL, "fast event greybox both all"},
    {NULL, OPTION_DETAIL, "fast event"},
    {"schedule", OPTION_STRATEGY, "dram hide sram"},
    {NULL, OPTION_STRATEGY, "no_fusion fusion fusion_reuse thesis_reuse"},
    {NULL, OPTION_SCENARIO, "speed energy time power energy-budget"},
    {NULL, OPTION_ANALYSE, "pairs clock switch sensitivity"},
    {"map", OPTION_GOAL, "latency energy edp"},
    {NULL, OPTION_GOAL, "latency energy"},
    {NULL, OPTION_SPLIT, "all reduced even thesis"},
    {NULL, OPTION_CONV_1X1, "conv packed matmul"},
    {NULL, OPTION_NETWORK_RESULT, "dram any"},
    {NULL, OPTION_WORKERS, "best paper"},
    {NULL, OPTION_HELP, NULL},
};

const struct exit_code exit_code_table[] = {
    {0, "ok"},
    {1, "internal error"},
    {2, "usage"},
    {3, "bad input"},
    {4, "no feasible design"},
    {5, "reading or writing failed"},
    {6, "a limit asked for was exceeded"},
    {130, "interrupted"},
    {0, NULL},
};

/* The options of a command: those of all commands, its own, and the end. */
#define LIST(...)                     \
	(const enum cli_option[])     \
	{                             \
		__VA_ARGS__, N_OPTION \
	}
#define COMMON \
	OPTION_HELP, OPTION_JSON, OPTION_JOBS, OPTION_SEED, OPTION_OUT, OPTION_QUIET, OPTION_NO_PROGRESS, OPTION_COLOR

const struct cli_command cli_command_table[] = {
    {"explore", "SPACE.yaml", "find the designs of a space that are worth having",
     "Evaluates the designs that SPACE.yaml describes and writes those that no other design beats in every\n"
     "objective to results/<space>-<hash>/: front.csv, front.json, front.svg, run.json. --verify runs every design\n"
     "on the front again in the event tier and marks those points that another one then beats; --detail event\n"
     "searches in the event tier, which takes thousands of times longer ('dse check SPACE.yaml' says how long).\n"
     "What a search has found is kept in the folder's journal while it runs: 'dse explore --resume DIR' goes on after\n"
     "Ctrl-C, a kill or a crash, and ends with the same files. 'mpirun -n N dse explore ...' shares the searches of a\n"
     "layer-by-layer exploration among N processes, --shard among jobs that know nothing of each other. --audit "
     "checks\n"
     "the front by ways that share neither bounds nor composition with the search: by brute force where the designs "
     "of\n"
     "a machine or a layer are few enough, by samples where not; a fault is an error of this program. --compare\n"
     "places a mapping against the front, on every machine of the space that it fits: a point of another front, a\n"
     "mapping (FILE.yaml), or splits from a file (FILE.csv or FILE.csv:STRATEGY) or the thesis (thesis, "
     "thesis:fusion),\n"
     "at each operating point, with fusion_reuse where no strategy is named.",
     1, 1,
     LIST(COMMON, OPTION_ENGINE, OPTION_FLAT, OPTION_POINTS, OPTION_LIVE, OPTION_MAX_EVALUATIONS, OPTION_DETAIL,
          OPTION_VERIFY, OPTION_PROVE, OPTION_AUDIT, OPTION_RESUME, OPTION_SHARD, OPTION_AUDIT_SAMPLES, OPTION_EFFORT,
          OPTION_MAX_SECONDS, OPTION_COMPARE, OPTION_STORE, OPTION_NO_CACHE),
     cmd_explore},
    {"merge", "DIR...", "make the front of a space from the folders of its shards",
     "Takes the folders that 'dse explore SPACE.yaml --shard I/N' wrote for I = 1 to N, in any order, checks that all\n"
     "of them are there, complete and of one space, version and choice of options, and writes what one\n"
     "'dse explore SPACE.yaml' would have written. Options are the shards'.",
     1, SIZE_MAX,
     LIST(COMMON, OPTION_POINTS, OPTION_VERIFY, OPTION_PROVE, OPTION_AUDIT, OPTION_AUDIT_SAMPLES, OPTION_COMPARE,
          OPTION_STORE),
     cmd_merge},
    {"nightly", "SPACE.yaml...", "explore spaces night by night; say what is worse than in the last good night",
     "Explores each space as 'dse explore' does, and compares it with its last good night in the store. Exact "
     "searches\n"
     "may differ by no more than their certificates; of stochastic ones --seeds searches a night show the noise, and\n"
     "what is worse than that explains fails. Prints a line a space and writes index.html (trends over nights),\n"
     "nightly.json and junit.xml to results/nightly/DATE/. Exits 6 when a space fails. What was changed on purpose\n"
     "becomes the new good night by --accept; the same date again goes on where the night stopped.",
     1, SIZE_MAX,
     LIST(OPTION_HELP, OPTION_JSON, OPTION_JOBS, OPTION_OUT, OPTION_QUIET, OPTION_NO_PROGRESS, OPTION_COLOR,
          OPTION_STORE, OPTION_DATE, OPTION_SEEDS, OPTION_ACCEPT, OPTION_NOTE, OPTION_TABLES, OPTION_TOLERANCE),
     cmd_nightly},
    {"runs", "[prune]", "list the runs that were kept, newest first; remove old ones",
     "Every 'dse explore' keeps its run in a store, results/dse.sqlite: inputs, options, front, counts, certificate,\n"
     "progress. 'dse runs prune --keep N --older-than DAYS' says which runs are old, and removes them with --yes: "
     "those\n"
     "that are neither among the newest N of their space nor younger than DAYS; given alone, either decides. Runs of "
     "the\n"
     "last night and of the last good night of 'dse nightly' stay.",
     0, 1,
     LIST(COMMON, OPTION_STORE, OPTION_SPACE, OPTION_ENGINE, OPTION_LAST, OPTION_KEEP, OPTION_OLDER_THAN, OPTION_YES),
     cmd_runs},
    {"show", "RUN", "one run that was kept: its front, what it proves, its inputs, how to replay it",
     "RUN is its number in 'dse runs', the first digits of its signature, or last.", 1, 1, LIST(COMMON, OPTION_STORE),
     cmd_show},
    {"export", "RUN", "give the files of a run that was kept: --csv front.csv, --json front.json",
     "Byte for byte what the run wrote, to stdout or with -o to a file. RUN is its number in 'dse runs', the first "
     "digits\n"
     "of its signature, or last.",
     1, 1, LIST(COMMON, OPTION_STORE, OPTION_CSV), cmd_export},
    {"report", "RUN...", "write a page that shows runs: fronts, designs, rooflines, clocks, energies, search",
     "One HTML file, which needs no network: open it in a browser. RUN is a folder that 'dse explore' wrote, or a run "
     "that\n"
     "was kept: its number in 'dse runs', the first digits of its signature, its space's name, last, or last~1. Every "
     "design\n"
     "of the front is run once more for what front.json does not tell; where its inputs are gone, or a number comes "
     "out\n"
     "otherwise, the page says so and leaves that out. results/README.md says what is on the page.",
     1, 16, LIST(COMMON, OPTION_STORE, OPTION_POINT, OPTION_FIGURES), cmd_report},
    {"compare", "RUN_A RUN_B", "what became of a front from one run to another, and which change did it",
     "Each run is a number, a signature's first digits, a space's name (its newest run), 'last', one of these two with "
     "~1\n"
     "behind it (the one before), or a run's folder. Designs that are lost, gained or moved, hypervolumes up to a "
     "common\n"
     "reference, least values; then every change of machine, network and space between the two by itself: the designs "
     "of\n"
     "RUN_A are evaluated again with it alone, which tells how much of what moved it explains, and which points it "
     "puts\n"
     "off the front or on it. Inputs come from the store, whatever has become of the files. Exits 6 when RUN_B is "
     "worse\n"
     "than RUN_A by more than --tolerance and what the searches leave unproven.",
     2, 2,
     LIST(OPTION_HELP, OPTION_JSON, OPTION_JOBS, OPTION_OUT, OPTION_QUIET, OPTION_NO_PROGRESS, OPTION_COLOR,
          OPTION_STORE, OPTION_TOLERANCE),
     cmd_compare},
    {"simulate", "MACHINE NETWORK | --mapping FILE.yaml | --point FRONT.json:ID",
     "one fixed design: clocks, bytes and energy per operation",
     "MACHINE and NETWORK are files or the names of shipped ones (under spaces/machines and spaces/networks).\n"
     "With --point a design of a front runs again, in the tier the front was made in; exits 1 when any number\n"
     "differs. In another tier the output says how far the two are apart. --trace and --audit need the event tier\n"
     "and choose it. --mapping runs a mapping (spaces/README.md), made by 'dse map' or by hand.",
     0, 2,
     LIST(COMMON, OPTION_LAYERS, OPTION_SPLIT_SCHEME, OPTION_STRATEGY, OPTION_LEVEL, OPTION_POINT, OPTION_MAPPING,
          OPTION_DETAIL, OPTION_TRACE, OPTION_AUDIT),
     cmd_simulate},
    {"map", "MACHINE NETWORK | --mapping FILE.yaml | --point FRONT.json:ID [NETWORK]",
     "the best mapping of a network for one goal, and its split report",
     "Searches the design of every layer that makes one inference's latency, energy or their product least: split,\n"
     "strategy, operating point of --levels, form of 1x1 convolutions, and where results lie; exact, over all splits "
     "of\n"
     "--split, and says what it leaves out. Of equal latencies the least energy, and the other way round. Or takes "
     "splits\n"
     "from --split-scheme, a mapping or a front's point. Prints a line a layer. -o DIR writes mapping.yaml (edit it;\n"
     "'dse simulate --mapping' runs it), splits.csv (every operation as in the thesis' appendices G to J), and\n"
     "utilisation.csv (bytes, SRAM and MAC array by class of tasks), and splits.txt with all of it.",
     0, 2,
     LIST(COMMON, OPTION_GOAL, OPTION_STRATEGY, OPTION_SPLIT, OPTION_SPLIT_SCHEME, OPTION_LEVELS, OPTION_FETCH_AHEAD,
          OPTION_CONV_1X1, OPTION_NETWORK_RESULT, OPTION_MAPPING, OPTION_POINT),
     cmd_map},
    {"prove", "MACHINE NETWORK | [NETWORK] --mapping FILE.yaml | [NETWORK] --point FRONT.json:ID",
     "run a mapping on data, tile by tile: is it bit-exact?",
     "Every layer is run on seeded random int8 data as its design says, operation by operation, with real parts lying\n"
     "in each PE (padding, overlap, partial sums, shift quantisation, ReLU, pooling, shortcuts), and compared with a\n"
     "direct computation of the whole layer. Each layer reads what those before it left. Exits 6 when a value "
     "differs,\n"
     "or an operation does not find what it needs; says which layer, task, PE and value. The hash of the results is "
     "the\n"
     "same for any number of threads. MACHINE NETWORK has the splitter's splits, as dse simulate has.",
     0, 2,
     LIST(COMMON, OPTION_LAYERS, OPTION_SPLIT_SCHEME, OPTION_STRATEGY, OPTION_LEVEL, OPTION_POINT, OPTION_MAPPING),
     cmd_prove},
    {"schedule", "NETWORK --machine MACHINE | --read DIR",
     "a whole network layer by layer on a chip, as OctopuScheduler runs it",
     "Every layer is cut into tiles for some workers (PEs with a scheduler PE over them), and its run time estimated\n"
     "part by part. All numbers of workers and sizes of tiles are tried; --workers paper cuts perceptrons as the\n"
     "paper does. --strategy dram: layer by layer, everything from and to DRAM; hide: weights are fetched behind\n"
     "computation; sram: weights stay in the workers' SRAM. --chips deals the layers to a pipeline of chips.\n"
     "mapper/README.md says which constants were fitted to what. -o DIR plans each chip's DRAM and writes\n"
     "dram.bin (what the host puts there; mapper/DRAM.md has its layout), dram.map and schedule.yaml, of several "
     "chips\n"
     "in folders chip_1 and so on beside chips.yaml; with sram (one chip only) sram.map, what lies where in the\n"
     "workers' SRAM. --read DIR checks all of them.",
     0, 1,
     LIST(COMMON, OPTION_MACHINE, OPTION_WORKERS, OPTION_STRATEGY, OPTION_CHIPS, OPTION_GOAL, OPTION_LEVEL, OPTION_READ,
          OPTION_DRAM_BYTE),
     cmd_schedule},
    {"power", "MACHINE NETWORK | --mapping FILE.yaml | --point FRONT.json:ID",
     "at which operating point each layer or loop runs",
     "Scenarios: speed and energy (least time, least energy), time (least energy by a deadline), power (least time\n"
     "under a peak or average power) and energy-budget (least time within an energy). Further budgets hold as well.\n"
     "The best schedule is proven best, over every choice of voltages for the chip's power lanes, changes of level\n"
     "counted; the greedy one stands beside it. By a deadline the energy of sleeping until then counts, too. Work is\n"
     "that of a simulated design: the thesis splitter's, a split scheme's, --parts, a mapping, a front's point, or, "
     "with\n"
     "--search, of all designs. -o DIR writes schedule.csv, power.json, power.svg and, with --front, front.csv.",
     0, 2,
     LIST(COMMON, OPTION_SCENARIO, OPTION_BUDGET_MS, OPTION_BUDGET_FRAC, OPTION_BUDGET_MJ, OPTION_BUDGET_MW,
          OPTION_AVERAGE_MW, OPTION_NO_SLEEP, OPTION_LEVELS, OPTION_LAYERS, OPTION_SPLIT_SCHEME, OPTION_STRATEGY,
          OPTION_PARTS, OPTION_POINT, OPTION_MAPPING, OPTION_TASKS, OPTION_PER_LOOP, OPTION_RATIO, OPTION_FRONT,
          OPTION_DETAIL, OPTION_ANALYSE, OPTION_SEARCH, OPTION_CONV_1X1, OPTION_NETWORK_RESULT),
     cmd_power},
    {"arada", "SPACE.yaml", "clock and bandwidth of each layer on systolic arrays, by what it waits for",
     "The ARADA paper's allocation for every machine and network of a space with a section 'arada': layers that wait\n"
     "for the memory run slower, others leave bandwidth over. Savings by scheme (IDEAL, VF-OH, VF-OH-Q) against race\n"
     "to idle, beside published ones, and the bandwidth at which those are met. -o DIR writes schedule.csv (what a\n"
     "run-time system reads, layer by layer), summary.csv, arada.json, means.svg, networks.svg and, where the space\n"
     "names them, layers.svg.",
     1, 1, LIST(COMMON), cmd_arada},
    {"validate", "REFERENCE.csv...", "predict what others measured and show the errors",
     "The kind of a reference table is known by its header: layers by strategy (strategy_clocks, layer_tasks), MAC\n"
     "array (mac_array_clocks, mac_array_performance) or phase (phase_clocks), whole networks (overall_clocks,\n"
     "overall_transfer_clocks), single tasks (pe_tasks, hdl_clocks), splits (split_utilisation), systolic\n"
     "arrays (scalesim_reference), ARADA's allocation (arada_table1_mobilenet_edge). Examples are in\n"
     "tests/reference/. Values that are sums, or whose source skipped part of the work, are listed and not counted;\n"
     "overall_clocks tells convolutions twice, as the source ran them and with all work done. A column of a machine\n"
     "parameter's name (noc.clk_mhz) sets it for the machine of each row.",
     1, SIZE_MAX, LIST(COMMON, OPTION_MACHINE, OPTION_MAX_ERROR, OPTION_SVG, OPTION_DETAIL), cmd_validate},
    {"fit", "MEASUREMENTS.csv", "fit clocks and energies of a machine to measurements",
     "A row is a task that was measured, alone or repeated: its shape, the operating point, and clk, time_ns or\n"
     "energy_nj; spaces/README.md lists the columns. Fitted are the constants of the grey-box clock model for each\n"
     "kind of task and operating point, energies of actions and static powers, none of them below 0. Prints estimates\n"
     "with 95 % confidence intervals, the residuals, errors of rows left out, and which parameters the measurements\n"
     "cannot tell apart; exits 4 when they do not determine all of them. -o FILE writes sections of a machine file.",
     1, 1, LIST(COMMON, OPTION_MACHINE, OPTION_CLOCKS, OPTION_WHERE, OPTION_PARAMETERS, OPTION_FIX, OPTION_ROBUST),
     cmd_fit},
    {"import", "MODEL.onnx", "say what becomes of an ONNX model's nodes; make a network of it",
     "Lists every node with what does it: the MLA, the ARM cores, nothing (folded: part of weights or known "
     "beforehand;\n"
     "free: other addresses of the same numbers), or that there is no layer for it, with what to do. Weights need not "
     "be\n"
     "there. -o FILE writes the network; other commands read the model itself where all its dimensions are known. "
     "Exits 3\n"
     "when a network is asked for and nodes have no layers.",
     1, 1, LIST(COMMON, OPTION_DIM), cmd_import},
    {"init", "[NAME]", "write a space to begin with, every part of it explained",
     "Writes NAME.yaml (my_space.yaml), which is explored in a second and says itself what may be changed. A file that "
     "is\n"
     "there already stays.",
     0, 1, LIST(OPTION_HELP, OPTION_QUIET), cmd_init},
    {"check", "FILE...", "check spaces, machines and networks; print how large a space is",
     "Says for a space how many designs it holds, and the expected time and memory of exploring it, with --detail\n"
     "event in the event tier, some designs of which it then times for two seconds.",
     1, SIZE_MAX, LIST(COMMON, OPTION_DETAIL), cmd_check},
    {"explain", "SPACE.yaml", "say in words what a space asks for and what its search will do",
     "Machines and what varies of them, networks, which layers may choose from what and how many designs that is,\n"
     "constraints, objectives, engine, expected time and memory: what 'dse check' counts, as sentences.",
     1, 1, LIST(COMMON), cmd_explain},
    {"completion", "bash|zsh|machines|networks|runs", "print what completes command lines in a shell",
     "'dse completion bash' and 'dse completion zsh' print a script, which 'make install' installs; for one shell:\n"
     "'. <(dse completion bash)', or 'eval \"$(dse completion zsh)\"' after compinit. The others list the names of "
     "what is\n"
     "shipped, and of kept runs, which the scripts ask for.",
     1, 1, LIST(OPTION_HELP), cmd_completion},
    {"man", "", "print the manual page", "In troff, as 'make install' installs it: 'dse man | man -l -' shows it.", 0,
     0, LIST(OPTION_HELP), cmd_man},
    {"roofline", "MACHINE NETWORK...", "how near each layer comes to the roofs of array and memory",
     "For each convolution and fully-connected layer, on its own: operations a byte when every word of ifmap, weights\n"
     "and ofmap moves once (all weights on the chip, maps in tiles), what the array's and the memory's roof allow, "
     "and\n"
     "what the simulator reaches. A roofline for each network, each operating point of --levels (without it the\n"
     "machine's first) and each rate of --memory-gb-s. -o DIR writes roofline.csv, roofline.json and roofline.svg.",
     2, SIZE_MAX, LIST(COMMON, OPTION_LEVELS, OPTION_LAYERS, OPTION_MEMORY), cmd_roofline},
};
const size_t cli_n_command = sizeof(cli_command_table) / sizeof(cli_command_table[0]);
_Static_assert(sizeof(cli_command_table) / sizeof(cli_command_table[0]) <= CLI_MAX_COMMAND,
               "messages list all commands");
