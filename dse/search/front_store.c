/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/front_store.h"
#include "dse/base/memory.h"
#include "dse/out/build.h"
#include "dse/keep/run_store.h"
#include "dse/keep/squeeze.h"
#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A front to be written, squeezed already by the thread that found it. */
struct fresh {
	struct fresh *next;
	char key[HASH_HEX_SIZE], hash[HASH_HEX_SIZE];
	size_t n_byte, n_small; /* before squeezing and after */
	uint8_t *small;
};

struct front_store {
	struct database *database;
	pthread_mutex_t mutex;
	bool failed; /* reading did: nothing more is known */
	uint64_t n_taken;
	struct fresh *fresh;
};

enum err_code front_store_open(const char *path, struct front_store **fronts, struct err *err)
{
	*fronts = NULL;
	if (!build_sources[0])
		return ERR_OK;
	struct front_store *own = memory_array(1, sizeof(*own));
	memory_check(pthread_mutex_init(&own->mutex, NULL) == 0);
	enum err_code code = run_store_open(path, true, &own->database, err);
	if (code == ERR_OK)
		*fronts = own;
	else
		front_store_close(own);
	return code;
}

void front_store_close(struct front_store *fronts)
{
	if (!fronts)
		return;
	for (struct fresh *fresh = fronts->fresh; fresh;) {
		struct fresh *next = fresh->next;
		free(fresh->small);
		free(fresh);
		fresh = next;
	}
	database_close(fronts->database);
	(void)pthread_mutex_destroy(&fronts->mutex);
	free(fronts);
}

/* The program is part of the key: models, searches and the form of what is packed are its own. */
static void make_key(const struct front_key *key, char hex[HASH_HEX_SIZE])
{
	char text[160];
	int n = snprintf(text, sizeof(text), "%s %s %" PRIu64, build_sources, key->hex, key->room_byte);
	assert(n > 0 && (size_t)n < sizeof(text));
	hash_hex(text, (size_t)n, hex);
}

/* The bytes under a key; NULL: there are none, or they are damaged, which a search makes good. */
static uint8_t *read_front(struct front_store *fronts, const char *key, size_t *n_byte)
{
	struct query query;
	uint8_t *data = NULL;
	query_start(&query, fronts->database, "SELECT n_byte, hash, data FROM layer_front WHERE key = ?", NULL);
	query_put_text(&query, key);
	if (query_next(&query)) {
		size_t n_kept;
		*n_byte = (size_t)query_u64(&query, 0);
		const char *hash = query_text(&query, 1);
		const void *kept = query_bytes(&query, 2, &n_kept);
		(void)squeeze_expand(key, kept, n_kept, *n_byte, hash ? hash : "", &data, NULL);
	}
	fronts->failed |= query_end(&query) != ERR_OK;
	return data;
}

uint8_t *front_store_take_bytes(struct front_store *fronts, const struct front_key *key, size_t *n_byte)
{
	char hex[HASH_HEX_SIZE];
	uint8_t *data = NULL;
	if (!fronts)
		return NULL;
	make_key(key, hex);
	(void)pthread_mutex_lock(&fronts->mutex);
	if (!fronts->failed)
		data = read_front(fronts, hex, n_byte);
	(void)pthread_mutex_unlock(&fronts->mutex);
	return data;
}

void front_store_keep_bytes(struct front_store *fronts, const struct front_key *key, const void *data, size_t n_byte)
{
	if (!fronts)
		return;
	struct fresh *fresh = memory_array(1, sizeof(*fresh));
	make_key(key, fresh->key);
	fresh->n_byte = n_byte;
	fresh->small = squeeze(data, n_byte, 1, &fresh->n_small);
	hash_hex(data, n_byte, fresh->hash);
	(void)pthread_mutex_lock(&fronts->mutex);
	fresh->next = fronts->fresh;
	fronts->fresh = fresh;
	(void)pthread_mutex_unlock(&fronts->mutex);
}

/* Points beyond the layer's limits, which a search with higher ones found. */
static void drop_over_limit(struct candidate_task *task)
{
	const struct layer_problem *layer = &task->layer;
	struct pareto *front = &task->front, kept;
	pareto_init(&kept, front->n_objective, front->n_gene);
	for (size_t i = 0; i < front->n; i++) {
		const double *own = front->objective + i * front->n_objective;
		unsigned k = 0;
		while (k < layer->n_metric && own[k] <= layer->limit[k])
			k++;
		if (k == layer->n_metric)
			memory_check(pareto_append(&kept, own, front->genome + i * front->n_gene, front->tag[i]));
	}
	pareto_free(front);
	*front = kept;
}

/*
 * Take what a search with these limits found, or with higher ones as long as some design keeps these: where none does,
 * only a search of its own tells which comes nearest.
 */
static bool read_task(struct candidate *candidate, size_t i, struct pack *pack)
{
	struct candidate_task *task = &candidate->task[i];
	bool is_higher = false;
	for (unsigned k = 0; k < task->layer.n_metric; k++) {
		double limit = 0.0;
		pack_real(pack, &limit);
		if (pack_refuse(pack, !(limit >= task->layer.limit[k])))
			return false;
		is_higher |= limit > task->layer.limit[k];
	}
	/* what a search to within an epsilon left out may keep a limit that what stands for it does not */
	if (pack_refuse(pack, is_higher && task->layer.epsilon > 0))
		return false;
	candidate_pack_task(candidate, i, pack);
	if (!pack_done(pack))
		return false;
	if (!is_higher)
		return true;
	drop_over_limit(task);
	candidate_count_shared(task);
	task->over_limit = UINT32_MAX;
	if (task->front.n == 0)
		candidate_forget_task(candidate, i);
	return task->front.n > 0;
}

/* Whether the search of task i with this key is known; then the task has its front. */
static bool take_front(struct front_store *fronts, const struct front_key *key, struct candidate *candidate, size_t i)
{
	size_t n_byte = 0;
	uint8_t *data = front_store_take_bytes(fronts, key, &n_byte);
	if (!data)
		return false;
	struct pack pack = pack_reader(data, n_byte);
	bool is_known = read_task(candidate, i, &pack);
	free(data);
	(void)pthread_mutex_lock(&fronts->mutex);
	fronts->n_taken += is_known;
	(void)pthread_mutex_unlock(&fronts->mutex);
	return is_known;
}

/* Keep what the search of task i has found, when it came to its end. */
static void keep_front(struct front_store *fronts, const struct front_key *key, struct candidate *candidate, size_t i)
{
	const struct candidate_task *task = &candidate->task[i];
	struct pack pack = {0};
	if (task->code != ERR_OK || task->by_reason[LAYER_REASON_FAILED] > 0 || task->n_shared > 0)
		return;
	for (unsigned k = 0; k < task->layer.n_metric; k++) {
		double limit = task->layer.limit[k];
		pack_real(&pack, &limit);
	}
	candidate_pack_task(candidate, i, &pack);
	memory_check(!pack.failed);
	front_store_keep_bytes(fronts, key, pack.data, pack.n);
	pack_free(&pack);
}

struct front_keeper front_store_keeper(struct front_store *fronts)
{
	return (struct front_keeper){fronts, take_front, keep_front};
}

uint64_t front_store_n_taken(const struct front_store *fronts)
{
	return fronts ? fronts->n_taken : 0;
}

static enum err_code put_front(struct front_store *fronts, const struct fresh *fresh, struct err *err)
{
	struct query query;
	query_start(&query, fronts->database,
	            "INSERT OR REPLACE INTO layer_front VALUES (?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
	            err);
	query_put_text(&query, fresh->key);
	query_put_text(&query, build_sources);
	query_put_u64(&query, fresh->n_byte);
	query_put_text(&query, fresh->hash);
	query_put_bytes(&query, fresh->small, fresh->n_small);
	return query_run(&query);
}

enum err_code front_store_write(struct front_store *fronts, struct err *err)
{
	if (!fronts || !fronts->fresh)
		return ERR_OK;
	enum err_code code = database_begin(fronts->database, err);
	if (code != ERR_OK)
		return code;
	for (const struct fresh *fresh = fronts->fresh; fresh && code == ERR_OK; fresh = fresh->next)
		code = put_front(fronts, fresh, err);
	if (code == ERR_OK)
		return database_commit(fronts->database, err);
	database_rollback(fronts->database);
	return code;
}
