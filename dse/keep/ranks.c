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

/* The rank's messages, at rank 0. */
static void bring_messages(unsigned from, enum err_code code, struct err *err)
{
	char text[4096] = "";
	if (ranks_index() == from) {
		(void)strncat(text, err_text(err), sizeof(text) - 1);
		(void)MPI_Send(text, (int)sizeof(text), MPI_CHAR, 0, TAG, MPI_COMM_WORLD);
	} else if (ranks_index() == 0) {
		(void)MPI_Recv(text, (int)sizeof(text), MPI_CHAR, (int)from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		text[strcspn(text, "\n")] = '\0';
		(void)err_add(err, code, "rank %u: %s", from, text);
	}
}

enum err_code ranks_agree(enum err_code code, struct err *err)
{
	if (ranks_n() == 1)
		return code;
	struct {
		int code, rank;
	} own = {code == ERR_OK ? 0 : 1, (int)ranks_index()}, worst;
	/* of several ranks with an error the first one speaks */
	(void)MPI_Allreduce(&own, &worst, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
	if (worst.code == 0)
		return ERR_OK;
	int agreed = (int)code;
	(void)MPI_Bcast(&agreed, 1, MPI_INT, worst.rank, MPI_COMM_WORLD);
	if (worst.rank > 0)
		bring_messages((unsigned)worst.rank, (enum err_code)agreed, err);
	return (enum err_code)agreed;
}

/* A part, in pieces that MPI can count; sends or receives. */
static void move_part(bool sends, unsigned other, const void *from, void *to, size_t n_byte)
{
	for (size_t at = 0; at < n_byte; at += CHUNK_BYTE) {
		int n_now = (int)(n_byte - at < CHUNK_BYTE ? n_byte - at : CHUNK_BYTE);
		if (sends)
			(void)MPI_Send((const char *)from + at, n_now, MPI_BYTE, (int)other, TAG, MPI_COMM_WORLD);
		else
			(void)MPI_Recv((char *)to + at, n_now, MPI_BYTE, (int)other, TAG, MPI_COMM_WORLD,
			               MPI_STATUS_IGNORE);
	}
}

/* Receive what deliver sends. */
static void receive(unsigned from, uint8_t **part, size_t *n_byte)
{
	uint64_t n = 0;
	(void)MPI_Recv(&n, 1, MPI_UINT64_T, (int)from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	*n_byte = (size_t)n;
	*part = malloc((size_t)n + 1);
	if (!*part)
		(void)MPI_Abort(MPI_COMM_WORLD, ERR_INTERNAL);
	move_part(false, from, NULL, *part, *n_byte);
}

static void deliver(const struct pack *own)
{
	uint64_t n = own->n;
	(void)MPI_Send(&n, 1, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD);
	move_part(true, 0, own->data, NULL, own->n);
}

/* Everybody's bytes become rank from's, in pieces that MPI can count. */
static void broadcast(unsigned from, uint8_t *data, size_t n_byte)
{
	for (size_t at = 0; at < n_byte; at += CHUNK_BYTE) {
		int n_now = (int)(n_byte - at < CHUNK_BYTE ? n_byte - at : CHUNK_BYTE);
		(void)MPI_Bcast(data + at, n_now, MPI_BYTE, (int)from, MPI_COMM_WORLD);
	}
}

static size_t broadcast_size(unsigned from, size_t n_byte)
{
	uint64_t n = n_byte;
	if (ranks_n() > 1)
		(void)MPI_Bcast(&n, 1, MPI_UINT64_T, (int)from, MPI_COMM_WORLD);
	return (size_t)n;
}

/* A rank without memory takes all of them with it: they would wait for it for ever. */
static void give_up(void)
{
	if (is_running())
		(void)MPI_Abort(MPI_COMM_WORLD, ERR_INTERNAL);
	exit(ERR_INTERNAL);
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
	(void)MPI_Bcast(&count, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	for (unsigned i = 1; i < ranks_n(); i++) {
		size_t begin = part_begin(n, i), end = part_begin(n, i + 1);
		move_part(true, i, (const char *)in + begin * work->in_byte, NULL, (end - begin) * work->in_byte);
	}
	work->work(work->context, in, part_begin(n, 1), out);
	for (unsigned i = 1; i < ranks_n(); i++) {
		size_t begin = part_begin(n, i), end = part_begin(n, i + 1);
		move_part(false, i, NULL, (char *)out + begin * work->out_byte, (end - begin) * work->out_byte);
	}
}

void ranks_serve(const struct ranks_work *work)
{
	unsigned own = ranks_index();
	assert(own > 0);
	for (uint64_t n;;) {
		(void)MPI_Bcast(&n, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
		if (n == 0)
			return;
		size_t n_own = part_begin((size_t)n, own + 1) - part_begin((size_t)n, own);
		void *in = malloc(n_own * work->in_byte + 1), *out = malloc(n_own * work->out_byte + 1);
		if (!in || !out)
			(void)MPI_Abort(MPI_COMM_WORLD, ERR_INTERNAL);
		move_part(false, 0, NULL, in, n_own * work->in_byte);
		work->work(work->context, in, n_own, out);
		move_part(true, 0, out, NULL, n_own * work->out_byte);
		free(in);
		free(out);
	}
}

void ranks_dismiss(void)
{
	uint64_t none = 0;
	if (ranks_n() > 1)
		(void)MPI_Bcast(&none, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
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

enum err_code ranks_agree(enum err_code code, struct err *err)
{
	(void)err;
	return code;
}

/* There is nobody to send to. */
static void broadcast(unsigned from, uint8_t *data, size_t n_byte)
{
	assert(from == 0 && (data || n_byte == 0));
}

static size_t broadcast_size(unsigned from, size_t n_byte)
{
	assert(from == 0);
	return n_byte;
}

static void give_up(void)
{
	exit(ERR_INTERNAL);
}

/* Never called: there is nobody. */
static void receive(unsigned from, uint8_t **part, size_t *n_byte)
{
	assert(from == 0);
	*part = NULL;
	*n_byte = 0;
}

static void deliver(const struct pack *own)
{
	assert(own);
}

void ranks_map(const struct ranks_work *work, const void *in, size_t n, void *out)
{
	work->work(work->context, in, n, out);
}

void ranks_serve(const struct ranks_work *work)
{
	assert(work);
}

void ranks_dismiss(void)
{
}

#endif

void ranks_spread(unsigned from, const struct pack *own, uint8_t **data, size_t *n_byte)
{
	bool gives = ranks_index() == from;
	assert(from < ranks_n() && data && n_byte && (!gives || (own && !own->failed)));
	*n_byte = broadcast_size(from, gives ? own->n : 0);
	*data = malloc(*n_byte + 1);
	if (!*data)
		give_up();
	if (gives && own->n > 0)
		memcpy(*data, own->data, own->n);
	if (ranks_n() > 1)
		broadcast(from, *data, *n_byte);
}

void ranks_gather(const struct pack *own, uint8_t **part, size_t *n_byte)
{
	assert(own && !own->failed);
	if (ranks_index() > 0) {
		deliver(own);
		return;
	}
	assert(part && n_byte);
	n_byte[0] = own->n;
	part[0] = malloc(own->n + 1);
	if (part[0] && own->n > 0)
		memcpy(part[0], own->data, own->n);
	else
		n_byte[0] = 0;
	for (unsigned i = 1; i < ranks_n(); i++)
		receive(i, &part[i], &n_byte[i]);
}
