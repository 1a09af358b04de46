// A SQLite VFS for tests: the "unix" one underneath, with failing operations and power cuts on top.
//
// Open connections with sqlite3_open_v2(path, …, name). All functions may be called from any thread.
//
// The model of a power cut. Writes through the VFS since a file's last successful sync are unsynced. After the cut the
// disk holds, for each file:
// - each 512-byte sector in one of its versions: as synced, or as one of the unsynced writes left it, chosen sector by
//   sector, so that old and new ones mix. The seed also decides for each file how likely it is to lose writes;
// - a size it has had since the sync, or, if it grew, a whole number of sectors in between. A truncate is either
//   complete or absent;
// - possibly nothing: a file created since, and never synced, may be gone.
// A failed sync loses the writes it should have synced: a later successful sync does not make them durable, unless the
// same sector is written again (Linux marks the pages clean: https://wiki.postgresql.org/wiki/Fsync_Errors).
//
// Not modelled: a deletion is durable at once; sectors are written atomically, and a write never harms its neighbours
// (SQLite's "powersafe overwrite"); disks that lie about a sync; bit rot. Memory-mapped I/O is not offered. Temporary
// files are counted and can fail, but are not restored: they do not outlive a cut. Writes that bypass this VFS are not
// seen. A file that replaces another by a rename counts as synced when it is opened under its new name. The -shm is memory and is gone after a cut.
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
    /// Mapping a part of the -shm; the suffix is that of the database.
    FAULT_SHM_MAP,
} fault_operation;

typedef enum fault_manner {
    /// The operation fails without doing anything.
    FAULT_INSTEAD,
    /// The operation does all of its work and then reports a failure. Not for OPEN and READ.
    FAULT_AFTER,
    /// WRITE only: the first half of the bytes is written.
    FAULT_TORN,
} fault_manner;

/// Registers a VFS under this name, not as the default. NULL if the name is taken or memory is exhausted.
fault_vfs *fault_vfs_create(const char *name);

/// Unregisters the VFS. Connections that are still open keep its memory alive until the last of them is closed.
void fault_vfs_destroy(fault_vfs *vfs);

// MARK: Faults

/// The nth such operation from now (1 is the next) and the count - 1 after it (count < 0: all) return sqlite_code, for
/// files whose path ends in suffix ("-wal", ".db"; "" is any file, temporary ones too). Several faults can be set: each
/// counts the operations it matches, and if several are due the one set first decides. A sync or delete of a file
/// includes the sync of its directory. system_errno is what errno then is (0: unchanged).
/// False if there are too many faults (16), suffix is too long (63), or nth is 0.
bool fault_vfs_fail(
    fault_vfs *vfs, fault_operation operation, const char *suffix, uint64_t nth, int64_t count, int sqlite_code,
    int system_errno, fault_manner manner);

/// Removes all faults, and a cut that has not happened yet.
void fault_vfs_clear(fault_vfs *vfs);

/// How many such operations there were since the creation or the last reset, failed ones included, on files whose path
/// ends in suffix. Operations that fail because the power is cut do not count.
uint64_t fault_vfs_count(fault_vfs *vfs, fault_operation operation, const char *suffix);

// MARK: Power cuts

/// Cuts the power after n more writes, truncates and syncs (all files, failed ones included): the next of them and
/// every later operation of any kind does nothing and fails with SQLITE_IOERR.
void fault_vfs_cut_after(fault_vfs *vfs, uint64_t n);

bool fault_vfs_is_cut(fault_vfs *vfs);

/// Cuts the power now: every later operation fails.
void fault_vfs_cut(fault_vfs *vfs);

/// The function is called when the power is cut, before the operation that is cut off returns. It must not use this VFS.
void fault_vfs_on_cut(fault_vfs *vfs, void (*function)(void *context), void *context);

/// Leaves the files as a disk could hold them after the cut, then resets. The same seed makes the same choices. Cuts
/// the power first if it is still on.
///
/// Earlier connections may be open or closed. They stay without power for ever, closing them changes no file, and they
/// share no locks and no -shm with later ones, because each file is replaced by a new one with another inode.
/// False if a file could not really be read or written (errno); the other files are processed nevertheless.
bool fault_vfs_lose_unsynced(fault_vfs *vfs, uint64_t seed);

/// Removes all faults and a cut, sets the counts to zero, and treats all writes so far as durable. Connections opened
/// before a cut stay without power; close them before you reopen a file this way, because they share the old -shm.
void fault_vfs_reset(fault_vfs *vfs);

#endif
