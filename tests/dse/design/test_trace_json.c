/* SPDX-License-Identifier: Apache-2.0 */
/* Traces: JSON that a viewer reads, one track a unit and more where spans overlap, layers one after the other. */
#include "tests/support/unit_test.h"

#include "dse/design/trace_json.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A trace being written into memory. */
struct recording {
	char *text;
	size_t n_byte;
	FILE *file;
	struct trace_json *trace;
};

static void begin(struct recording *recording)
{
	struct err err = {0};
	*recording = (struct recording){0};
	recording->file = open_memstream(&recording->text, &recording->n_byte);
	assert_non_null(recording->file);
	assert_int_equal(trace_json_open(recording->file, &recording->trace, &err), ERR_OK);
}

/* Finish and parse: the list of events. */
static json_t *end(struct recording *recording, json_t **root)
{
	struct err err = {0};
	assert_int_equal(trace_json_close(recording->trace, &err), ERR_OK);
	assert_int_equal(fclose(recording->file), 0);
	*root = json_loads(recording->text, 0, NULL);
	assert_non_null(*root);
	free(recording->text);
	json_t *list = json_object_get(*root, "traceEvents");
	assert_true(json_is_array(list));
	return list;
}

static void tell(struct recording *recording, enum trace_unit unit, uint32_t index, const char *name,
                 uint64_t begin_clk, uint64_t end_clk)
{
	const struct trace_sink *sink = trace_json_sink(recording->trace);
	struct trace_span span = trace_make_span(unit, index, name, begin_clk, end_clk, 64);
	span.part = 3;
	sink->span(sink->context, &span);
}

static double number(const json_t *event, const char *key)
{
	const json_t *value = json_object_get(event, key);
	assert_true(json_is_number(value));
	return json_number_value(value);
}

static const char *text(const json_t *event, const char *key)
{
	const char *value = json_string_value(json_object_get(event, key));
	assert_non_null(value);
	return value;
}

/* The complete event of this name, of which there is one. */
static const json_t *find(const json_t *list, const char *name)
{
	const json_t *found = NULL;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *event = json_array_get(list, i);
		if (strcmp(text(event, "ph"), "X") != 0 || strcmp(text(event, "name"), name) != 0)
			continue;
		assert_null(found);
		found = event;
	}
	assert_non_null(found);
	return found;
}

/* The name of the track that an event is on. */
static const char *track(const json_t *list, const json_t *event)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *meta = json_array_get(list, i);
		if (strcmp(text(meta, "ph"), "M") == 0 && strcmp(text(meta, "name"), "thread_name") == 0 &&
		    number(meta, "pid") == number(event, "pid") && number(meta, "tid") == number(event, "tid"))
			return text(json_object_get(meta, "args"), "name");
	}
	fail_msg("a track without a name");
	return NULL;
}

static void test_trace_json_times_are_those_of_the_layers(void **state)
{
	(void)state;
	struct recording recording;
	json_t *root;
	begin(&recording);
	trace_json_begin(recording.trace, "CONV_1", 250.0);
	tell(&recording, TRACE_PE_MLA, 7, "task", 100, 350);
	trace_json_end(recording.trace, 1000);
	trace_json_begin(recording.trace, "FC_2", 500.0);
	tell(&recording, TRACE_DRAM, 1, "load", 50, 100);
	trace_json_end(recording.trace, 200);
	json_t *list = end(&recording, &root);
	/* 250 MHz: 4 ns a clock; the second layer begins after 1000 of these, at 2 ns a clock. */
	const json_t *task = find(list, "task"), *load = find(list, "load"), *layer = find(list, "FC_2");
	assert_true(number(task, "ts") == 0.4 && number(task, "dur") == 1.0);
	assert_true(number(load, "ts") == 4.1 && number(load, "dur") == 0.1);
	assert_true(number(layer, "ts") == 4.0 && number(layer, "dur") == 0.4);
	assert_string_equal(track(list, task), "PE 7 MLA");
	assert_string_equal(track(list, load), "DRAM 1");
	assert_string_equal(track(list, layer), "layers");
	const json_t *args = json_object_get(task, "args");
	assert_string_equal(text(args, "layer"), "CONV_1");
	assert_true(number(args, "part") == 3 && number(args, "mac_clk") == 64 && number(args, "begin_clk") == 100);
	assert_null(json_object_get(args, "peer"));
	json_decref(root);
}

/* Spans that overlap stand on tracks of their own, and a track is used again as soon as it is free. */
static void test_trace_json_tracks_do_not_overlap(void **state)
{
	(void)state;
	struct recording recording;
	json_t *root;
	begin(&recording);
	trace_json_begin(recording.trace, "CONV_1", 300.0);
	tell(&recording, TRACE_DRAM, 0, "first", 0, 10);
	tell(&recording, TRACE_DRAM, 0, "second", 5, 20);
	tell(&recording, TRACE_DRAM, 0, "third", 10, 30);
	tell(&recording, TRACE_DRAM, 0, "fourth", 20, 31);
	tell(&recording, TRACE_DRAM, 0, "fifth", 15, 32);
	trace_json_end(recording.trace, 40);
	trace_json_begin(recording.trace, "CONV_2", 300.0);
	tell(&recording, TRACE_DRAM, 0, "sixth", 0, 5);
	trace_json_end(recording.trace, 40);
	json_t *list = end(&recording, &root);
	static const struct {
		const char *name, *track;
	} expected[] = {{"first", "DRAM 0"},      {"second", "DRAM 0 (2)"}, {"third", "DRAM 0"},
	                {"fourth", "DRAM 0 (2)"}, {"fifth", "DRAM 0 (3)"},  {"sixth", "DRAM 0"}};
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_string_equal(track(list, find(list, expected[i].name)), expected[i].track);
	const json_t *first = find(list, "first"), *third = find(list, "third");
	/* a third of a nanosecond a clock has no end in decimals: nevertheless no overlap, no gap */
	assert_true(fabs(number(first, "ts") + number(first, "dur") - number(third, "ts")) < 1e-9);
	json_decref(root);
}

/* Units keep apart: the same index of different units is on different tracks, whatever their number. */
static void test_trace_json_has_a_track_for_each_unit(void **state)
{
	(void)state;
	static const char *const name[N_TRACE_UNIT] = {"mla", "dma", "router", "dram", "host", "phase", "arm"};
	struct recording recording;
	json_t *root;
	begin(&recording);
	trace_json_begin(recording.trace, "CONV_1", 250.0);
	for (unsigned i = 0; i < N_TRACE_UNIT; i++)
		tell(&recording, (enum trace_unit)i, 151, name[i], 1, 2);
	trace_json_end(recording.trace, 2);
	json_t *list = end(&recording, &root);
	for (unsigned i = 0; i < N_TRACE_UNIT; i++)
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(track(list, find(list, name[i])), track(list, find(list, name[k])));
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_trace_json_times_are_those_of_the_layers),
	    cmocka_unit_test(test_trace_json_tracks_do_not_overlap),
	    cmocka_unit_test(test_trace_json_has_a_track_for_each_unit),
	};
	return cmocka_run_group_tests(test, NULL, NULL);
}
