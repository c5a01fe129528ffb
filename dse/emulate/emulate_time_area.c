/* SPDX-License-Identifier: Apache-2.0 */
/* The time area as bytes: each record described once, for writing and for reading. */
#include "dse/base/memory.h"
#include "dse/base/pack.h"
#include "dse/emulate/emulate_time.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PS_US 1e6 /* ps a us */

/* An area being written or read, and the field last touched. */
struct area {
	struct pack pack;
	const char *name;
	double tick_us;
	char record[48];
	struct err *err;
	enum err_code code;
};

static const char *const field_name[2 + EMULATE_N_PART] = {"begin", "end", "configuration", "weights",
                                                           "input", "mla", "arm",           "output"};

static void refuse(struct area *area, const char *field, uint64_t at, const char *what)
{
	if (area->code == ERR_OK)
		area->code = err_add(area->err, ERR_INPUT, "%s:%" PRIu64 ": %s, %s %s", area->name, at, area->record,
		                     field, what);
	(void)pack_refuse(&area->pack, true);
}

static uint64_t position(const struct area *area)
{
	return area->pack.is_reading ? area->pack.at : area->pack.n;
}

/* A time in ticks. */
static void put_time(struct area *area, double *us)
{
	uint64_t tick = area->pack.is_reading ? 0 : (uint64_t)llround(*us / area->tick_us);
	pack_u64(&area->pack, &tick);
	if (area->pack.is_reading)
		*us = (double)tick * area->tick_us;
}

static void put_none(struct area *area, unsigned n)
{
	for (unsigned i = 0; i < n && !area->pack.failed; i++) {
		uint64_t at = position(area), zero = 0;
		pack_u64(&area->pack, &zero);
		if (zero != 0)
			refuse(area, "time", at, "is not 0, and nobody measures it");
	}
}

/* Sums of rounded times may be as many half ticks off. */
static void check_worker(struct area *area, uint64_t at, const struct emulate_layer_time *layer,
                         const struct emulate_worker_time *worker)
{
	double sum = 0, slack = (2 + EMULATE_N_PART) * area->tick_us;
	for (int i = 0; i < EMULATE_N_PART; i++)
		sum += worker->part_us[i];
	if (worker->end_us < worker->begin_us)
		refuse(area, "end", at + 8, "is before begin");
	else if (worker->end_us > layer->end_us + slack || worker->begin_us + slack < layer->begin_us)
		refuse(area, "end", at + 8, "is outside the layer's time");
	else if (sum > worker->end_us - worker->begin_us + slack)
		refuse(area, field_name[2], at + 16, "and the other parts are longer than the worker took");
	else if (worker->end_us <= 0)
		refuse(area, "end", at + 8, "is 0: nothing was measured");
}

static void put_worker(struct area *area, const struct emulate_layer_time *layer, struct emulate_worker_time *worker)
{
	uint64_t at = position(area);
	put_time(area, &worker->begin_us);
	put_time(area, &worker->end_us);
	for (int i = 0; i < EMULATE_N_PART; i++)
		put_time(area, &worker->part_us[i]);
	if (area->pack.is_reading && !area->pack.failed)
		check_worker(area, at, layer, worker);
}

static void put_scheduler(struct area *area, double *begin_us, double *end_us, double *third_us, double *fourth_us)
{
	uint64_t at = position(area);
	put_time(area, begin_us);
	put_time(area, end_us);
	if (third_us && fourth_us) {
		put_time(area, third_us);
		put_time(area, fourth_us);
	}
	put_none(area, DRAM_TIME_BYTE / 8 - (third_us ? 4 : 2));
	if (area->pack.is_reading && !area->pack.failed && *end_us <= *begin_us)
		refuse(area, "end", at + 8, *end_us <= 0 ? "is 0: nothing was measured" : "is not behind begin");
}

static void put_layer(struct area *area, const struct octopus_dram *dram, uint32_t l, struct emulate_layer_time *time)
{
	const struct dram_layer *layer = &dram->layer[l];
	(void)snprintf(area->record, sizeof(area->record), "layer %" PRIu32 ", scheduler", l);
	put_scheduler(area, &time->begin_us, &time->end_us, NULL, NULL);
	for (uint32_t row = 0; row < dram->n_worker && !area->pack.failed; row++) {
		uint32_t p = 0;
		while (p < layer->n_worker && layer->worker[p].row != row)
			p++;
		(void)snprintf(area->record, sizeof(area->record), "layer %" PRIu32 ", worker %" PRIu32, l, row);
		if (p < layer->n_worker)
			put_worker(area, time, &time->worker[p]);
		else
			put_none(area, DRAM_TIME_BYTE / 8);
	}
}

static void put_area(struct area *area, const struct octopus_dram *dram, struct emulate_times *times)
{
	double begin_us = 0;
	for (uint32_t l = 0; l < dram->n_layer && !area->pack.failed; l++)
		put_layer(area, dram, l, &times->layer[l]);
	(void)snprintf(area->record, sizeof(area->record), "model, scheduler");
	if (!area->pack.failed)
		put_scheduler(area, &begin_us, &times->total_us, &times->setup_us, &times->cleanup_us);
	(void)snprintf(area->record, sizeof(area->record), "model, workers");
	put_none(area, dram->n_worker * (DRAM_TIME_BYTE / 8));
}

void emulate_time_write(const struct octopus_dram *dram, const struct emulate_times *times, uint8_t *area)
{
	struct area writer = {.tick_us = dram->tick_ps / PS_US};
	struct emulate_times same = *times; /* the fields are written from where they would be read to */
	put_area(&writer, dram, &same);
	memory_check(!writer.pack.failed);
	assert(writer.pack.n == dram->times.byte);
	memcpy(area, writer.pack.data, writer.pack.n);
	pack_free(&writer.pack);
}

enum err_code emulate_time_read(const char *name, const uint8_t *area, size_t n_byte, const struct octopus_dram *dram,
                                struct emulate_times *times, struct err *err)
{
	struct area reader = {
	    .pack = pack_reader(area, n_byte), .name = name, .tick_us = dram->tick_ps / PS_US, .err = err};
	*times = (struct emulate_times){0};
	if (n_byte != dram->times.byte)
		return err_add(err, ERR_INPUT, "%s: has %zu bytes, the image's time area has %" PRIu64, name, n_byte,
		               dram->times.byte);
	emulate_time_make_room(dram, times);
	put_area(&reader, dram, times);
	if (reader.code != ERR_OK)
		emulate_time_free(times);
	return reader.code;
}
