/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/keep/checkpoint.h"
#include "sim/base/stop.h"
#include "dse/keep/output_file.h"
#include <assert.h>
#include <string.h>

#define LEAST_MS 250
#define COST_FACTOR 20

bool checkpoint_is_due(struct checkpoint *checkpoint)
{
	uint64_t now_ms = stop_now_ms();
	assert(checkpoint);
	if (checkpoint->next_ms == 0)
		checkpoint->next_ms = now_ms + LEAST_MS;
	return now_ms >= checkpoint->next_ms;
}

void checkpoint_write(struct checkpoint *checkpoint, const struct pack *pack)
{
	struct output_file file = {0};
	struct pack record = {0};
	uint64_t start_ms = stop_now_ms();
	assert(checkpoint->path && checkpoint->question && !pack->is_reading);
	journal_pack(&record, JOURNAL_IDENTITY, checkpoint->question, strlen(checkpoint->question));
	journal_pack(&record, JOURNAL_STATE, pack->data, pack->n);
	checkpoint->failed = pack->failed || record.failed || output_file_open(&file, checkpoint->path, NULL) != ERR_OK;
	if (!checkpoint->failed) {
		/* a short write shows when the file is committed */
		(void)fwrite(record.data, 1, record.n, file.file);
		checkpoint->failed = output_file_commit(&file, NULL) != ERR_OK;
	}
	pack_free(&record);
	uint64_t now_ms = stop_now_ms(), pause_ms = (now_ms - start_ms) * COST_FACTOR;
	checkpoint->next_ms = now_ms + (pause_ms > LEAST_MS ? pause_ms : LEAST_MS);
}
