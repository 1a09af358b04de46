#define _GNU_SOURCE

#include "CFailingCalls.h"

#include <string.h>

static const char *watched;
static calls_kind failing;
static uint64_t left;
static int failure;
static uint64_t counts[CALLS_KINDS];
static size_t unsynced_count;
static char early[4096];

void calls_watch(const char *folder, calls_kind kind, uint64_t nth, int error) {
    watched = strdup(folder);
    failing = kind;
    left = nth;
    failure = error;
    memset(counts, 0, sizeof counts);
    unsynced_count = 0;
    early[0] = 0;
}

uint64_t calls_count(calls_kind kind) { return counts[kind]; }

bool calls_moved_early(const char *path) { return strcmp(path, early) == 0; }

void calls_end(void) { watched = NULL; }

#ifndef __linux__

bool calls_is_unsynced(const char *path) { return false; }

#else

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_watched(const char *path) { return watched != NULL && strncmp(path, watched, strlen(watched)) == 0; }

// MARK: What is not synced

static struct { dev_t device; ino_t inode; } unsynced[4096];

static bool forget(const struct stat *status) {
    for (size_t i = 0; i < unsynced_count; i++) {
        if (unsynced[i].device != status->st_dev || unsynced[i].inode != status->st_ino) continue;
        unsynced[i] = unsynced[--unsynced_count];
        return true;
    }
    return false;
}

static void note(const struct stat *status) {
    forget(status);
    if (unsynced_count == sizeof unsynced / sizeof *unsynced) abort();
    unsynced[unsynced_count].device = status->st_dev;
    unsynced[unsynced_count++].inode = status->st_ino;
}

static void written(int file) {
    struct stat status;
    if (fstat(file, &status) == 0) note(&status);
}

static void synced(int file) {
    struct stat status;
    if (fstat(file, &status) == 0) forget(&status);
}

/// Another file can get the number of one that is removed.
static void removed(const char *path) {
    struct stat status;
    if (lstat(path, &status) == 0) forget(&status);
}

bool calls_is_unsynced(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0 || !forget(&status)) return false;
    note(&status);
    return true;
}

static bool is_watched_file(int file) {
    if (watched == NULL || file < 0) return false;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length < 0) return false;
    path[length] = 0;
    return is_watched(path);
}

/// Counts a call, and decides whether it fails.
static bool fails(calls_kind kind) {
    counts[kind]++;
    if (kind != failing || left == 0 || --left > 0) return false;
    errno = failure;
    return true;
}

// MARK: The functions, with the names that programs built for large files use

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, int) : 0;
    va_end(more);
    if (is_watched(path) && fails(CALLS_OPEN)) return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int fsync(int file) {
    if (!is_watched_file(file)) return (int)syscall(SYS_fsync, file);
    if (fails(CALLS_FSYNC)) return -1;
    synced(file);
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    if (!is_watched_file(file)) return (int)syscall(SYS_fdatasync, file);
    if (fails(CALLS_FSYNC)) return -1;
    synced(file);
    return (int)syscall(SYS_fdatasync, file);
}

/// How many bytes to write; 0 to fail.
static size_t bytes_to_write(int file, size_t count) {
    if (!is_watched_file(file)) return count;
    if (fails(CALLS_WRITE)) return 0;
    written(file);
    return count > 1 && fails(CALLS_SHORT_WRITE) ? count / 2 : count;
}

ssize_t write(int file, const void *bytes, size_t count) {
    size_t part = bytes_to_write(file, count);
    return part == 0 && count > 0 ? -1 : syscall(SYS_write, file, bytes, part);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    size_t part = bytes_to_write(file, count);
    return part == 0 && count > 0 ? -1 : syscall(SYS_pwrite64, file, bytes, part, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) __attribute__((alias("pwrite")));

int ftruncate(int file, off_t size) {
    if (is_watched_file(file)) {
        if (fails(CALLS_FTRUNCATE)) return -1;
        written(file);
    }
    return (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate64(int file, off64_t size) __attribute__((alias("ftruncate")));

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
    if (is_watched_file(file) && fails(CALLS_MMAP)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}

void *mmap64(void *address, size_t length, int protection, int flags, int file, off64_t offset)
    __attribute__((alias("mmap")));

int fcntl(int file, int command, ...) {
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (is_watched_file(file) && fails(CALLS_FCNTL)) return -1;
    return (int)syscall(SYS_fcntl, file, command, argument);
}

int fcntl64(int file, int command, ...) __attribute__((alias("fcntl")));

/// A new name is in the folder, and is on the disk when the folder is synced.
static void renamed(const char *from) {
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", from);
    struct stat status;
    if (stat(dirname(folder), &status) != 0) return;
    if (forget(&status) && early[0] == 0) snprintf(early, sizeof early, "%s", from);
    note(&status);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags) {
    if (!is_watched(from)) return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
    if (fails(CALLS_RENAME)) return -1;
    if ((flags & RENAME_NOREPLACE) == 0) removed(to);
    int result = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
    if (result == 0) renamed(from);
    return result;
}

int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int msync(void *address, size_t length, int flags) {
    if (watched != NULL && fails(CALLS_MSYNC)) return -1;
    return (int)syscall(SYS_msync, address, length, flags);
}

int unlink(const char *path) {
    if (is_watched(path)) {
        if (fails(CALLS_UNLINK)) return -1;
        removed(path);
    }
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

#endif
