/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every option of every command in a row, from which come its number OPTION_<NAME>, its member of struct cli_options
 * and what parses and explains it; included by who says what OPTION(...) is to make of a row.
 *
 *   OPTION(NAME, type, member, name, letter or 0, argument as in the help or NULL: a flag, least, most, help)
 */
#ifdef OPTION
OPTION(HELP, FLAG, help, "help", 'h', NULL, 0, 0, "print this help")
OPTION(JSON, FLAG, json, "json", 0, NULL, 0, 0, "print the result as JSON")
OPTION(JOBS, U64, jobs, "jobs", 'j', "N", 0, 4096, "threads (default 0: one a core)")
OPTION(SEED, U64, seed, "seed", 0, "N", 0, 18446744073709551615.0,
       "seed of all random choices, 0 to 18446744073709551615 (default: the space's)")
OPTION(OUT, TEXT, out, "out", 'o', "PATH", 0, 0, "file to write the result to (default: stdout)")
OPTION(QUIET, FLAG, quiet, "quiet", 'q', NULL, 0, 0, "say nothing but results and errors")
OPTION(NO_PROGRESS, FLAG, no_progress, "no-progress", 0, NULL, 0, 0, "show no progress")
OPTION(COLOR, TEXT, color, "color", 0, "WHEN", 0, 0,
       "colours: auto (the default: on terminals, unless NO_COLOR is set), always or never")
/* Those above all commands have (OPTION_COLOR is the last). */
OPTION(ENGINE, TEXT, engine, "engine", 0, "NAME", 0, 0,
       "search engine: exact, exhaustive, nsga2 or pls (default: the space's)")
OPTION(FLAT, FLAG, flat, "flat", 0, NULL, 0, 0, "search whole networks at once instead of layer by layer")
OPTION(POINTS, FLAG, points, "points", 0, NULL, 0, 0, "also write the layers' fronts to points.csv")
OPTION(LIVE, TEXT, live, "live", 0, "X,Y|line", 0, 0,
       "on a terminal, draw the front so far over these two objectives (default: the space's first two);\n"
       "line: only say how far the search is")
OPTION(MAX_EVALUATIONS, U64, max_evaluations, "max-evaluations", 0, "N", 0, 1e18,
       "stop after about so many (default: the space's; 0: no limit)")
OPTION(EPSILON, REAL, epsilon_pct, "epsilon", 0, "PCT", 0, 100,
       "exact engine: search each layer only to within PCT percent of its front, or more where that takes long;\n"
       "the certificate says what results (default 0: exact)")
OPTION(LIKE, TEXT, like, "like", 0, "MACHINE", 0, 0, "the machine whose values are taken (default: dvfs_chip)")
OPTION(LAYERS, TEXT, layers, "layers", 0, "REGEX", 0, 0, "only layers whose core operation's name matches (PCRE2)")
OPTION(SPLIT_SCHEME, TEXT, split_scheme, "split-scheme", 0, "FILE", 0, 0,
       "CSV with the split of each operation (default: the thesis splitter's)")
OPTION(STRATEGY, TEXT, strategy, "strategy", 0, "NAME", 0, 0,
       "no_fusion, fusion, fusion_reuse or thesis_reuse (default fusion_reuse)")
OPTION(LEVEL, TEXT, level, "level", 0, "NAME", 0, 0, "operating point (default: the machine's first)")
OPTION(POINT, TEXT, point, "point", 0, "FRONT.json:ID", 0, 0,
       "replay a point of a front and compare every number; a run's folder, or its\n"
       "name in 'dse show', stands for its FRONT.json")
OPTION(MACHINE, TEXT, machine, "machine", 0, "MACHINE", 0, 0,
       "machine to predict for (default: the one each table was measured on)")
OPTION(MAX_ERROR, REAL, max_error_pct, "max-error", 0, "PCT", 0, 1e9,
       "exit 6 when a counted error is larger, in percent")
OPTION(SVG, TEXT, svg, "svg", 0, "FILE", 0, 0, "draw predicted against measured into FILE (SVG)")
OPTION(DETAIL, TEXT, detail, "detail", 0, "TIER", 0, 0,
       "fast (closed forms, the default), event (event by event) or greybox (fitted task clocks)")
OPTION(TRACE, TEXT, trace, "trace", 0, "FILE", 0, 0, "write what each unit does when, for ui.perfetto.dev (event tier)")
OPTION(AUDIT, FLAG, audit, "audit", 0, NULL, 0, 0,
       "check the front by brute force, or by samples where there are too many designs; exit 1 on faults")
OPTION(VERIFY, FLAG, verify, "verify", 0, NULL, 0, 0,
       "run the front again in the event tier and say which points it keeps")
OPTION(PROVE, FLAG, prove, "prove", 0, NULL, 0, 0,
       "run the front's designs on data, bit for bit, as dse prove does; exit 6 when one fails")
OPTION(RECOMPUTE, REAL, recompute_pct, "recompute", 0, "PCT", 0, 1e6,
       "multiply-accumulates that a group of layers may compute again at most, in percent (default 10)")
OPTION(BUSY, REAL, busy_pct, "busy", 0, "PCT", 0, 100,
       "PEs that have a tile of a group, in the mean of its waves, at least, in percent (default 50)")
OPTION(RESUME, TEXT, resume, "resume", 0, "DIR", 0, 0,
       "go on with the run that was stopped or killed in DIR; SPACE.yaml and options are the run's")
OPTION(SHARD, TEXT, shard, "shard", 0, "I/N", 0, 0,
       "make part I of N of the searches; 'dse merge' makes a front of all parts")
OPTION(COMPARE, LIST, compare, "compare", 0, "MAPPING", 0, 0,
       "place FRONT.json:ID, a mapping FILE.yaml, a split scheme FILE.csv or 'thesis' against the front; repeatable")
OPTION(EFFORT, TEXT, effort, "effort", 0, "NAME", 0, 0,
       "quick (exact, --epsilon 1), normal (exact) or signoff (exact, prices until the assumed gap\n"
       "closes, --verify, --audit)")
OPTION(MAX_SECONDS, U64, max_seconds, "max-seconds", 0, "N", 0, 1e9,
       "stop searching after so long (default 0: no limit); results depend on the machine; --resume goes on")
OPTION(COEFFICIENT_SAMPLES, U64, coefficient_samples, "coefficient-samples", 0, "N", 1, 100000,
       "samples of the coefficients of energy in their intervals: how often each machine and point is on the front")
OPTION(CERTIFICATE, TEXT, certificate, "certificate", 0, "FILE", 0, 0,
       "write what the front rests on to FILE, for 'dse check-certificate' (exact engine, --detail fast)")
OPTION(AUDIT_SAMPLES, U64, audit_samples, "audit-samples", 0, "N", 1, 1e12,
       "whole designs that --audit draws (default 100000, of the event tier 100); implies it")
OPTION(CLOCKS, TEXT, clocks, "clocks", 0, "COLUMN", 0, 0, "column of the measured clocks (default clk, else hdl_clk)")
OPTION(WHERE, TEXT, where, "where", 0, "COL=VALUE,...", 0, 0, "only rows with these cells")
OPTION(PARAMETERS, TEXT, parameters, "parameters", 0, "KEY,...", 0, 0,
       "fit only these (default: all that the measurements depend on, but for b of the clocks)")
OPTION(FIX, TEXT, fix, "fix", 0, "KEY=VALUE,...", 0, 0,
       "hold these instead of fitting them; LEVEL.KEY=VALUE at one operating point")
OPTION(BY, TEXT, by, "by", 0, "COLUMN,...", 0, 0,
       "fit rows that differ in these columns each by themselves: scenarios, whose clocks have constants of their own")
OPTION(ROBUST, FLAG, robust, "robust", 0, NULL, 0, 0, "let values that are far off count less (Huber's weights)")
OPTION(SCENARIO, TEXT, scenario, "scenario", 0, "NAME", 0, 0,
       "speed, energy, time, power or energy-budget (default: by the budgets given)")
OPTION(BUDGET_MS, REAL, budget_ms, "budget-ms", 0, "MS", 1e-9, 1e12, "deadline, in ms")
OPTION(BUDGET_FRAC, REAL, budget_frac, "budget-frac", 0, "F", 0, 1e3,
       "deadline F of the way from the fastest level's time to that of the level with the least energy")
OPTION(BUDGET_MJ, REAL, budget_mj, "budget-mj", 0, "MJ", 1e-12, 1e12, "energy at most, in mJ")
OPTION(BUDGET_MW, REAL, budget_mw, "budget-mw", 0, "MW", 1e-9, 1e12, "peak power at most, in mW")
OPTION(AVERAGE_MW, REAL, average_mw, "average-mw", 0, "MW", 1e-9, 1e12, "average power at most, in mW")
OPTION(NO_SLEEP, FLAG, no_sleep, "no-sleep", 0, NULL, 0, 0,
       "energy of the work alone, not of sleeping until the deadline")
OPTION(LEVELS, TEXT, levels, "levels", 0, "A,B", 0, 0,
       "operating points that may be used (default: all of the machine)")
OPTION(DOMAIN, TEXT, domain, "domain", 0, "NAME", 0, 0,
       "what has one level at a time in a layer's loops: chip, qpe or pe (default: dvfs.domain of the machine)")
OPTION(PARTS, U64, parts, "parts", 0, "N", 0, 1e9,
       "split each layer into N tasks, as evenly as its shape allows (default 0: as the splitter does)")
OPTION(TASKS, FLAG, tasks, "tasks", 0, NULL, 0, 0,
       "MLA tasks alone on all PEs, operands in place, as the DVFS paper counts")
OPTION(PER_LOOP, FLAG, per_loop, "per-loop", 0, NULL, 0, 0, "choose a level for each loop of tasks, not for each layer")
OPTION(RATIO, REAL, ratio, "ratio", 0, "R", 1e-6, 1e6,
       "set the energy of all work at the lower of two levels to R times that at the higher")
OPTION(FRONT, FLAG, front, "front", 0, NULL, 0, 0, "all schedules worth having in time and energy, too")
OPTION(SEARCH, FLAG, search, "search", 0, NULL, 0, 0, "choose each layer's split and strategy together with its level")
OPTION(
    ANALYSE, TEXT, analyse, "analyse", 0, "NAME", 0, 0,
    "pairs (which two levels), clock (of least energy), switch (break-even), sensitivity or domains (by chip, QPE, PE)")
OPTION(MEMORY, TEXT, memory_gb_s, "memory-gb-s", 0, "A,B", 0, 0,
       "rates of the memory, in GB/s, each with a roof of its own (default: the machine's)")
OPTION(DIM, LIST, dim, "dim", 0, "NAME=N", 0, 0,
       "size of a dimension that the model leaves open; repeatable (default: 1 for the first of an input)")
OPTION(MAPPING, TEXT, mapping, "mapping", 0, "FILE.yaml", 0, 0,
       "machine, network and the design of every layer: a mapping, or FRONT.json:ID")
OPTION(STORE, TEXT, store, "store", 0, "FILE", 0, 0,
       "keep runs in FILE, or none (default: $DSE_STORE, else dse.sqlite beside the runs' folders)")
OPTION(NO_CACHE, FLAG, no_cache, "no-cache", 0, NULL, 0, 0, "search again what a run that was kept has found already")
OPTION(SPACE, TEXT, space, "space", 0, "NAME", 0, 0, "only runs of this space")
OPTION(LAST, U64, last, "last", 0, "N", 0, 1e12, "only the newest N runs (default 20; 0: all)")
OPTION(KEEP, U64, keep, "keep", 0, "N", 0, 1e12, "with prune: the newest N runs of each space stay")
OPTION(OLDER_THAN, REAL, older_than_day, "older-than", 0, "DAYS", 0, 1e6,
       "with prune: runs younger than so many days stay")
OPTION(YES, FLAG, yes, "yes", 0, NULL, 0, 0, "with prune: remove them, instead of saying what would go")
OPTION(CSV, FLAG, csv, "csv", 0, NULL, 0, 0, "the run's front.csv (--json: its front.json)")
OPTION(FIGURES, TEXT, figures, "figures", 0, "DIR", 0, 0,
       "also write every figure as a picture into DIR: SVG, and PNG where rsvg-convert is installed")
OPTION(GOAL, TEXT, goal, "goal", 0, "NAME", 0, 0, "what the search makes least: latency (the default) or energy")
OPTION(SPLIT, TEXT, split, "split", 0, "NAME", 0, 0,
       "splits to choose from: all (the default), reduced, even; or thesis: by its rules, no search")
OPTION(FETCH_AHEAD, FLAG, fetch_ahead, "fetch-ahead", 0, NULL, 0, 0,
       "weights may be fetched into storage QPEs while the layer before runs")
OPTION(ARRAYS, TEXT, arrays, "arrays", 0, "A,B", 0, 0, "MAC arrays, e.g. 16x4,16x2 (default: the machine's)")
OPTION(INTENSITY, TEXT, intensity, "intensity", 0, "NAME", 0, 0,
       "bytes of operations a byte: thesis (padded ifmap, weights, ofmap before pooling; the default) or traffic\n"
       "(what windows read, weights, what is written; the default of systolic arrays)")
OPTION(PUBLISHED, TEXT, published, "published", 0, "FILE", 0, 0,
       "CSV of published figures: print them beside ours, under each reading of the memories' GB/s")
OPTION(MEASURED, TEXT, measured, "measured", 0, "FILE", 0, 0,
       "CSV of measured layers (machine, memory, network, layer, total_us, stall_us, dram_byte), instead of simulating "
       "them")
OPTION(FEEDBACK, U64, feedback, "feedback", 0, "N", 1, 1000,
       "simulate N inferences of the run-time feedback: measure, predict, correct")
OPTION(NOISE, REAL, noise_pct, "noise", 0, "PCT", 0, 100,
       "of the memory's time, a standard deviation from inference to inference (default 10)")
OPTION(RUNTIME, FLAG, runtime, "runtime", 0, NULL, 0, 0,
       "count what OctopuScheduler takes beside the work: setup, cleanup, scheduling and configuration of each layer\n"
       "(machines with a section octopus)")
OPTION(CONV_1X1, TEXT, conv_1x1, "conv-1x1", 0, "A,B", 0, 0,
       "forms that 1x1 convolutions may have in a search: conv, packed, matmul (default: these), and\n"
       "tight, without the pixels that a stride skips behind the last output; of simulate: the one\n"
       "form that they have (default: conv)")
OPTION(NETWORK_RESULT, TEXT, network_result, "network-result", 0, "PLACE", 0, 0,
       "where the result of a searched network must lie: dram (the default) or any, which lets\n"
       "it stay in storage QPEs")
OPTION(WORKERS, TEXT, workers, "workers", 0, "N|best|paper", 0, 0,
       "N are enabled, of which a layer uses the best number; best (the default) enables what is\n"
       "best; paper: as in OctopuScheduler's paper")
OPTION(CHIPS, U64, chips, "chips", 0, "N", 1, 256,
       "a pipeline of up to N chips, each with layers of its own (default 1)")
OPTION(READ, TEXT, read, "read", 0, "DIR", 0, 0,
       "read and check the files of an earlier -o DIR instead of making a schedule")
OPTION(WEIGHTS, TEXT, weights, "weights", 0, "WHAT", 0, 0,
       "fill dram.bin, as 8-bit numbers: random (generated from --seed) or model (of an ONNX file);\n"
       "none (the default)")
OPTION(CALIBRATE, TEXT, calibrate, "calibrate", 0, "FILE", 0, 0,
       "inputs on which scales are measured: float32, little-endian, one behind the other (default: generated)")
OPTION(INPUT, TEXT, input, "input", 0, "FILE", 0, 0,
       "inputs to run, int8, one behind the other (default: one, generated from --seed)")
OPTION(TARGET, TEXT, target, "target", 0, "CHIP", 0, 0,
       "also write what a host needs to load and start it on this chip: spinnaker2 (load.h, load.py), or none (the default)")
OPTION(TIME_AREA, TEXT, time_area, "time-area", 0, "FILE", 0, 0,
       "the time area of the DRAM after a run of the image: file to write it to; needs --machine")
OPTION(DRAM_BYTE, U64, dram_byte, "dram-byte", 0, "N", 0, 1099511627776.0,
       "memory of the chip's DRAM, in bytes (default: 2147483648)")
OPTION(DATE, TEXT, date, "date", 0, "YYYY-MM-DD", 0, 0, "the night's date (default: today, in UTC)")
OPTION(SEEDS, U64, seeds, "seeds", 0, "N", 3, 100,
       "seeds of the night for each stochastic search, besides the space's own (default 5)")
OPTION(ACCEPT, LIST, accept, "accept", 0, "NAME", 0, 0,
       "take this space's result for good whatever it is compared with; repeatable")
OPTION(NOTE, TEXT, note, "note", 0, "TEXT", 0, 0, "why it is accepted, for those who read the page")
OPTION(TABLES, LIST, tables, "tables", 0, "PATH", 0, 0,
       "reference table, or folder of them, for the models' errors; none: no errors (default:\n"
       "tests/reference, where it is); repeatable")
OPTION(MAX_MB, U64, max_mb, "max-mb", 0, "MB", 0, 1e9,
       "memory that the process of a space (of dse explore: a process with --isolate) may have, in 10^6 byte; more is\n"
       "its failure (default 0: no limit)")
OPTION(ISOLATE, FLAG, isolate, "isolate", 0, NULL, 0, 0,
       "search in a process of its own: a machine on which it aborts, hangs or finds no memory has failed, and is left\n"
       "out; all others are searched")
OPTION(STEP_SECONDS, U64, step_seconds, "step-seconds", 0, "N", 1, 1e9,
       "with --isolate: a step on one machine (its bounds, the search of a layer, composition) that takes longer hangs\n"
       "(default: none does)")
OPTION(TOLERANCE, TEXT, tolerance, "tolerance", 0, "PCT", 0, 0,
       "exit 6 when hypervolume or any objective's least value is worse by more per cent (default 0); by objective:\n"
       "latency_ms=1,energy_mj=2")
OPTION(SET, LIST, set, "set", 0, "KEY=VALUE", 0, 0,
       "a machine parameter in place of the machine file's, with a unit where you like: mla.array=32x4,\n"
       "pe.sram_byte=64KiB, noc.clk_mhz=300MHz; of an operating point: levels.PL1.clk_mhz=320MHz; repeatable")
OPTION(VARY, LIST, vary, "vary", 0, "KEY=VALUES", 0, 0,
       "a machine parameter that varies: mla.array=16x4,32x4, pe.sram_byte=64KiB..256KiB:x2 or :+32KiB; repeatable")
OPTION(LIMIT, LIST, limit, "limit", 0, "CONDITION", 0, 0,
       "what must hold of results or machines: 'latency_ms <= 43', 'chip.n_dram * dram.clk_mhz <= 1600'; repeatable")
OPTION(OBJECTIVE, LIST, objective, "objective", 0, "METRIC", 0, 0,
       "what is to be small, one to four: latency_ms, energy_mj, edp_mj_ms, run_time_ms, dram_byte, peak_power_mw,\n"
       "sram_used_frac, mac_units, sram_byte, area_mm2, leakage_mw; repeatable\n"
       "(default: latency_ms, energy_mj, and what the parameters that vary make large)")
#else
struct cli_options; /* of one member a row */
#endif
