/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/base/file_system.h"
#include <assert.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/vfs.h>
#endif

/* Types as statfs(2), linux/magic.h and the file systems' own sources have them. */
static const struct {
	uint32_t type;
	const char *name;
} shared[] = {
    {0x00006969, "NFS"},
    {0x0000517b, "SMB"},
    {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB2"},
    {0x65735546, "FUSE"}, /* sshfs, GlusterFS and virtiofs among others, which it does not tell apart */
    {0x01021997, "9p"},
    {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x5346414f, "AFS"},
    {0x6b414653, "AFS"}, /* the kernel's own */
    {0x00c36400, "Ceph"},
    {0x19830326, "BeeGFS"},
    {0x20030528, "OrangeFS"},
    {0x7461636f, "OCFS2"},
    {0x01161970, "GFS2"},
    {0xaad7aaea, "PanFS"},
    {0x61636673, "ACFS"},
    {0x013111a8, "Ibrix"},
    {0xbeefdead, "StorNext"},
    {0x73757245, "Coda"},
    {0x0000564c, "NCP"},
    {0x786f4256, "a folder of VirtualBox' host"},
    {0xbacbacbc, "a folder of VMware's host"},
    {0x7c7c6673, "a folder of Parallels' host"},
};

const char *file_system_shared_name(uint32_t type)
{
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if (shared[i].type == type)
			return shared[i].name;
	return NULL;
}

const char *file_system_shared(const char *path)
{
	assert(path);
	const char *name = NULL;
#ifdef __linux__
	struct statfs status;
	char *copy = strdup(path);
	/* a file that is a link may lie elsewhere than its name; one that is not there yet comes into its folder */
	if (copy && (statfs(path, &status) == 0 || statfs(dirname(copy), &status) == 0))
		name = file_system_shared_name((uint32_t)status.f_type);
	free(copy);
#endif
	return name;
}
