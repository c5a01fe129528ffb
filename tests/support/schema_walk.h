/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SCHEMA_WALK_H
#define TESTS_SCHEMA_WALK_H
/* The part of JSON Schema that spaces/schemas uses: const, type, required, properties, additionalProperties, items. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static inline bool schema_is_type(const json_t *value, const char *type)
{
	return (strcmp(type, "object") == 0 && json_is_object(value)) ||
	       (strcmp(type, "array") == 0 && json_is_array(value)) ||
	       (strcmp(type, "string") == 0 && json_is_string(value)) ||
	       (strcmp(type, "integer") == 0 && json_is_integer(value)) ||
	       (strcmp(type, "number") == 0 && json_is_number(value)) ||
	       (strcmp(type, "boolean") == 0 && json_is_boolean(value)) ||
	       (strcmp(type, "null") == 0 && json_is_null(value));
}

static inline bool schema_has_type(const json_t *value, const json_t *type)
{
	for (size_t i = 0; i < json_array_size(type); i++)
		if (schema_is_type(value, json_string_value(json_array_get(type, i))))
			return true;
	return !type || (json_is_string(type) && schema_is_type(value, json_string_value(type)));
}

/* Whether a value keeps a schema; else where and what, into why. */
static inline bool schema_holds(const json_t *schema, const json_t *value, const char *path, char why[512])
{
	const json_t *constant = json_object_get(schema, "const"), *required = json_object_get(schema, "required");
	const json_t *properties = json_object_get(schema, "properties"), *items = json_object_get(schema, "items");
	const json_t *additional = json_object_get(schema, "additionalProperties");
	if (constant && !json_equal(constant, value))
		return snprintf(why, 512, "%s: another constant", path) < 0;
	if (!schema_has_type(value, json_object_get(schema, "type")))
		return snprintf(why, 512, "%s: of another type", path) < 0;
	for (size_t i = 0; json_is_object(value) && i < json_array_size(required); i++)
		if (!json_object_get(value, json_string_value(json_array_get(required, i))))
			return snprintf(why, 512, "%s: without %s", path,
			                json_string_value(json_array_get(required, i))) < 0;
	for (size_t i = 0; items && i < json_array_size(value); i++) {
		char own[256];
		(void)snprintf(own, sizeof(own), "%.200s[%zu]", path, i);
		if (!schema_holds(items, json_array_get(value, i), own, why))
			return false;
	}
	if (!json_is_object(value))
		return true;
	const char *key;
	const json_t *member;
	/* jansson's iteration is declared for objects that may change */
	json_t *object = json_deep_copy(value);
	bool holds = true;
	json_object_foreach(object, key, member)
	{
		char own[256];
		const json_t *rule = json_object_get(properties, key);
		(void)snprintf(own, sizeof(own), "%.200s.%.40s", path, key);
		rule = rule ? rule : additional;
		if (holds && json_is_false(rule))
			holds = snprintf(why, 512, "%s: no such key", own) < 0;
		else if (holds && json_is_object(rule))
			holds = schema_holds(rule, member, own, why);
	}
	json_decref(object);
	return holds;
}

#endif
