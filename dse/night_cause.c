/* SPDX-License-Identifier: Apache-2.0 */
/* What is not as it was in the good night: inputs by their hash, and the program. */
#include "dse/night.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct night_cause *add(struct night_space *space)
{
	struct night_cause *cause = space->n_cause < NIGHT_MAX_NAMED ? &space->cause[space->n_cause] : NULL;
	space->n_cause++;
	return cause;
}

static const struct run_file *find_input(const struct run_record *run, const char *name)
{
	for (size_t i = 0; i < run->n_input; i++)
		if (strcmp(run->input[i].name, name) == 0)
			return &run->input[i];
	return NULL;
}

/* Inputs of one run that the other has not, or has otherwise. */
static void compare_inputs(struct night_space *space, const struct run_record *good, const struct run_record *now)
{
	for (size_t i = 0; i < good->n_input; i++) {
		const struct run_file *then = &good->input[i], *same = find_input(now, then->name);
		struct night_cause *cause = same && strcmp(same->hash, then->hash) == 0 ? NULL : add(space);
		if (cause)
			*cause = (struct night_cause){then->name, "", then->hash, same ? same->hash : "not read", ""};
	}
	for (size_t i = 0; i < now->n_input; i++) {
		struct night_cause *cause = find_input(good, now->input[i].name) ? NULL : add(space);
		if (cause)
			*cause = (struct night_cause){now->input[i].name, "", "not read", now->input[i].hash, ""};
	}
}

static enum err_code find_run(struct night *night, uint64_t id, struct run_record *run, struct err *err)
{
	char name[24];
	(void)snprintf(name, sizeof(name), "%" PRIu64, id);
	return run_store_find(night->store, name, &night->arena, run, err);
}

enum err_code night_find_causes(struct night *night, struct night_space *space, struct err *err)
{
	struct run_record good, now;
	space->n_cause = 0;
	if (space->good->n_run == 0 || space->good->run[0].run == 0)
		return ERR_OK;
	enum err_code code = find_run(night, space->good->run[0].run, &good, err);
	if (code == ERR_OK)
		code = find_run(night, space->row->run[0].run, &now, err);
	if (code != ERR_OK)
		return code;
	compare_inputs(space, &good, &now);
	struct night_cause *cause = strcmp(good.build, now.build) == 0 ? NULL : add(space);
	if (cause)
		*cause = (struct night_cause){"dse", "", good.build, now.build, ""};
	return ERR_OK;
}
