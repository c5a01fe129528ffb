/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/keep/ranks.h"
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef DSE_MPI
#include <mpi.h>

enum { CHUNK_BYTE = 1 << 30, TAG = 1 }; /* MPI counts in int */

/* MPI_Init takes its time, so only those pay who were started as one of several. */
static bool has_launcher(void)
{
	static const char *const name[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
	                                   "MPI_LOCALRANKID"};
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (getenv(name[i]))
			return true;
	return false;
}

static bool is_running(void)
{
	int began = 0, ended = 0;
	(void)MPI_Initialized(&began);
	(void)MPI_Finalized(&ended);
	return began && !ended;
}

/* Without MPI_Init_thread: threads search, but only the one that started speaks to the others. */
void ranks_start(int *argc, char ***argv)
{
	int level;
	if (has_launcher())
		(void)MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
}

const char *ranks_library(char text[RANKS_LIBRARY_SIZE])
{
	char all[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int n = 0;
	if (MPI_Get_library_version(all, &n) != MPI_SUCCESS)
		return "unknown";
	all[strcspn(all, ",\n")] = '\0'; /* then come host and date of its build */
	(void)snprintf(text, RANKS_LIBRARY_SIZE, "%.*s", RANKS_LIBRARY_SIZE - 1, all);
	return text;
}

void ranks_end(void)
{
	if (is_running())
		(void)MPI_Finalize();
}

unsigned ranks_index(void)
{
	int rank = 0;
	if (is_running())
		(void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return (unsigned)rank;
}

unsigned ranks_n(void)
{
	int n = 1;
	if (is_running())
		(void)MPI_Comm_size(MPI_COMM_WORLD, &n);
	assert(n >= 1);
	return (unsigned)n;
}

/* MPI counts in int: pieces that it can count. */
static int piece_of(size_t n_byte, size_t at)
{
	return (int)(n_byte - at < CHUNK_BYTE ? n_byte - at : CHUNK_BYTE);
}

static void send_bytes(unsigned to, const void *data, size_t n_byte)
{
	for (size_t at = 0; at < n_byte; at += CHUNK_BYTE)
		(void)MPI_Send((const char *)data + at, piece_of(n_byte, at), MPI_BYTE, (int)to, TAG, MPI_COMM_WORLD);
}

static void receive_bytes(unsigned from, void *data, size_t n_byte)
{
	for (size_t at = 0; at < n_byte; at += CHUNK_BYTE)
		(void)MPI_Recv((char *)data + at, piece_of(n_byte, at), MPI_BYTE, (int)from, TAG, MPI_COMM_WORLD,
		               MPI_STATUS_IGNORE);
}

void ranks_broadcast(unsigned from, void *data, size_t n_byte)
{
	for (size_t at = 0; at < n_byte && ranks_n() > 1; at += CHUNK_BYTE)
		(void)MPI_Bcast((char *)data + at, piece_of(n_byte, at), MPI_BYTE, (int)from, MPI_COMM_WORLD);
}

/* The first rank that has failed; ranks_n(): none has. */
static unsigned first_failed(bool failed)
{
	struct {
		int code, rank;
	} own = {failed, (int)ranks_index()}, worst;
	(void)MPI_Allreduce(&own, &worst, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
	return worst.code ? (unsigned)worst.rank : ranks_n();
}

/* A rank without memory takes all of them with it: they would wait for it for ever. */
static void give_up(void)
{
	if (is_running())
		(void)MPI_Abort(MPI_COMM_WORLD, ERR_INTERNAL);
	exit(ERR_INTERNAL);
}

#else

const char *ranks_library(char text[RANKS_LIBRARY_SIZE])
{
	assert(text);
	return "none";
}

void ranks_start(int *argc, char ***argv)
{
	assert(argc && argv);
}

void ranks_end(void)
{
}

unsigned ranks_index(void)
{
	return 0;
}

unsigned ranks_n(void)
{
	return 1;
}

/* There is nobody to send to, or to receive from. */
static void send_bytes(unsigned to, const void *data, size_t n_byte)
{
	assert(to == 0 && (data || n_byte == 0));
}

static void receive_bytes(unsigned from, void *data, size_t n_byte)
{
	assert(from == 0 && (data || n_byte == 0));
}

void ranks_broadcast(unsigned from, void *data, size_t n_byte)
{
	assert(from == 0 && (data || n_byte == 0));
}

static unsigned first_failed(bool failed)
{
	return failed ? 0 : 1;
}

static void give_up(void)
{
	exit(ERR_INTERNAL);
}

#endif

static void *memory(size_t n_byte)
{
	void *data = malloc(n_byte + 1);
	if (!data)
		give_up();
	return data;
}

/* The rank's messages, at rank 0. */
static void bring_messages(unsigned from, enum err_code code, struct err *err)
{
	char text[4096] = "";
	if (ranks_index() == from) {
		(void)strncat(text, err_text(err), sizeof(text) - 1);
		send_bytes(0, text, sizeof(text));
	} else if (ranks_index() == 0) {
		receive_bytes(from, text, sizeof(text));
		text[strcspn(text, "\n")] = '\0';
		(void)err_add(err, code, "rank %u: %s", from, text);
	}
}

enum err_code ranks_agree(enum err_code code, struct err *err)
{
	/* of several ranks with an error the first one speaks */
	unsigned first = ranks_n() > 1 ? first_failed(code != ERR_OK) : 0;
	if (ranks_n() == 1 || first == ranks_n())
		return code;
	ranks_broadcast(first, &code, sizeof(code));
	if (first > 0)
		bring_messages(first, code, err);
	return code;
}

/* Rank i's part of n items begins here. */
static size_t part_begin(size_t n, unsigned i)
{
	unsigned n_rank = ranks_n();
	return n / n_rank * i + (n % n_rank < i ? n % n_rank : i);
}

void ranks_map(const struct ranks_work *work, const void *in, size_t n, void *out)
{
	uint64_t count = n;
	assert(ranks_index() == 0 && n > 0);
	ranks_broadcast(0, &count, sizeof(count));
	for (unsigned i = 1; i < ranks_n(); i++) {
		size_t begin = part_begin(n, i), end = part_begin(n, i + 1);
		send_bytes(i, (const char *)in + begin * work->in_byte, (end - begin) * work->in_byte);
	}
	work->work(work->context, in, part_begin(n, 1), out);
	for (unsigned i = 1; i < ranks_n(); i++) {
		size_t begin = part_begin(n, i), end = part_begin(n, i + 1);
		receive_bytes(i, (char *)out + begin * work->out_byte, (end - begin) * work->out_byte);
	}
}

void ranks_serve(const struct ranks_work *work)
{
	unsigned own = ranks_index();
	assert(own > 0);
	for (uint64_t n = 0;;) {
		ranks_broadcast(0, &n, sizeof(n));
		if (n == 0)
			return;
		size_t n_own = part_begin((size_t)n, own + 1) - part_begin((size_t)n, own);
		void *in = memory(n_own * work->in_byte), *out = memory(n_own * work->out_byte);
		receive_bytes(0, in, n_own * work->in_byte);
		work->work(work->context, in, n_own, out);
		send_bytes(0, out, n_own * work->out_byte);
		free(in);
		free(out);
	}
}

void ranks_dismiss(void)
{
	uint64_t none = 0;
	ranks_broadcast(0, &none, sizeof(none));
}

void ranks_spread(unsigned from, const struct pack *own, uint8_t **data, size_t *n_byte)
{
	bool gives = ranks_index() == from;
	assert(from < ranks_n() && data && n_byte && (!gives || (own && !own->failed)));
	uint64_t n = gives ? own->n : 0;
	ranks_broadcast(from, &n, sizeof(n));
	*n_byte = (size_t)n;
	*data = memory(*n_byte);
	if (gives && own->n > 0)
		memcpy(*data, own->data, own->n);
	ranks_broadcast(from, *data, *n_byte);
}

void ranks_gather(const struct pack *own, uint8_t **part, size_t *n_byte)
{
	uint64_t n = own->n;
	assert(!own->failed);
	if (ranks_index() > 0) {
		send_bytes(0, &n, sizeof(n));
		send_bytes(0, own->data, own->n);
		return;
	}
	assert(part && n_byte);
	for (unsigned i = 0; i < ranks_n(); i++) {
		if (i > 0)
			receive_bytes(i, &n, sizeof(n));
		n_byte[i] = (size_t)n;
		part[i] = memory(n_byte[i]);
		if (i > 0)
			receive_bytes(i, part[i], n_byte[i]);
		else if (own->n > 0)
			memcpy(part[0], own->data, own->n);
	}
}
