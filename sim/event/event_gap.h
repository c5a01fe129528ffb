/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_GAP_H
#define SIM_EVENT_GAP_H
/*
 * Gaps: between two messages of the host, packets stream over the chip one like the other, and most units rest. If all
 * that moves is in the same state a few clocks later, it goes on like that, and whole periods are skipped. Internal to
 * the tier.
 */
#include "sim/event/event_chip.h"

/* Let a chip that was set up skip within gaps. Memory may be out afterwards: then chip->gap is NULL. */
void event_gap_init(struct event_chip *chip);
/* The first event of a clock not before chip->gap->look_clk is about to run; true: the chip's clock has moved. */
bool event_gap_look(struct event_chip *chip, uint64_t clk);
/* A step begins at this clock, or units that ran ahead of the chip's are together at it again. */
void event_gap_reset(struct event_chip *chip, uint64_t clk);

/* A unit at a look. */
struct gap_unit {
	uint32_t n_run; /* times that it has run: the low bits will do */
	bool is_idle;   /* a QPE that waits for others: it has no words */
	size_t first_word, n_word, n_message;
};

/* An operation whose packets move: what it counts down. */
struct gap_count {
	uint32_t *field;
	uint32_t value;
};

/* The chip at a clock, before the events of that clock. */
struct gap_state {
	uint64_t clk, n_change, busy_tick; /* busy_tick: of all DRAMs so far */
	size_t n_count_down;
	struct gap_unit *unit;        /* [chip->queue.n_unit] */
	uint64_t *word, *count;       /* [GAP_N_WORD], [n_count] */
	struct gap_count *count_down; /* [GAP_N_COUNT_DOWN] */
	struct event_place *place;    /* [n_pe] */
};

#define GAP_N_WORD ((size_t)1 << 14)
#define GAP_N_COUNT_DOWN 512

struct event_gap {
	uint64_t look_clk, wait_clk; /* the next look; from a look in vain to the next one */
	uint64_t phase_clk;          /* all clock domains are in phase again */
	uint64_t period_clk;         /* a multiple of it: from the first look to the one to come */
	uint64_t last_change;        /* chip->n_change at the last look */
	bool has_first;              /* one state is there; the look to come is the second */
	uint32_t suspect;            /* the last unit that was in another state */
	size_t n_count;
	struct gap_state state[2];
};

/* Write all units' states at a clock; false: too much moves. */
bool event_gap_save(struct event_chip *chip, uint64_t clk, struct gap_state *state);
/* Whether a unit that has run is in the same state at a clock as at an earlier look; gap->word is overwritten. */
bool event_gap_unit_is_at(struct event_chip *chip, uint64_t clk, uint32_t unit, const struct gap_state *then,
                          struct gap_state *gap);
/* Whether to a unit that has not run since it was kept nothing has come. */
bool event_gap_unit_rests(const struct event_chip *chip, uint32_t unit, const struct gap_unit *kept);
/* Move the clocks of a unit, which are relative to the chip's. */
void event_gap_move(struct event_chip *chip, uint32_t unit, uint64_t skip_clk);

#endif
