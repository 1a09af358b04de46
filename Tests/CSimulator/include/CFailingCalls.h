// System calls that can be made to fail.
//
// Linked into an executable, this target defines the C library's functions for files for the whole process: for SQLite and
// for the library. They behave as usual, except for files below one folder, and there only after a failure was ordered.
#ifndef CFAILINGCALLS_H
#define CFAILINGCALLS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum calls_kind {
    CALLS_OPEN,
    CALLS_FSYNC,
    CALLS_WRITE,
    /// A write that writes only the first half and succeeds.
    CALLS_SHORT_WRITE,
    CALLS_FTRUNCATE,
    /// Of a file; memory without a file is not counted.
    CALLS_MMAP,
    CALLS_FCNTL,
    CALLS_RENAME,
    CALLS_UNLINK,
    /// Of any mapping.
    CALLS_MSYNC,
    CALLS_KINDS,
} calls_kind;

/// Counts the calls for files below this folder from now on, and makes the nth one of this kind (1 is the next) fail with this
/// error number. With nth = 0 none fails.
void calls_watch(const char *folder, calls_kind kind, uint64_t nth, int error);

/// How many calls of this kind there were since.
uint64_t calls_count(calls_kind kind);

/// Whether a file was written since, and was not synced after that. What is written through a mapping does not count. A
/// folder counts as written when a file in it was renamed.
bool calls_is_unsynced(const char *path);

/// Whether this is the path that was renamed first while its folder was not synced.
bool calls_moved_early(const char *path);

/// All calls behave as usual again.
void calls_end(void);

#endif
