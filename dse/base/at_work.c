/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/base/at_work.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* This thread's place in the page; 0: it has none yet. */
static _Thread_local unsigned place_1;

static struct at_work_page *map(int descriptor)
{
	void *page = mmap(NULL, sizeof(struct at_work_page), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	return page != MAP_FAILED ? page : NULL;
}

enum err_code at_work_new(struct at_work *at_work, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	*at_work = (struct at_work){.page = NULL};
	(void)snprintf(at_work->path, sizeof(at_work->path), "%s/dse-at-work-XXXXXX",
	               folder && folder[0] ? folder : "/tmp");
	int descriptor = mkstemp(at_work->path);
	if (descriptor < 0)
		return err_add(err, ERR_IO, "%s: cannot make a file: %s", at_work->path, strerror(errno));
	if (ftruncate(descriptor, (off_t)sizeof(struct at_work_page)) == 0)
		at_work->page = map(descriptor);
	enum err_code code =
	    at_work->page ? ERR_OK : err_add(err, ERR_IO, "%s: cannot be shared: %s", at_work->path, strerror(errno));
	(void)close(descriptor);
	(void)snprintf(at_work->variable, sizeof(at_work->variable), AT_WORK_VARIABLE "=%s", at_work->path);
	if (code != ERR_OK)
		(void)unlink(at_work->path);
	return code;
}

void at_work_free(struct at_work *at_work)
{
	if (!at_work->page)
		return;
	(void)munmap(at_work->page, sizeof(*at_work->page));
	(void)unlink(at_work->path);
	at_work->page = NULL;
}

struct at_work_page *at_work_join(void)
{
	const char *path = getenv(AT_WORK_VARIABLE);
	int descriptor = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (descriptor < 0)
		return NULL;
	bool is_whole = lseek(descriptor, 0, SEEK_END) == (off_t)sizeof(struct at_work_page);
	struct at_work_page *page = is_whole ? map(descriptor) : NULL;
	(void)close(descriptor);
	return page;
}

uint64_t at_work_begin(struct at_work_page *page, uint64_t item)
{
	if (!page)
		return 0;
	if (place_1 == 0)
		place_1 = atomic_fetch_add(&page->n_thread, 1) + 1;
	if (place_1 > AT_WORK_MAX_THREAD)
		return 0;
	uint64_t before = atomic_load(&page->thread[place_1 - 1].item_1);
	atomic_store(&page->thread[place_1 - 1].begin_ms, stop_now_ms());
	atomic_store(&page->thread[place_1 - 1].item_1, item + 1);
	return before;
}

void at_work_end(struct at_work_page *page, uint64_t before)
{
	if (!page || place_1 > AT_WORK_MAX_THREAD)
		return;
	assert(place_1 > 0);
	atomic_store(&page->thread[place_1 - 1].begin_ms, stop_now_ms());
	atomic_store(&page->last_1, atomic_load(&page->thread[place_1 - 1].item_1));
	atomic_store(&page->thread[place_1 - 1].item_1, before);
}

const char *at_work_is_out(const struct at_work_page *page, uint64_t item)
{
	for (uint32_t i = 0; page && i < page->n_out; i++)
		if (page->out[i].item == item)
			return page->out[i].why;
	return NULL;
}

void at_work_finish(struct at_work_page *page)
{
	if (page)
		atomic_store(&page->is_finished, true);
}

void at_work_clear(struct at_work *at_work)
{
	struct at_work_page *page = at_work->page;
	for (unsigned i = 0; i < AT_WORK_MAX_THREAD; i++) {
		atomic_store(&page->thread[i].item_1, 0);
		atomic_store(&page->thread[i].begin_ms, 0);
	}
	atomic_store(&page->n_thread, 0);
	atomic_store(&page->last_1, 0);
	atomic_store(&page->is_finished, false);
}

bool at_work_item(const struct at_work *at_work, bool takes_last, uint64_t *item)
{
	uint64_t item_1 = atomic_load(&at_work->page->thread[0].item_1);
	if (item_1 == 0 && takes_last)
		item_1 = atomic_load(&at_work->page->last_1);
	*item = item_1 > 0 ? item_1 - 1 : 0;
	return item_1 > 0;
}

bool at_work_is_slow(const struct at_work *at_work, uint64_t max_ms)
{
	uint64_t now_ms = stop_now_ms();
	for (unsigned i = 0; i < AT_WORK_MAX_THREAD; i++) {
		uint64_t begin_ms = atomic_load(&at_work->page->thread[i].begin_ms);
		if (atomic_load(&at_work->page->thread[i].item_1) > 0 && now_ms > begin_ms + max_ms)
			return true;
	}
	return false;
}

bool at_work_leave_out(struct at_work *at_work, uint64_t item, const char *why)
{
	struct at_work_page *page = at_work->page;
	if (page->n_out == AT_WORK_MAX_OUT)
		return false;
	page->out[page->n_out].item = item;
	(void)snprintf(page->out[page->n_out++].why, AT_WORK_WHY_SIZE, "%s", why);
	return true;
}
