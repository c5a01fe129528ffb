/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_VERDICT_PARTS_H
#define DSE_VERDICT_PARTS_H
/*
 * Inside the verdict: facts (verdict.c), names (verdict_name.c), rows (verdict_row.c), and claims with their sentences,
 * whose order is verdict_claim.c's: the choice (verdict_choice.c), others on the front (verdict_front.c), machines that
 * lost (verdict_beaten.c), bounds and operating points (verdict_bound.c), one machine (verdict_single.c), and what has
 * no design (verdict_nothing.c).
 */
#include "dse/out/words.h"
#include "dse/verdict/verdict.h"

/* Figures that differ by less are called equal. */
#define RUN_VERDICT_SAME_FRAC 5e-4

struct run_verdict_maker {
	const struct run_verdict_of *of;
	struct run_verdict *verdict;
	bool is_scaled[SPACE_MAX_OBJECTIVE]; /* objectives that differ among designs of a machine */
	/* How far figures of the front may be off, and those of machines that were judged by the searching tier; 0
	 * where objectives are exact; slower_frac infinite: not known. */
	double own_frac, faster_frac, slower_frac;
	bool has_product;       /* an objective is a product of two such figures */
	struct words_text text; /* the sentence that is being made */
};

/* ---- names ---- */

/* The value of axis 0, the machine file, or of axis i, the space's i - 1, that a machine has, by number; how many there
 * are. */
size_t run_verdict_axis_at(const struct space *space, uint32_t machine_index, size_t axis);
size_t run_verdict_axis_n(const struct space *space, size_t axis);

/* What tells the machine from others: its values on axes that have several, "16x4, sram 64 KiB". */
void run_verdict_name(const struct space *space, uint32_t machine_index, struct words_text *text);

/* The same of several machines: values that all of them have, and ranges of others. */
void run_verdict_name_group(const struct space *space, const uint32_t *index, size_t n, struct words_text *text);

/*
 * The machines [n] in ascending order as the subject of a sentence: "16x2", "16x2 and 8x4", "n_dram 1 (3 machines)", or
 * where others have such values, too, "3 of 4 machines with 16x16".
 */
void run_verdict_name_all(const struct space *space, const uint32_t *index, size_t n, struct words_text *text);

/* Of the machine's values those that not all of the others [n] have. */
void run_verdict_name_beside(const struct space *space, uint32_t machine_index, const uint32_t *beside, size_t n,
                             struct words_text *text);

/* A part of a group of machines: " with memory 0.8 GB/s", or " in 3 of them" where no values tell it from the rest. */
void run_verdict_name_part(const struct space *space, const uint32_t *part, size_t n_part, const uint32_t *group,
                           size_t n_group, struct words_text *text);

/* "MAC array 72 %, DRAM 21 %": what takes a tenth of the time or more, two at most. */
void run_verdict_name_bounds(const struct standing_design *design, struct words_text *text);

/* ---- claims ---- */

/* Keep a claim of the sentence that is being made. */
void run_verdict_claim(struct run_verdict_maker *maker, struct run_verdict_claim claim);

/* The claims that the facts allow, and their sentences. */
void run_verdict_claim_all(struct run_verdict_maker *maker);

/* The sentence is done. */
void run_verdict_say(struct run_verdict_maker *maker);

/* Whether the search ended before its end. */
bool run_verdict_was_cut(const struct run_verdict_maker *maker);

/* "45.6 ms", "9.96 MB". */
void run_verdict_add_value(struct run_verdict_maker *maker, enum metric metric, double value);

/* "0.002", or of several "0.002 to 0.3" */
void run_verdict_add_range(struct words_text *text, double least, double most);

/* "latency_ms <= 20, energy_mj <= 3 and a deadline of 30 ms": the limits on results; false: there are none. */
bool run_verdict_add_limits(struct run_verdict_maker *maker);

/* The machine of the front with the least of every objective that differs among designs; NOBODY: none has. */
uint32_t run_verdict_find_winner(const struct run_verdict_maker *maker);

/* The machine of the front with the least of objective k. */
uint32_t run_verdict_find_best(const struct run_verdict *verdict, size_t k);

/* Which machine to take, and what was cut short; the machine that others are compared with. */
uint32_t run_verdict_say_choice(struct run_verdict_maker *maker);
void run_verdict_say_cut(struct run_verdict_maker *maker);

/* The other machines of the front. */
void run_verdict_say_others(struct run_verdict_maker *maker, uint32_t reference);

/* What values have more or less than others [n_objective], best first: "22 % faster, but 10 % more energy". */
void run_verdict_add_differences(struct run_verdict_maker *maker, const double *own, const double *other);

/* "half the", "1.5 times the" */
void run_verdict_add_times(struct words_text *text, double ratio);

/*
 * Why machines [n] are slower than those beside them, and take more energy: ", because ...", where all have the same
 * reason. false: none was found of their time. is_less: the sentence is on the others.
 */
bool run_verdict_add_reasons(struct run_verdict_maker *maker, const uint32_t *machine, const uint32_t *beside, size_t n,
                             bool is_less);

/* Machines that lost. */
void run_verdict_say_beaten(struct run_verdict_maker *maker);

/* What bounds the machine, and the operating points of its best designs. */
void run_verdict_say_bounds(struct run_verdict_maker *maker, uint32_t machine);
void run_verdict_say_levels(struct run_verdict_maker *maker, uint32_t machine);

/* What bounds most of the time of machines [n], of which nothing else is said. */
void run_verdict_add_most(struct run_verdict_maker *maker, const uint32_t *machine, size_t n);

/* A front of one machine. */
void run_verdict_say_single(struct run_verdict_maker *maker);

/* That there is no front; machines that have no design, or are not known. */
void run_verdict_say_nothing(struct run_verdict_maker *maker);
void run_verdict_say_rest(struct run_verdict_maker *maker);

/* ---- what the model can tell ---- */

/* Which machines lost by less than that. */
void run_verdict_find_doubts(struct run_verdict_maker *maker);

/* Mark in is_rival [n_machine] the machines that may have less of objective k than the best one; returns at which
 * uncertainty, 0: none may. */
double run_verdict_rivals(const struct run_verdict_maker *maker, uint32_t best, size_t k, bool *is_rival);

/* Whether more prices would tell who is better. */
bool run_verdict_wants_prices(const struct run_verdict_maker *maker);

/* "too close to call (+-7 %)" */
void run_verdict_add_close(struct run_verdict_maker *maker, double frac);

/* Whether values of two machines [n_objective] differ by less than the model can tell, but differ. */
bool run_verdict_is_close(const struct run_verdict_maker *maker, const double *own, const double *other);

/* Whether a limit is on what the tiers do not agree on. */
bool run_verdict_limits_are_off(const struct run_verdict_maker *maker);

/* ---- rows ---- */

/* Machines that are alike, as rows of the table. */
void run_verdict_make_rows(struct run_verdict_maker *maker);

/* A copy of a text in the verdict's arena. */
const char *run_verdict_text(struct run_verdict *verdict, const char *text);

#endif
