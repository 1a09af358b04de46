// A SQLite VFS for tests: the "unix" one underneath, with failing operations and power cuts on top.
//
// Open connections with sqlite3_open_v2(path, …, name). All functions may be called from any thread.
//
// What a power cut is here. What was written through the VFS since a file's last successful sync is unsynced. At the
// cut the disk holds, for each file:
// - each 512-byte sector in one of its versions: as synced, or as one of the unsynced writes left it, chosen sector by
//   sector, so that old and new ones mix. The seed also gives each file its luck, from losing all to losing nothing;
// - a size it has had since the sync; where it grew, whole sectors in between too. A truncate is there or it is not;
// - perhaps nothing: a file created since, and never synced, may be gone.
// A sync that failed loses what it should have written: a later one that succeeds does not make it durable, unless the
// same sector is written anew (Linux marks the pages clean: https://wiki.postgresql.org/wiki/Fsync_Errors).
//
// What is not modelled. A deletion is durable at once. No sector is torn inside, and a write never harms its neighbours
// (SQLite's "powersafe overwrite"). No disk lies about a sync, no bit rots. Memory-mapped I/O is not offered. Temporary
// files take part in counts and faults, but are not restored: they do not outlive a cut. What is written by other means
// than this VFS is not seen. The -shm is memory and is gone after a cut.
//
// The undo log is memory: some 5 KB for each page written and not yet synced.
#ifndef CFAULTVFS_H
#define CFAULTVFS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fault_vfs fault_vfs;

typedef enum fault_operation {
    FAULT_OPEN,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_TRUNCATE,
    FAULT_SYNC,
    FAULT_DELETE,
} fault_operation;

typedef enum fault_manner {
    /// The operation fails and has done nothing.
    FAULT_INSTEAD,
    /// The operation fails after all of its work is done: the caller cannot know. Not for OPEN and READ.
    FAULT_AFTER,
    /// WRITE only: the first half of the bytes is written.
    FAULT_TORN,
} fault_manner;

/// Registers a VFS under this name, not as the default. NULL: the name is taken, or no memory.
fault_vfs *fault_vfs_create(const char *name);

/// Unregisters the VFS. Connections that are still open keep its memory alive until the last of them is closed.
void fault_vfs_destroy(fault_vfs *vfs);

// MARK: Faults

/// The nth such operation from now (1 is the next) and the count - 1 after it (count < 0: all) return sqlite_code, for
/// files whose path ends in suffix ("-wal", ".db"; "" is any file, temporary ones too). Faults add up: each counts the
/// operations it matches, and of several that are due the one set first decides. Sync and delete of a file are its own
/// operations; the directory's sync belongs to them. False: too many faults (16), suffix too long (63), or nth is 0.
bool fault_vfs_fail(
    fault_vfs *vfs, fault_operation operation, const char *suffix, uint64_t nth, int64_t count, int sqlite_code,
    fault_manner manner);

/// Takes back all faults, and a cut that has not happened yet.
void fault_vfs_clear(fault_vfs *vfs);

/// How many such operations there were since the creation or the last reset, failed ones included, on files whose path
/// ends in suffix. What is refused because the power is gone does not count.
uint64_t fault_vfs_count(fault_vfs *vfs, fault_operation operation, const char *suffix);

// MARK: Power cuts

/// After n more writes, truncates and syncs (all files, failed ones included) the power is gone: the one after them and
/// every later operation of any kind does nothing and fails with SQLITE_IOERR.
void fault_vfs_cut_after(fault_vfs *vfs, uint64_t n);

bool fault_vfs_is_cut(fault_vfs *vfs);

/// Leaves the files as a disk could hold them after the cut, then resets. The same seed makes the same choice. If the
/// power is still on, it goes now.
///
/// Connections opened before may be open or closed. They stay without power for ever, closing them touches no file, and
/// they share no locks and no -shm with later ones: each file is replaced by a new one (its inode changes).
/// False: a file could not be read or written for real (errno); the others are done all the same.
bool fault_vfs_lose_unsynced(fault_vfs *vfs, uint64_t seed);

/// No faults, no cut, counts at zero, and all that is written so far counts as durable. Connections opened before a cut
/// stay without power; close them before you reopen a file whose cut you end this way, the old -shm is still theirs.
void fault_vfs_reset(fault_vfs *vfs);

#endif
