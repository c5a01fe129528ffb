/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_LEFTOVER_H
#define SIM_EVENT_LEFTOVER_H
/*
 * A chip between two steps: nothing is under way, but a DRAM or an SRAM may still be busy for some clocks, and clocks
 * of other domains are where they are. What is left over, relative to the present clock, is all that the next step
 * knows of those before. Internal to the tier.
 */
#include "sim/event/event_chip.h"

/* Words of a chip's leftover, and of its counters. */
size_t event_leftover_n_word(const struct event_chip *chip);
size_t event_leftover_n_count(const struct event_chip *chip);

/* False if something is under way, on its way or about to run: then there is no leftover. */
bool event_leftover_is_all(const struct event_chip *chip);
/* Write the leftover at the chip's clock to word[event_leftover_n_word]. event_leftover_is_all holds. */
void event_leftover_save(const struct event_chip *chip, uint64_t *word);
/* Make it the chip's at its present clock. */
void event_leftover_load(struct event_chip *chip, const uint64_t *word);

/* Write all that is counted to count[event_leftover_n_count]. */
void event_leftover_save_count(const struct event_chip *chip, uint64_t *count);
/* Add to all that is counted; with_event: to events simulated and clocks replayed, too. */
void event_leftover_add_count(struct event_chip *chip, const uint64_t *count, bool with_event);

#endif
