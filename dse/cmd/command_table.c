/* SPDX-License-Identifier: Apache-2.0 */
/* All commands, as help lists them: questions and answers first. A new one is a row here, a declaration in
 * command_table.h and a file cmd_<name>.c. */
#include "dse/cmd/command_table.h"
#include "dse/space/space.h"
#include "dse/why/why.h"

/* The options of a command: those of all commands, its own, and the end. */
#define LIST(...)                     \
	(const enum cli_option[])     \
	{                             \
		__VA_ARGS__, N_OPTION \
	}
#define COMMON \
	OPTION_HELP, OPTION_JSON, OPTION_JOBS, OPTION_SEED, OPTION_OUT, OPTION_QUIET, OPTION_NO_PROGRESS, OPTION_COLOR

static const struct cli_command command_table[] = {
    {"explore", "SPACE.yaml", "find the designs of a space that are worth having",
     "Evaluates the designs that SPACE.yaml describes and writes those that no other design beats in every\n"
     "objective to results/<space>-<hash>/: front.csv, front.json, front.svg, run.json. The fast tier searches, the\n"
     "event tier prices what may be on the front, which is that tier's then. --detail fast is the quick look, with\n"
     "--verify every design on the fast tier's front runs again in the event tier, which marks those points that\n"
     "another one then beats. Genetic and flat searches and those of systolic arrays are in the fast tier. --detail\n"
     "event searches in the event tier, which takes thousands of times longer ('dse check SPACE.yaml' says how long).\n"
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
     LIST(COMMON, OPTION_ENGINE, OPTION_FLAT, OPTION_POINTS, OPTION_LIVE, OPTION_MAX_EVALUATIONS, OPTION_EPSILON,
          OPTION_DETAIL, OPTION_VERIFY, OPTION_PROVE, OPTION_AUDIT, OPTION_RESUME, OPTION_SHARD, OPTION_AUDIT_SAMPLES,
          OPTION_COEFFICIENT_SAMPLES, OPTION_EFFORT, OPTION_MAX_SECONDS, OPTION_COMPARE, OPTION_STORE, OPTION_NO_CACHE,
          OPTION_SET, OPTION_CERTIFICATE, OPTION_ISOLATE, OPTION_STEP_SECONDS, OPTION_MAX_MB),
     cmd_explore},
    {"size", "MACHINE NETWORK...",
     "which machine should these networks have? asked on the command line, without a file",
     "Asks what 'dse explore' asks of a file: --vary says which parameters of the machine vary, as a list\n"
     "(mla.array=16x4,32x4) or a range (pe.sram_byte=64KiB..256KiB:x2, or :+32KiB), --limit what must hold, "
     "--objective\n"
     "what is better: without it latency, energy, and MAC units or SRAM where arrays, PEs or memories vary. Layers "
     "may\n"
     "have every legal split, strategy and operating point. The space is written beside the run's folder: edit it and\n"
     "go on with 'dse explore'. Its mistakes have file, line and column there. NETWORK may be an ONNX model.",
     2, 1 + SPACE_MAX_NETWORK,
     LIST(COMMON, OPTION_VARY, OPTION_LIMIT, OPTION_OBJECTIVE, OPTION_SET, OPTION_ENGINE, OPTION_FLAT, OPTION_POINTS,
          OPTION_LIVE, OPTION_MAX_EVALUATIONS, OPTION_EPSILON, OPTION_DETAIL, OPTION_VERIFY, OPTION_PROVE, OPTION_AUDIT,
          OPTION_AUDIT_SAMPLES, OPTION_COEFFICIENT_SAMPLES, OPTION_EFFORT, OPTION_MAX_SECONDS, OPTION_COMPARE,
          OPTION_STORE, OPTION_NO_CACHE),
     cmd_size},
    {"why", "RUN CHOICE...", "why is a choice not on a run's front? searched anew: margin, layers that lose, next step",
     "CHOICE is a machine parameter (mla.array=24x8), a machine of the run's space or a file (machine=NAME), "
     "strategy=,\n"
     "level= or split= of all layers, or of one (CONV_3.strategy=fusion, CONV_3.split=height:28*2), or a mapping's\n"
     "FILE.yaml; several hold together. A split is all, even, whole, thesis, or parts of some dimensions of a layer. "
     "All\n"
     "else that the space leaves open is searched again, exactly and in the fast tier (a mapping is run as it is on "
     "each\n"
     "machine; a machine from a file is as its file says), and dse says whether the choice is on the front; where "
     "not,\n"
     "by how much each of its designs is beaten at least, which layers lose most and what bounds them, and the "
     "smallest\n"
     "step of one axis that would put it there: of a parameter that is fixed to the next values in the space, of "
     "others\n"
     "beyond its ends. RUN as in 'dse report'.",
     2, 3 + WHY_MAX_LAYER + MACHINE_SET_MAX, LIST(COMMON, OPTION_STORE), cmd_why},
    {"sensitivity", "RUN | MACHINE NETWORK", "what to change next: each parameter of a machine at its next value",
     "Every parameter of the machine goes to its next value up and down, one at a time, and the network is mapped "
     "anew:\n"
     "the least latency and the least energy of all mappings, exactly and in the fast tier, what changes in percent, "
     "and\n"
     "the elasticity (d ln of it / d ln of the value). First stands what lowers latency times energy most. A next "
     "value\n"
     "is the next of the run's axis, else half and twice. Parameters of which that says nothing new (coefficients of\n"
     "energy, prices, clocks of levels) are named with the reason. Of a RUN (as in 'dse report') the machine is that "
     "of\n"
     "the knee, or of --point, with the run's layers, limits and deadline; of MACHINE NETWORK layers may have every\n"
     "split, strategy, operating point and form of 1x1 convolutions. --svg FILE draws it.",
     1, 2, LIST(COMMON, OPTION_STORE, OPTION_POINT, OPTION_SVG, OPTION_SET), cmd_sensitivity},
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
          OPTION_CONV_1X1, OPTION_NETWORK_RESULT, OPTION_RUNTIME, OPTION_MAPPING, OPTION_POINT, OPTION_DETAIL,
          OPTION_SET),
     cmd_map},
    {"fuse", "MACHINE NETWORK", "which layers to run depth first, tile by tile, for the least DRAM traffic",
     "A group of up to 10 consecutive layers runs tile by tile: each PE takes a tile of the last layer's result and\n"
     "computes in its own SRAM what it needs of all layers before, halo included; nothing between them goes to DRAM.\n"
     "Weights of a layer stay in every PE, or are streamed to all PEs in each wave of tiles. Searched, exactly, are all\n"
     "groupings, tiles, resident weights, and which results stay in storage QPEs. A layer by itself counts with the "
     "least\n"
     "of any mapping: each tensor read or written once. Counted are bytes and multiply-accumulates, not clocks: 'dse map'\n"
     "has layers' times, one by one. Convolutions, pooling, shortcuts and other work by pixel can be fused.",
     2, 2, LIST(COMMON, OPTION_RECOMPUTE, OPTION_BUSY, OPTION_PROVE, OPTION_SET), cmd_fuse},
    {"simulate", "MACHINE NETWORK | --mapping FILE.yaml | --point FRONT.json:ID",
     "one fixed design: clocks, bytes and energy per operation",
     "MACHINE and NETWORK are files or the names of shipped ones (under spaces/machines and spaces/networks).\n"
     "With --point a design of a front runs again, in the tier the front was made in; exits 1 when any number\n"
     "differs. In another tier the output says how far the two are apart. --trace and --audit need the event tier\n"
     "and choose it. --mapping runs a mapping (spaces/README.md), made by 'dse map' or by hand. +-% says how far\n"
     "latency and clocks were off in nine of ten comparisons of such phases: fast tier with event tier, or with\n"
     "--detail event that with reference simulations (sim/README.md).",
     0, 2,
     LIST(COMMON, OPTION_LAYERS, OPTION_SPLIT_SCHEME, OPTION_STRATEGY, OPTION_LEVEL, OPTION_CONV_1X1, OPTION_POINT,
          OPTION_MAPPING, OPTION_DETAIL, OPTION_TRACE, OPTION_AUDIT, OPTION_SET),
     cmd_simulate},
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
     LIST(COMMON, OPTION_LAYERS, OPTION_SPLIT_SCHEME, OPTION_STRATEGY, OPTION_LEVEL, OPTION_POINT, OPTION_MAPPING,
          OPTION_SET),
     cmd_prove},
    {"roofline", "MACHINE NETWORK...", "how near each layer comes to the roofs of array and memory",
     "For each convolution and fully-connected layer, on its own: operations a byte when every word of ifmap, weights\n"
     "and ofmap moves once (--intensity says which words), what the roofs of array, memory and NoC allow, and what\n"
     "the simulator reaches. A roofline for each network, each operating point of --levels (without it the machine's\n"
     "first), each rate of --memory-gb-s, MAC array of --arrays and strategy of --strategy A,B (which share a panel;\n"
     "without it the fastest one of each layer). -o DIR writes roofline.csv, roofline.json and roofline.svg.",
     2, SIZE_MAX,
     LIST(COMMON, OPTION_LEVELS, OPTION_LAYERS, OPTION_MEMORY, OPTION_STRATEGY, OPTION_ARRAYS, OPTION_INTENSITY,
          OPTION_SET),
     cmd_roofline},
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
          OPTION_PARTS, OPTION_POINT, OPTION_MAPPING, OPTION_TASKS, OPTION_PER_LOOP, OPTION_DOMAIN, OPTION_RATIO,
          OPTION_FRONT, OPTION_DETAIL, OPTION_ANALYSE, OPTION_SEARCH, OPTION_CONV_1X1, OPTION_NETWORK_RESULT,
          OPTION_SET),
     cmd_power},
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
     "workers' SRAM. --weights fills dram.bin, so that 'dse emulate' can run it; --target adds a host's side.\n"
     "--read DIR checks all of them.",
     0, 1,
     LIST(COMMON, OPTION_MACHINE, OPTION_WORKERS, OPTION_STRATEGY, OPTION_CHIPS, OPTION_GOAL, OPTION_LEVEL, OPTION_READ,
          OPTION_DRAM_BYTE, OPTION_WEIGHTS, OPTION_CALIBRATE, OPTION_TARGET, OPTION_SET),
     cmd_schedule},
    {"emulate", "IMAGE", "run a DRAM image that dse schedule filled, byte by byte, in whole numbers",
     "IMAGE is a dram.bin (or its folder) that 'dse schedule --weights' wrote. The emulator has host, scheduler, "
     "workers\n"
     "and DRAM and starts from the image's bytes alone. It prints the bytes, loads and packets of each layer; -o FILE\n"
     "writes the outputs, int8, one input's after the other's. With --machine it tells times, by the run-time model\n"
     "of multi-layer schedules and each worker's own work, and --time-area writes them as the chip leaves them, for\n"
     "'dse fit --time-area'. A damaged image is refused with offset, record and "
     "field.",
     1, 1, LIST(COMMON, OPTION_INPUT, OPTION_MACHINE, OPTION_LEVEL, OPTION_TIME_AREA, OPTION_SET), cmd_emulate},
    {"arada", "SPACE.yaml", "clock and bandwidth of each layer on systolic arrays, by what it waits for",
     "The ARADA paper's allocation for every machine and network of a space with a section 'arada': layers that wait\n"
     "for the memory run slower, others leave bandwidth over. Savings by scheme (IDEAL, VF-OH, VF-OH-Q) against race\n"
     "to idle, beside published ones, and the bandwidth at which those are met. -o DIR writes schedule.csv (what a\n"
     "run-time system reads, layer by layer), summary.csv, arada.json, means.svg, networks.svg and, where the space\n"
     "names them, layers.svg.",
     1, 1, LIST(COMMON, OPTION_PUBLISHED, OPTION_MEASURED, OPTION_FEEDBACK, OPTION_NOISE, OPTION_SET), cmd_arada},
    {"report", "RUN...", "write a page that shows runs: fronts, designs, rooflines, clocks, energies, search",
     "One HTML file, which needs no network: open it in a browser. RUN is a folder that 'dse explore' wrote, or a run "
     "that\n"
     "was kept: its number in 'dse runs', the first digits of its signature, its space's name, last, or last~1. Every "
     "design\n"
     "of the front is run once more for what front.json does not tell; where its inputs are gone, or a number comes "
     "out\n"
     "otherwise, the page says so and leaves that out. results/README.md says what is on the page.",
     1, 16, LIST(COMMON, OPTION_STORE, OPTION_POINT, OPTION_FIGURES), cmd_report},
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
    {"nightly", "SPACE.yaml...", "explore spaces night by night; say what is worse than in the last good night",
     "Explores each space as 'dse explore' does, and compares it with its last good night in the store. Exact "
     "searches\n"
     "may differ by no more than their certificates; of stochastic ones --seeds searches a night show the noise, and\n"
     "what is worse than that explains fails. Prints a line a space and writes index.html (trends over nights),\n"
     "nightly.json and junit.xml to results/nightly/DATE/. Each space runs in a process of its own: one that aborts, "
     "is\n"
     "killed or takes longer than --max-seconds has failed, with what reproduces it, and the night goes on. Exits 6 "
     "when\n"
     "a space is worse. What was changed on purpose\n"
     "becomes the new good night by --accept; the same date again goes on where the night stopped.",
     1, SIZE_MAX,
     LIST(OPTION_HELP, OPTION_JSON, OPTION_JOBS, OPTION_OUT, OPTION_QUIET, OPTION_NO_PROGRESS, OPTION_COLOR,
          OPTION_STORE, OPTION_DATE, OPTION_SEEDS, OPTION_ACCEPT, OPTION_NOTE, OPTION_TABLES, OPTION_MAX_SECONDS,
          OPTION_MAX_MB, OPTION_TOLERANCE, OPTION_SET),
     cmd_nightly},
    {"merge", "DIR...", "make the front of a space from the folders of its shards",
     "Takes the folders that 'dse explore SPACE.yaml --shard I/N' wrote for I = 1 to N, in any order, checks that all\n"
     "of them are there, complete and of one space, version and choice of options, and writes what one\n"
     "'dse explore SPACE.yaml' would have written. Options are the shards'.",
     1, SIZE_MAX,
     LIST(COMMON, OPTION_POINTS, OPTION_VERIFY, OPTION_PROVE, OPTION_AUDIT, OPTION_AUDIT_SAMPLES, OPTION_COMPARE,
          OPTION_STORE),
     cmd_merge},
    {"check-certificate", "CERTIFICATE [SPACE.yaml]",
     "check what a search proved of its front, by code that shares nothing with the search",
     "Reads what 'dse explore SPACE.yaml --detail fast --certificate FILE' wrote, and the space anew, from where the\n"
     "certificate says or from SPACE.yaml. Boxes must cover all designs of each layer on each machine; each must lie\n"
     "behind the point that cut it, by its bound; points of layers and of the front are priced again; sums of all "
     "layers\n"
     "are made again, and the front must cover them to within the epsilon that it states. Model and bounds are "
     "believed,\n"
     "nothing of search or composition is. Exits 6 and names the line of the first step that is false, 3 where the "
     "file is\n"
     "damaged or the space another one.",
     1, 2, LIST(COMMON), cmd_check_certificate},
    {"validate", "REFERENCE.csv...", "predict what others measured and show the errors",
     "The kind of a reference table is known by its header: layers by strategy (strategy_clocks, layer_tasks), MAC\n"
     "array (mac_array_clocks, mac_array_performance) or phase (phase_clocks), whole networks (overall_clocks,\n"
     "overall_transfer_clocks), single tasks (pe_tasks, hdl_clocks), splits (split_utilisation), systolic\n"
     "arrays (scalesim_reference), ARADA's allocation (arada_table1_mobilenet_edge). Examples are in\n"
     "tests/reference/. Values that are sums, or whose source skipped part of the work, are listed and not counted;\n"
     "overall_clocks tells convolutions twice, as the source ran them and with all work done. A column of a machine\n"
     "parameter's name (noc.clk_mhz) sets it for the machine of each row.",
     1, SIZE_MAX, LIST(COMMON, OPTION_MACHINE, OPTION_MAX_ERROR, OPTION_SVG, OPTION_DETAIL, OPTION_SET), cmd_validate},
    {"fit", "MEASUREMENTS.csv | IMAGE --time-area FILE", "fit clocks and energies of a machine to measurements",
     "A row is a task that was measured, alone or repeated: its shape, the operating point, and clk, time_ns or\n"
     "energy_nj; spaces/README.md lists the columns. Fitted are the constants of the grey-box clock model for each\n"
     "kind of task and operating point, energies of actions and static powers, none of them below 0. Prints estimates\n"
     "with 95 % confidence intervals, the residuals, errors of rows left out, and which parameters the measurements\n"
     "cannot tell apart; exits 4 when they do not determine all of them. -o FILE writes sections of a machine file,\n"
     "--svg FILE a picture of measured and predicted energies. With --time-area FILE are the times that a run of the\n"
     "DRAM image IMAGE left, on the chip or of 'dse emulate': printed are the parts of layers that the model gets wrong\n"
     "and the constants of the run-time model that the times determine.",
     1, 1,
     LIST(COMMON, OPTION_MACHINE, OPTION_CLOCKS, OPTION_WHERE, OPTION_PARAMETERS, OPTION_FIX, OPTION_ROBUST, OPTION_BY,
          OPTION_SVG, OPTION_TIME_AREA, OPTION_LEVEL, OPTION_SET),
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
    {"init", "[NAME] | machine NAME", "write a space, or a machine, to begin with, every part of it explained",
     "Writes NAME.yaml (my_space.yaml), which is explored in a second and says itself what may be changed. 'machine "
     "NAME'\n"
     "writes a machine file with the values of --like, each with unit, range and meaning. A file that is there "
     "already\n"
     "stays.",
     0, 2, LIST(OPTION_HELP, OPTION_LIKE, OPTION_SET, OPTION_QUIET), cmd_init},
    {"check", "FILE...", "check spaces, machines and networks; print how large a space is",
     "Says for a space how many designs it holds, and the expected time and memory of exploring it, with --detail\n"
     "event in the event tier, some designs of which it then times for two seconds.",
     1, SIZE_MAX, LIST(COMMON, OPTION_DETAIL, OPTION_SET), cmd_check},
    {"explain", "SPACE.yaml | MACHINE.yaml", "say in words what a space asks for, or what a machine is",
     "Machines and what varies of them, networks, which layers may choose from what and how many designs that is,\n"
     "constraints, objectives, engine, expected time and memory: what 'dse check' counts, as sentences. Of a machine "
     "its\n"
     "parts and rates, the defaults that its file leaves in force, and which of its numbers are measured, published,\n"
     "fitted, derived or assumed.",
     1, 1, LIST(COMMON, OPTION_SET), cmd_explain},
    {"completion", "bash|zsh|machines|networks|parameters|runs [MACHINE...]",
     "print what completes command lines in a shell",
     "'dse completion bash' and 'dse completion zsh' print a script, which 'make install' installs; for one shell:\n"
     "'. <(dse completion bash)', or 'eval \"$(dse completion zsh)\"' after compinit. The others list the names of "
     "what is\n"
     "shipped, and of kept runs, which the scripts ask for; parameters of machines, those of operating points, too.",
     1, SIZE_MAX, LIST(OPTION_HELP), cmd_completion},
    {"man", "[" MAN_PAGES "]", "print the manual page, or a page of reference",
     "In troff, as 'make install' installs it: 'dse man | man -l -' shows it. Pages of reference are in Markdown:\n"
     "commands and their options, exit codes, parameters of machines, metrics.",
     0, 1, LIST(OPTION_HELP), cmd_man},
};

const struct cli_program command_program = {command_table, sizeof(command_table) / sizeof(command_table[0])};
_Static_assert(sizeof(command_table) / sizeof(command_table[0]) <= CLI_MAX_COMMAND, "messages list all commands");
