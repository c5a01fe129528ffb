/* SPDX-License-Identifier: Apache-2.0 */
/* What an audit found, for people, for programs and for the exit code. */
#include "dse/check/audit.h"
#include "dse/out/colour.h"
#include "dse/out/command_word.h"
#include <assert.h>
#include <inttypes.h>

static const char *const kind_name[AUDIT_N_KIND] = {
    [AUDIT_VALUE] = "value", [AUDIT_ORDER] = "order", [AUDIT_LACK] = "lacking design", [AUDIT_LAYER] = "layer search"};

void audit_print_verdict(const struct audit *audit, char *text, size_t n_byte)
{
	assert(audit && text);
	if (audit->n_fault > 0)
		(void)snprintf(text, n_byte, "audit FAILED, %" PRIu64 " faults", audit->n_fault);
	else if (!audit->claims && audit->n_better > 0)
		(void)snprintf(text, n_byte, "audited: %" PRIu64 " designs beat it", audit->n_better);
	else if (audit->n_machine_whole == audit->n_machine && audit->n_machine == audit->n_machine_all)
		(void)snprintf(text, n_byte, "audited by brute force over all %" PRIu64 " whole designs",
		               audit->n_whole);
	else
		(void)snprintf(text, n_byte, "audited: no fault in %" PRIu64 " whole designs",
		               audit->n_whole + audit->n_combined + audit->n_sample);
}

void audit_print(FILE *file, const struct audit *audit)
{
	assert(file && audit && !audit->interrupted);
	bool only_beaten = !audit->claims && audit->n_better > 0;
	(void)fputs("Audit: ", file);
	if (audit->n_fault > 0)
		colour_print(file, COLOUR_BAD, "FAILED");
	else
		colour_print(file, only_beaten ? COLOUR_WARNING : COLOUR_BEST, "%s",
		             only_beaten ? "the points are right, better designs exist" : "no fault found");
	(void)fprintf(file, ", %.1f s\n", audit->seconds);
	(void)fprintf(file, "  points evaluated again: %" PRIu64 "\n", audit->n_point);
	if (audit->n_whole > 0)
		(void)fprintf(file, "  every whole design of %" PRIu64 " of %" PRIu64 " machines: %" PRIu64 "\n",
		              audit->n_machine_whole, audit->n_machine_all, audit->n_whole);
	if (audit->n_layer + audit->n_layer_large > 0)
		(void)fprintf(file,
		              "  layer searches against brute force: %" PRIu64 " of %" PRIu64 ", over %" PRIu64
		              " designs\n",
		              audit->n_layer, audit->n_layer + audit->n_layer_large, audit->n_layer_design);
	if (audit->n_combined > 0)
		(void)fprintf(file, "  combinations of layers' points: %" PRIu64 "\n", audit->n_combined);
	if (audit->n_sample > 0)
		(void)fprintf(file, "  samples on %" PRIu64 " machines: %" PRIu64 "\n",
		              audit->n_machine - audit->n_machine_whole, audit->n_sample);
	(void)fprintf(file, "  feasible designs: %" PRIu64 "; ", audit->n_feasible);
	if (audit->n_better > 0)
		(void)fprintf(file, "no point is as good as %" PRIu64 " of them", audit->n_better);
	else
		(void)fprintf(file, "for each of them a point is as good");
	(void)fprintf(file, audit->epsilon > 0.0 ? ", to within %.3g %%\n" : "\n", 100.0 * audit->epsilon);
}

void audit_put_json(struct json *json, const struct audit *audit)
{
	assert(json && audit);
	json_begin_object(json, "audit");
	json_put_bool(json, "passed", audit->n_fault == 0);
	json_put_bool(json, "claims_all_designs", audit->claims);
	json_put_real(json, "epsilon", audit->epsilon);
	json_put_u64(json, "points", audit->n_point);
	json_put_u64(json, "machines", audit->n_machine);
	json_put_u64(json, "machines_whole", audit->n_machine_whole);
	json_put_u64(json, "whole_designs", audit->n_whole);
	json_put_u64(json, "layer_searches", audit->n_layer);
	json_put_u64(json, "layer_searches_too_large", audit->n_layer_large);
	json_put_u64(json, "layer_designs", audit->n_layer_design);
	json_put_u64(json, "combinations", audit->n_combined);
	json_put_u64(json, "samples", audit->n_sample);
	json_put_u64(json, "feasible", audit->n_feasible);
	json_put_u64(json, "not_matched", audit->n_better);
	json_put_u64(json, "faults", audit->n_fault);
	json_begin_list(json, "first_faults");
	for (size_t i = 0; i < audit->n_listed; i++) {
		json_put_object(json, NULL, "kind %s, machine %s, what %s", kind_name[audit->fault[i].kind],
		                audit->fault[i].machine, audit->fault[i].what);
	}
	json_end(json);
	json_put_real(json, "seconds", audit->seconds);
	json_end(json);
}

/* A fault, and how to see its design alone. */
static void tell_fault(const struct audit_fault *fault, const char *dir, struct err *err)
{
	char path[4200], word[4300], replay[4400] = "";
	bool is_lack = fault->kind == AUDIT_LACK;
	(void)snprintf(path, sizeof(path), "%s/%s.json", dir, is_lack ? "audit" : "front");
	if (is_lack || fault->kind == AUDIT_VALUE || fault->kind == AUDIT_ORDER)
		(void)snprintf(replay, sizeof(replay), "; to run it: dse simulate --point %s:%zu",
		               command_word_text(word, sizeof(word), path), fault->point);
	(void)err_add(err, ERR_INTERNAL, "audit: %s%s%s%s", fault->machine, fault->machine[0] ? ": " : "", fault->what,
	              replay);
}

enum err_code audit_judge(const struct audit *audit, const char *dir, const char *command, struct err *err)
{
	assert(audit && dir && command);
	for (size_t i = 0; i < audit->n_listed; i++)
		tell_fault(&audit->fault[i], dir, err);
	if (audit->n_fault == 0)
		return ERR_OK;
	return err_add(err, ERR_INTERNAL,
	               "audit: %" PRIu64
	               " faults: the front is not what its certificate says, which is an error of this "
	               "program; to find them again: %s",
	               audit->n_fault, command);
}
