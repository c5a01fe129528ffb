/* SPDX-License-Identifier: Apache-2.0 */
/* The options as a table, and what there is to say of some of them beside. */
#include "dse/options/cli_table.h"

const struct option_info option_table[N_OPTION] = {
#define OPTION(NAME, type, member, name, letter, argument, least, most, help) \
	[OPTION_##                                                            \
	    NAME] = {name, letter, argument, TYPE_##type, offsetof(struct cli_options, member), least, most, help},
#include "dse/options/cli_option_rows.h"
#undef OPTION
};

const struct option_note option_note_table[] = {
    {"nightly", OPTION_TOLERANCE,
     "what is worse or better by no more per cent is no difference; by objective: latency_ms=1,energy_mj=2 (default:\n"
     "the space's resolution; else how sure the model is of times and energies, and of counts 0)"},
    {"nightly", OPTION_MAX_SECONDS,
     "seconds that the process of a space may take; more is its failure (default 0: no limit)"},
    {"nightly", OPTION_OUT, "folder for the store and nightly/DATE/ (default results)"},
    {"explore", OPTION_OUT, "folder for the runs' folders and their store (default results)"},
    {"explore", OPTION_DETAIL,
     "both (the default: the fast tier searches, the event tier prices what may be on the front),\n"
     "fast (closed forms; where there are no prices), event (event by event) or greybox (fitted task clocks)"},
    {"size", OPTION_DETAIL,
     "both (the default: the fast tier searches, the event tier prices what may be on the front),\n"
     "fast (closed forms), event (event by event) or greybox (fitted task clocks)"},
    {"size", OPTION_OUT, "folder for the space's file, the runs' folders and their store (default results)"},
    {"merge", OPTION_OUT, "folder for the front's folder (default results)"},
    {"simulate", OPTION_AUDIT, "simulate every event, also where all state has recurred; exit 1 when clocks differ"},
    {"map", OPTION_OUT, "folder to write mapping and split reports to (default: none)"},
    {"map", OPTION_STRATEGY, "no_fusion, fusion, fusion_reuse or thesis_reuse (default: what is best for each layer)"},
    {"map", OPTION_DETAIL,
     "fast (the default), or both: the fast tier searches, the event tier prices what may be best"},
    {"map", OPTION_GOAL, "what the search makes least: latency (the default), energy or edp, their product"},
    {"map", OPTION_POINT, "report the designs of this point of a front"},
    {"fuse", OPTION_PROVE, "run every group on data, tile by tile: bit for bit what its layers compute; exit 6 when not"},
    {"prove", OPTION_POINT, "prove the designs of this point of a front"},
    {"schedule", OPTION_OUT, "folder to write dram.bin, dram.map and schedule.yaml to (default: none)"},
    {"schedule", OPTION_STRATEGY, "dram (the default), hide or sram"},
    {"schedule", OPTION_MACHINE, "the machine; required"},
    {"emulate", OPTION_MACHINE, "machine whose run-time model tells the times"},
    {"fit", OPTION_TIME_AREA,
     "fit the run-time model of multi-layer schedules to times that a run of IMAGE left in the time area"},
    {"emulate", OPTION_OUT, "file to write the outputs to (default: none)"},
    {"report", OPTION_JSON, "print the data of the page as JSON instead of writing the page"},
    {"report", OPTION_OUT,
     "file to write (default: report.html in the run's folder, of several runs in the current one)"},
    {"report", OPTION_POINT, "ID of the point whose layers are shown first (default: the knee)"},
    {"power", OPTION_OUT, "folder to write schedule, picture and front to (default: none)"},
    {"sensitivity", OPTION_POINT, "ID of the run's point whose machine it is (default: the knee)"},
    {"sensitivity", OPTION_SVG, "draw the bars into FILE (SVG)"},
    {"power", OPTION_POINT, "take the designs of this point of a front"},
    {"arada", OPTION_OUT, "folder to write schedules and pictures to (default: none)"},
    {"validate", OPTION_DETAIL,
     "fast (closed forms, the default), event (event by event), greybox (fitted task clocks),\n"
     "both (fast and event) or all"},
    {"fit", OPTION_OUT, "file to write sections of a machine file to (default: none)"},
    {"fit", OPTION_SVG, "draw measured and predicted energies of tasks into FILE (SVG)"},
    {"fit", OPTION_MACHINE, "machine whose other parameters hold (default: dvfs_chip)"},
    {"import", OPTION_OUT, "file to write the network to (default: none)"},
    {"roofline", OPTION_OUT, "folder to write roofline.csv, roofline.json and roofline.svg to (default: none)"},
    {"explore", OPTION_SET,
     "a machine parameter of all machines in place of their files', and in place of the space's axis: "
     "pe.sram_byte=64KiB;\n"
     "repeatable"},
    {"validate", OPTION_SET,
     "a machine parameter, where a table's own columns do not say it: noc.hop_clk=5; repeatable"},
    {"roofline", OPTION_LEVELS, "operating points to draw (default: the machine's first)"},
    {NULL, OPTION_HELP, NULL},
};

const struct option_values option_values_table[] = {
    {NULL, OPTION_COLOR, "auto always never"},
    {NULL, OPTION_LIVE, "line"},
    {NULL, OPTION_ENGINE, "exact exhaustive nsga2 pls"},
    {NULL, OPTION_EFFORT, "quick normal signoff"},
    {"simulate", OPTION_DETAIL, "fast event greybox"},
    {"explore", OPTION_DETAIL, "fast event greybox both"},
    {"size", OPTION_DETAIL, "fast event greybox both"},
    {NULL, OPTION_OBJECTIVE,
     "latency_ms energy_mj edp_mj_ms run_time_ms dram_byte peak_power_mw sram_used_frac mac_units sram_byte area_mm2 "
     "leakage_mw"},
    {"map", OPTION_DETAIL, "fast both"},
    {"validate", OPTION_DETAIL, "fast event greybox both all"},
    {NULL, OPTION_DETAIL, "fast event"},
    {"schedule", OPTION_STRATEGY, "dram hide sram"},
    {NULL, OPTION_STRATEGY, "no_fusion fusion fusion_reuse thesis_reuse"},
    {NULL, OPTION_SCENARIO, "speed energy time power energy-budget"},
    {NULL, OPTION_ANALYSE, "pairs clock switch sensitivity domains"},
    {"map", OPTION_GOAL, "latency energy edp"},
    {NULL, OPTION_GOAL, "latency energy"},
    {NULL, OPTION_SPLIT, "all reduced even thesis"},
    {NULL, OPTION_CONV_1X1, "conv packed matmul tight"},
    {NULL, OPTION_NETWORK_RESULT, "dram any"},
    {NULL, OPTION_WORKERS, "best paper"},
    {NULL, OPTION_TARGET, "none spinnaker2"},
    {NULL, OPTION_WEIGHTS, "none random model"},
    {NULL, OPTION_INTENSITY, "thesis traffic"},
    {NULL, OPTION_DOMAIN, "chip qpe pe"},
    {NULL, OPTION_HELP, NULL},
};

const struct option_unit option_unit_table[] = {
    {OPTION_BUDGET_MS, "ms"},  {OPTION_BUDGET_MJ, "mJ"},    {OPTION_BUDGET_MW, "mW"}, {OPTION_AVERAGE_MW, "mW"},
    {OPTION_MAX_SECONDS, "s"}, {OPTION_DRAM_BYTE, "bytes"}, {OPTION_MAX_MB, "MB"},    {OPTION_HELP, NULL},
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
