#if defined(__linux__)

#define _GNU_SOURCE
#include "CJournalLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

void futex_wait(const uint32_t *word, uint32_t expected) {
    // SQLite reports the error of the last system call. A lock is no part of that.
    int error = errno;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, (void *)0, (void *)0, 0);
    errno = error;
}

void futex_wake(const uint32_t *word) {
    int error = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, (void *)0, (void *)0, 0);
    errno = error;
}

int file_identity(const char *path, uint64_t *device, uint64_t *inode, int64_t *size) {
    struct statx found;
    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_SIZE, &found) != 0) return -1;
    *device = makedev(found.stx_dev_major, found.stx_dev_minor);
    *inode = found.stx_ino;
    *size = (int64_t)found.stx_size;
    return 0;
}

int rename_to_free_name(const char *from, const char *target) {
    const unsigned int no_replace = 1;
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 28)
    return renameat2(AT_FDCWD, from, AT_FDCWD, target, no_replace);
#else
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, target, no_replace);
#endif
}

int local_socket(void) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

int accept_local(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC);
}

#endif
