/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memo of steps. Only steps that begin and end with nothing under way are kept (event_leftover.h).
 *
 *   key     machine and level, phase of the clock domains, leftover, operations or jobs
 *   answer  clocks, what was counted, leftover; where it is recorded, the clock of every operation
 *
 * The machine and the plans of tasks are keyed by all their bytes: a parameter that the tier learns to heed is in the
 * key from the first. Bytes between fields may keep a step from being found, and never let a wrong one be.
 */
#include "sim/event/event_step.h"
#include "sim/event/event_leftover.h"
#include "sim/event/event_loop.h"
#include "sim/event/event_memo.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <string.h>

/* What numbers stand for in keys. */
enum part { PART_MACHINE, PART_PLAN };

#define N_OP_WORD 3 /* of an operation or a job */
/* In the first word of a key: the answer has clocks of operations; the host takes turns. */
#define KEY_RECORDED ((uint64_t)1 << 8)
#define KEY_TURNS ((uint64_t)1 << 9)

struct event_share {
	struct event_memo *memo;
	uint64_t machine;                  /* number of machine and level */
	uint64_t *plan;                    /* [schedule->n_shape] numbers */
	size_t n_left, n_count, n_key_max; /* words */
	uint64_t *key, *answer, *before;   /* [n_key_max], [1 + n_count + n_left + operations], [n_count] */
};

struct machine_part {
	struct machine machine;
	uint64_t level;
};

/* Operations or jobs of the largest step. */
static size_t n_item_max(const struct event_chip *chip)
{
	size_t n = 0;
	for (uint32_t i = 0; i < chip->schedule->n_step; i++) {
		const struct schedule_step *step = &chip->schedule->step[i];
		size_t n_item = step->n_op > step->n_job ? step->n_op : step->n_job;
		n = n_item > n ? n_item : n;
	}
	return n;
}

/* False where the memo is full: nothing of this chip can be kept. */
static bool number_parts(struct event_chip *chip, struct event_share *share)
{
	struct machine_part *part = arena_array(&chip->memory, 1, sizeof(*part));
	if (!part)
		return false;
	memcpy(&part->machine, chip->machine, sizeof(part->machine));
	part->level = chip->level;
	share->machine = event_memo_number(share->memo, PART_MACHINE, part, sizeof(*part));
	bool all = share->machine != 0;
	for (uint32_t i = 0; i < chip->schedule->n_shape && all; i++) {
		share->plan[i] = event_memo_number(share->memo, PART_PLAN, &chip->plan[i], sizeof(chip->plan[i]));
		all = share->plan[i] != 0;
	}
	return all;
}

void event_step_share(struct event_chip *chip, struct event_memo *memo)
{
	struct arena *memory = &chip->memory;
	chip->share = NULL;
	/* From the first clock a packet then takes at least one to a port (event_noc_eject: no packet before clock 1).
	 */
	if (!memo || chip->machine->chip.host_latency_clk == 0)
		return;
	struct event_share *share = arena_array(memory, 1, sizeof(*share));
	if (!share)
		return;
	share->memo = memo;
	share->n_left = event_leftover_n_word(chip);
	share->n_count = event_leftover_n_count(chip);
	share->n_key_max = 5 + share->n_left + n_item_max(chip) * N_OP_WORD;
	share->plan = arena_array(memory, chip->schedule->n_shape, sizeof(*share->plan));
	share->key = arena_array(memory, share->n_key_max, sizeof(*share->key));
	share->answer =
	    arena_array(memory, 1 + share->n_count + share->n_left + n_item_max(chip), sizeof(*share->answer));
	share->before = arena_array(memory, share->n_count, sizeof(*share->before));
	if (!memory->is_out && number_parts(chip, share))
		chip->share = share;
}

/* ---- keys ---- */

static uint64_t relative(const struct schedule_step *step, uint32_t before)
{
	return before == SCHEDULE_NONE ? SCHEDULE_NONE : before - step->first_op;
}

static void add_op(const struct event_share *share, const struct schedule_step *step, const struct op *op,
                   struct event_state *key)
{
	uint64_t what = op->kind == OP_TASK ? share->plan[op->shape] : op->byte;
	event_state_add(key, (uint64_t)op->pe << 32 | op->peer);
	event_state_add(key, what << 3 | op->kind);
	event_state_add(key, relative(step, op->before[0]) << 32 | relative(step, op->before[1]));
}

static void add_job(const struct event_share *share, const struct job *job, struct event_state *key)
{
	event_state_add(key, (uint64_t)job->queue << 32 | job->store_byte);
	event_state_add(key, (uint64_t)job->map_byte << 32 | job->filter_byte);
	event_state_add(key, share->plan[job->shape] << 1 | job->same_pe);
}

static size_t make_key(const struct event_chip *chip, const struct schedule_step *step)
{
	struct event_share *share = chip->share;
	struct event_state key = {.word = share->key, .n_max = share->n_key_max};
	uint64_t clk = chip->queue.clk, tick_khz = chip->mesh.n_dram > 0 ? chip->dram[0].tick_khz : 0;
	_Static_assert(OP_SYNC < 8, "kinds of operations fit three bits");
	event_state_add(&key, EVENT_MEMO_STEP | (chip->record ? KEY_RECORDED : 0) |
	                          (event_host_takes_turns(step) ? KEY_TURNS : 0));
	event_state_add(&key, share->machine);
	event_state_add(&key, clk * chip->noc_khz % chip->pe_khz);
	event_state_add(&key, clk * tick_khz % chip->pe_khz);
	event_state_add(&key, (uint64_t)step->n_op << 32 | step->n_job);
	event_leftover_save(chip, key.word + key.n_word);
	key.n_word += share->n_left;
	for (uint32_t i = 0; i < step->n_op; i++)
		add_op(share, step, &chip->schedule->op[step->first_op + i], &key);
	for (uint32_t i = 0; i < step->n_job; i++)
		add_job(share, &chip->schedule->job[step->first_job + i], &key);
	assert(key.n_word <= key.n_max);
	return key.n_word;
}

/* ---- answers ---- */

static size_t n_answer(const struct event_chip *chip, const struct schedule_step *step)
{
	return 1 + chip->share->n_count + chip->share->n_left + (chip->record ? step->n_op : 0);
}

static void keep(const struct event_chip *chip, const struct schedule_step *step, size_t n_key, uint64_t begin_clk)
{
	const struct event_share *share = chip->share;
	uint64_t *count = share->answer + 1, *op_clk = count + share->n_count + share->n_left;
	share->answer[0] = chip->queue.clk - begin_clk;
	event_leftover_save_count(chip, count);
	for (size_t i = 0; i < share->n_count; i++)
		count[i] -= share->before[i];
	event_leftover_save(chip, count + share->n_count);
	for (uint32_t i = 0; chip->record && i < step->n_op; i++)
		op_clk[i] = chip->record->op_clk[step->first_op + i] - begin_clk;
	event_memo_put(share->memo, share->key, n_key, share->answer, n_answer(chip, step));
}

/* False: the clocks would end behind the last that can be told, and a simulation says so. */
static bool take_over(struct event_chip *chip, const struct schedule_step *step, const struct event_answer *answer)
{
	const struct event_share *share = chip->share;
	const uint64_t *count = answer->word + 1, *op_clk = count + share->n_count + share->n_left;
	assert(answer->n_word == n_answer(chip, step));
	if (chip->queue.clk > chip->max_clk || answer->word[0] > chip->max_clk - chip->queue.clk)
		return false;
	for (uint32_t i = 0; chip->record && i < step->n_op; i++)
		chip->record->op_clk[step->first_op + i] = chip->queue.clk + op_clk[i];
	event_queue_reset(&chip->queue, chip->queue.clk + answer->word[0]);
	event_leftover_add_count(chip, count, true);
	event_leftover_load(chip, count + share->n_count);
	return true;
}

enum err_code event_step_run(struct event_chip *chip, const struct schedule_step *step, struct err *err)
{
	if (!chip->share || !event_leftover_is_all(chip))
		return event_loop_run(chip, step, err);
	struct event_share *share = chip->share;
	uint64_t begin_clk = chip->queue.clk;
	size_t n_key = make_key(chip, step);
	struct event_answer answer = event_memo_find(share->memo, share->key, n_key);
	if (answer.word && take_over(chip, step, &answer))
		return ERR_OK;
	event_leftover_save_count(chip, share->before);
	enum err_code code = event_loop_run(chip, step, err);
	if (code == ERR_OK && !chip->memory.is_out && event_leftover_is_all(chip))
		keep(chip, step, n_key, begin_clk);
	return code;
}
