#define _POSIX_C_SOURCE 200809L

#include "CFaultVFS.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPERATIONS = FAULT_SHM_MAP + 1, MAX_FAULTS = 16, MAX_SUFFIX = 63, SECTOR = 512 };

/// The change that an unsynced write or truncate made to one sector.
typedef struct change {
    sqlite3_int64 sector, size_before, size_after;
    bool truncates;
    /// The sync that should have written this failed, and no later one will write it: the kernel thinks it is clean.
    bool dropped;
    /// Synced, but kept because a change of this file was dropped.
    bool durable;
    /// The whole sector before the change, zeros beyond the file's end.
    unsigned char old[SECTOR];
} change;

/// A file by its path, shared by all its handles.
typedef struct disk_file {
    struct disk_file *next;
    /// Empty for the one that represents all temporary files, which are counted but not restored.
    char *path;
    unsigned handles;
    /// The file is new, and its directory entry is not on the disk yet.
    bool created;
    uint64_t counts[OPERATIONS];
    change *changes;
    size_t used, room;
    /// A file that replaces this one, and was synced under another name, has none of its changes.
    ino_t inode;
} disk_file;

typedef struct fault {
    fault_operation operation;
    char suffix[MAX_SUFFIX + 1];
    uint64_t skip;
    int64_t left;
    int code, system;
    fault_manner manner;
} fault;

struct fault_vfs {
    /// First, so that the pointer that SQLite passes back is a fault_vfs.
    sqlite3_vfs base;
    sqlite3_vfs *real;
    /// Guards all members below. Held across a write and its bookkeeping: a sync must not forget later changes.
    pthread_mutex_t mutex;
    disk_file *files;
    disk_file temporary;
    fault faults[MAX_FAULTS];
    size_t fault_count;
    bool cut_is_set, is_cut;
    uint64_t cut_after;
    void (*on_cut)(void *context);
    void *context;
    /// How often the power came back. A handle from before never works again: its connection's caches, locks and -shm
    /// belong to the time before the cut.
    uint64_t boot;
    unsigned handles;
    bool is_doomed;
};

typedef struct handle {
    sqlite3_file base;
    fault_vfs *vfs;
    disk_file *file;
    uint64_t boot;
    /// The unix VFS's file, in the memory after this struct.
    sqlite3_file *real;
} handle;

// MARK: Deciding

static bool ends_with(const char *path, const char *suffix) {
    size_t length = strlen(path), end = strlen(suffix);
    return length >= end && strcmp(path + length - end, suffix) == 0;
}

typedef struct verdict {
    bool proceed;
    fault_manner manner;
    /// The code to return if the operation must not proceed, or after it succeeded.
    int code;
    /// The error number of the fault; 0 if there is none.
    int system;
} verdict;

static void cut(fault_vfs *vfs) {
    if (vfs->is_cut) return;
    vfs->is_cut = true;
    if (vfs->on_cut != NULL) vfs->on_cut(vfs->context);
}

/// Decides whether an operation proceeds. Called once for each operation that can fail, with the mutex held.
static verdict judge(fault_vfs *vfs, disk_file *file, uint64_t boot, fault_operation operation) {
    bool is_change = operation == FAULT_WRITE || operation == FAULT_TRUNCATE || operation == FAULT_SYNC;
    bool is_dead = vfs->is_cut || boot != vfs->boot;
    if (!is_dead && vfs->cut_is_set && is_change && vfs->cut_after-- == 0) {
        cut(vfs);
        is_dead = true;
    }
    if (is_dead) return (verdict){.code = SQLITE_IOERR, .system = EIO};

    file->counts[operation]++;
    verdict result = {.proceed = true, .code = SQLITE_OK};
    for (fault *each = vfs->faults; each < vfs->faults + vfs->fault_count; each++) {
        if (each->operation != operation || each->left == 0 || !ends_with(file->path, each->suffix)) continue;
        if (each->skip > 0) {
            each->skip--;
            continue;
        }
        if (each->left > 0) each->left--;
        if (result.code == SQLITE_OK) {
            result = (verdict){each->manner != FAULT_INSTEAD, each->manner, each->code, each->system};
        }
    }
    // What is left of the operation succeeds, and a call that succeeds leaves errno as it is.
    if (result.system != 0) errno = result.system;
    return result;
}

static verdict begin(handle *self, fault_operation operation) {
    pthread_mutex_lock(&self->vfs->mutex);
    return judge(self->vfs, self->file, self->boot, operation);
}

static int end(fault_vfs *vfs, int code) {
    pthread_mutex_unlock(&vfs->mutex);
    return code;
}

// MARK: The undo log

static void forget_changes(disk_file *file) {
    free(file->changes);
    file->changes = NULL;
    file->used = file->room = 0;
}

/// Finds or creates the entry for this path. NULL if memory is exhausted.
static disk_file *find_file(fault_vfs *vfs, const char *path) {
    if (path == NULL) return &vfs->temporary;
    disk_file **link = &vfs->files;
    for (; *link != NULL; link = &(*link)->next) {
        if (strcmp((*link)->path, path) == 0) return *link;
    }
    disk_file *file = calloc(1, sizeof *file);
    if (file == NULL || (file->path = strdup(path)) == NULL) {
        free(file);
        return NULL;
    }
    // Appended, because the order decides which random numbers the files get and must be the same in each run.
    return *link = file;
}

/// Forgets the files without open handles.
static void drop_idle_files(fault_vfs *vfs) {
    for (disk_file **link = &vfs->files; *link != NULL;) {
        disk_file *file = *link;
        if (file->handles > 0) {
            link = &file->next;
            continue;
        }
        *link = file->next;
        forget_changes(file);
        free(file->path);
        free(file);
    }
}

/// Saves the sectors of these bytes before they are overwritten, cut off or added.
static int remember(handle *self, sqlite3_int64 from, sqlite3_int64 to, sqlite3_int64 size, bool truncates) {
    disk_file *file = self->file;
    if (file->path[0] == '\0') return SQLITE_OK;
    for (sqlite3_int64 sector = from / SECTOR; sector * SECTOR < to; sector++) {
        if (file->used == file->room) {
            size_t room = file->room * 2 + 64;
            change *changes = realloc(file->changes, room * sizeof *changes);
            if (changes == NULL) return SQLITE_IOERR_NOMEM;
            file->changes = changes;
            file->room = room;
        }
        change *new = &file->changes[file->used];
        *new = (change){.sector = sector, .size_before = size, .truncates = truncates};
        int code = self->real->pMethods->xRead(self->real, new->old, SECTOR, sector * SECTOR);
        // The unix VFS fills with zeros beyond the end of the file, which is what is needed here.
        if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) return code;
        // A growing size reaches the disk sector by sector, a truncate at once.
        sqlite3_int64 reach = (sector + 1) * SECTOR < to ? (sector + 1) * SECTOR : to;
        size = truncates ? from : reach > size ? reach : size;
        new->size_after = size;
        file->used++;
    }
    return SQLITE_OK;
}

static void sync_succeeded(disk_file *file) {
    bool any_dropped = false;
    for (size_t i = 0; i < file->used; i++) {
        any_dropped |= file->changes[i].dropped;
        file->changes[i].durable = !file->changes[i].dropped;
    }
    if (!any_dropped) forget_changes(file);
    file->created = false;
}

static void sync_failed(disk_file *file) {
    for (size_t i = 0; i < file->used; i++) file->changes[i].dropped |= !file->changes[i].durable;
}

// MARK: The methods of a file

static int file_close(sqlite3_file *base);

static sqlite3_file *real(sqlite3_file *base) { return ((handle *)base)->real; }

static int file_read(sqlite3_file *base, void *bytes, int length, sqlite3_int64 offset) {
    handle *self = (handle *)base;
    int code = end(self->vfs, begin(self, FAULT_READ).code);
    return code != SQLITE_OK ? code : real(base)->pMethods->xRead(real(base), bytes, length, offset);
}

static int file_write(sqlite3_file *base, const void *bytes, int length, sqlite3_int64 offset) {
    handle *self = (handle *)base;
    verdict verdict = begin(self, FAULT_WRITE);
    if (!verdict.proceed) return end(self->vfs, verdict.code);
    if (verdict.manner == FAULT_TORN) length /= 2;
    sqlite3_int64 size;
    int code = real(base)->pMethods->xFileSize(real(base), &size);
    if (code == SQLITE_OK) code = remember(self, offset, offset + length, size, false);
    if (code == SQLITE_OK) code = real(base)->pMethods->xWrite(real(base), bytes, length, offset);
    return end(self->vfs, code != SQLITE_OK ? code : verdict.code);
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 to) {
    handle *self = (handle *)base;
    verdict verdict = begin(self, FAULT_TRUNCATE);
    if (!verdict.proceed) return end(self->vfs, verdict.code);
    sqlite3_int64 size = 0;
    int code = real(base)->pMethods->xFileSize(real(base), &size);
    bool shrinks = to < size;
    if (code == SQLITE_OK) code = remember(self, shrinks ? to : size, shrinks ? size : to, size, shrinks);
    if (code == SQLITE_OK) code = real(base)->pMethods->xTruncate(real(base), to);
    return end(self->vfs, code != SQLITE_OK ? code : verdict.code);
}

static int file_sync(sqlite3_file *base, int flags) {
    handle *self = (handle *)base;
    verdict verdict = begin(self, FAULT_SYNC);
    int code = verdict.proceed ? real(base)->pMethods->xSync(real(base), flags) : verdict.code;
    if (verdict.proceed && code == SQLITE_OK) {
        sync_succeeded(self->file);
        code = verdict.code;
    } else if (!self->vfs->is_cut && self->boot == self->vfs->boot) {
        sync_failed(self->file);
    }
    return end(self->vfs, code);
}

/// For operations that cannot be made to fail. A cut between this check and the operation does no harm.
static bool is_dead(sqlite3_file *base) {
    handle *self = (handle *)base;
    pthread_mutex_lock(&self->vfs->mutex);
    return end(self->vfs, self->vfs->is_cut || self->boot != self->vfs->boot);
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    return is_dead(base) ? SQLITE_IOERR : real(base)->pMethods->xFileSize(real(base), size);
}

static int file_lock(sqlite3_file *base, int level) {
    // Without a lock SQLite neither checkpoints nor deletes the -wal when it closes.
    return is_dead(base) ? SQLITE_IOERR : real(base)->pMethods->xLock(real(base), level);
}

static int file_unlock(sqlite3_file *base, int level) { return real(base)->pMethods->xUnlock(real(base), level); }

static int file_check_reserved_lock(sqlite3_file *base, int *result) {
    return is_dead(base) ? SQLITE_IOERR : real(base)->pMethods->xCheckReservedLock(real(base), result);
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    if (is_dead(base)) return SQLITE_IOERR;
    // These would let the unix VFS grow a file without the undo log. They are only hints and can be ignored.
    if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_CHUNK_SIZE) return SQLITE_OK;
    return real(base)->pMethods->xFileControl(real(base), operation, argument);
}

static int file_sector_size(sqlite3_file *base) { return real(base)->pMethods->xSectorSize(real(base)); }

static int file_characteristics(sqlite3_file *base) {
    return real(base)->pMethods->xDeviceCharacteristics(real(base));
}

static int file_shm_map(sqlite3_file *base, int page, int page_size, int extend, void volatile **memory) {
    handle *self = (handle *)base;
    int code = end(self->vfs, begin(self, FAULT_SHM_MAP).code);
    if (code != SQLITE_OK) return code;
    return real(base)->pMethods->xShmMap(real(base), page, page_size, extend, memory);
}

static int file_shm_lock(sqlite3_file *base, int offset, int count, int flags) {
    if ((flags & SQLITE_SHM_LOCK) && is_dead(base)) return SQLITE_IOERR;
    return real(base)->pMethods->xShmLock(real(base), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *base) { real(base)->pMethods->xShmBarrier(real(base)); }

static int file_shm_unmap(sqlite3_file *base, int delete_it) {
    // The unix VFS deletes by name, which may be that of the -shm of a later connection.
    return real(base)->pMethods->xShmUnmap(real(base), delete_it && !is_dead(base));
}

/// Version 2 has no xFetch, so all reads and writes go through xRead and xWrite.
static const sqlite3_io_methods file_methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

// MARK: The methods of the VFS

static int vfs_open(sqlite3_vfs *base, sqlite3_filename path, sqlite3_file *opened, int flags, int *out_flags) {
    fault_vfs *vfs = (fault_vfs *)base;
    handle *self = (handle *)opened;
    *self = (handle){.vfs = vfs, .real = (sqlite3_file *)(self + 1)};
    pthread_mutex_lock(&vfs->mutex);
    disk_file *file = self->file = find_file(vfs, path);
    if (file == NULL) return end(vfs, SQLITE_IOERR_NOMEM);
    int code = judge(vfs, file, vfs->boot, FAULT_OPEN).code;
    if (code != SQLITE_OK) return end(vfs, code);
    bool is_new = path != NULL && access(path, F_OK) != 0;
    code = vfs->real->xOpen(vfs->real, path, self->real, flags, out_flags);
    if (code != SQLITE_OK) return end(vfs, code);
    struct stat status = {0};
    bool is_known = path != NULL && stat(path, &status) == 0;
    if (is_new || (is_known && file->inode != 0 && file->inode != status.st_ino)) {
        forget_changes(file);
        file->created = is_new;
    }
    if (is_known) file->inode = status.st_ino;
    self->boot = vfs->boot;
    self->base.pMethods = &file_methods;
    file->handles++;
    vfs->handles++;
    return end(vfs, SQLITE_OK);
}

static void free_vfs(fault_vfs *vfs) {
    drop_idle_files(vfs);
    pthread_mutex_destroy(&vfs->mutex);
    free((char *)vfs->base.zName);
    free(vfs);
}

static int file_close(sqlite3_file *base) {
    handle *self = (handle *)base;
    fault_vfs *vfs = self->vfs;
    int code = real(base)->pMethods->xClose(real(base));
    pthread_mutex_lock(&vfs->mutex);
    self->file->handles--;
    bool was_last = --vfs->handles == 0 && vfs->is_doomed;
    pthread_mutex_unlock(&vfs->mutex);
    if (was_last) free_vfs(vfs);
    return code;
}

static int vfs_delete(sqlite3_vfs *base, const char *path, int sync_directory) {
    fault_vfs *vfs = (fault_vfs *)base;
    pthread_mutex_lock(&vfs->mutex);
    disk_file *file = find_file(vfs, path);
    if (file == NULL) return end(vfs, SQLITE_IOERR_NOMEM);
    verdict verdict = judge(vfs, file, vfs->boot, FAULT_DELETE);
    if (!verdict.proceed) return end(vfs, verdict.code);
    int code = vfs->real->xDelete(vfs->real, path, sync_directory);
    if (code != SQLITE_OK) return end(vfs, code);
    forget_changes(file);
    file->created = false;
    return end(vfs, verdict.code);
}

static int vfs_access(sqlite3_vfs *base, const char *path, int flags, int *result) {
    fault_vfs *vfs = (fault_vfs *)base;
    return fault_vfs_is_cut(vfs) ? SQLITE_IOERR : vfs->real->xAccess(vfs->real, path, flags, result);
}

// MARK: After a power cut

/// splitmix64: https://prng.di.unimi.it/splitmix64.c
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// A number from low to high, both included. Luck goes from -64, always low, to 64, always high; 0 is uniform.
static size_t choose(uint64_t *random, int luck, size_t low, size_t high) {
    int die = (int)(next_random(random) % 64);
    uint64_t pick = next_random(random);
    return die < luck ? high : die < -luck ? low : low + (size_t)(pick % (high - low + 1));
}

/// The versions of a sector: one before each of its changes and one after the last.
typedef struct history {
    size_t changes, lowest, highest, chosen, seen;
    bool is_capped, is_chosen;
} history;

/// Turns the image of the file as last written into one that the disk could hold. Returns its size.
static sqlite3_int64 lose_changes(disk_file *file, unsigned char *image, history *sectors, uint64_t *random) {
    // Each file draws its luck, from losing all to losing nothing: with uniform choices no page would survive complete.
    static const int lucks[] = {-64, -48, 0, 48, 60, 64};
    int luck = lucks[next_random(random) % (sizeof lucks / sizeof *lucks)];

    // This many changes of the size reached the disk. The sectors of one truncate reach it together or not at all.
    size_t reached = file->used;
    while (reached > 0 && !file->changes[reached - 1].durable) reached--;
    reached = choose(random, luck, reached, file->used);
    while (reached < file->used && file->changes[reached].truncates
           && file->changes[reached].size_before == file->changes[reached].size_after) {
        reached++;
    }

    for (size_t i = 0; i < file->used; i++) {
        const change *each = &file->changes[i];
        history *sector = &sectors[each->sector];
        // Sectors that a truncate cuts off are lost once the new size is on the disk, and unchanged before.
        if (each->truncates && i >= reached && !sector->is_capped) {
            sector->is_capped = true;
            sector->highest = sector->changes;
        }
        sector->changes++;
        if (each->durable || (each->truncates && i < reached)) sector->lowest = sector->changes;
        if (!sector->is_capped) sector->highest = sector->changes;
    }
    for (size_t i = 0; i < file->used; i++) {
        const change *each = &file->changes[i];
        history *sector = &sectors[each->sector];
        if (!sector->is_chosen) sector->chosen = choose(random, luck, sector->lowest, sector->highest);
        sector->is_chosen = true;
        if (sector->seen++ == sector->chosen) memcpy(image + each->sector * SECTOR, each->old, SECTOR);
    }
    return reached < file->used ? file->changes[reached].size_before : file->changes[reached - 1].size_after;
}

static bool transfer(int descriptor, unsigned char *bytes, size_t length, bool writing) {
    for (size_t done = 0; done < length;) {
        ssize_t part =
            writing ? write(descriptor, bytes + done, length - done) : read(descriptor, bytes + done, length - done);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return false;
        done += (size_t)part;
    }
    return true;
}

/// Replaces this file by a new one, so that a connection that has the old one open does not share locks and the -shm
/// with later ones. The unix VFS shares both between all handles of an inode.
static bool replace_file(const char *path, mode_t mode, unsigned char *image, size_t size) {
    char new_path[PATH_MAX];
    if (snprintf(new_path, sizeof new_path, "%s-cut", path) >= (int)sizeof new_path) return false;
    int descriptor = open(new_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0) return false;
    bool done = fchmod(descriptor, mode & 07777) == 0 && transfer(descriptor, image, size, true);
    close(descriptor);
    return done && rename(new_path, path) == 0;
}

/// Leaves the file as the disk could hold it.
static bool lose_unsynced(disk_file *file, uint64_t *random) {
    char shm[PATH_MAX];
    if (snprintf(shm, sizeof shm, "%s-shm", file->path) < (int)sizeof shm) unlink(shm);
    // Closing this descriptor releases the process's locks on the old file: those of connections without power.
    int descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT;
    struct stat status = {0};
    bool done = fstat(descriptor, &status) == 0;
    size_t size = (size_t)status.st_size, count = size / SECTOR + 1;
    for (size_t i = 0; i < file->used; i++) {
        if ((size_t)file->changes[i].sector >= count) count = (size_t)file->changes[i].sector + 1;
    }
    unsigned char *image = calloc(count, SECTOR);
    history *sectors = calloc(count, sizeof *sectors);
    done = done && image != NULL && sectors != NULL && transfer(descriptor, image, size, false);
    close(descriptor);
    if (done && file->created && next_random(random) % 2 == 0) {
        done = unlink(file->path) == 0;
    } else if (done) {
        if (file->used > 0) size = (size_t)lose_changes(file, image, sectors, random);
        if (size > count * SECTOR) size = count * SECTOR;
        done = replace_file(file->path, status.st_mode, image, size);
    }
    free(image);
    free(sectors);
    return done;
}

static void reset(fault_vfs *vfs) {
    if (vfs->is_cut) vfs->boot++;
    vfs->is_cut = vfs->cut_is_set = false;
    vfs->fault_count = 0;
    drop_idle_files(vfs);
    memset(vfs->temporary.counts, 0, sizeof vfs->temporary.counts);
    for (disk_file *file = vfs->files; file != NULL; file = file->next) {
        forget_changes(file);
        file->created = false;
        memset(file->counts, 0, sizeof file->counts);
    }
}

// MARK: The interface

fault_vfs *fault_vfs_create(const char *name) {
    sqlite3_vfs *unix_vfs = sqlite3_vfs_find("unix");
    if (unix_vfs == NULL || sqlite3_vfs_find(name) != NULL) return NULL;
    fault_vfs *vfs = calloc(1, sizeof *vfs);
    if (vfs == NULL) return NULL;
    // A copy with the same pAppData: the methods that are not replaced work on it as on the original.
    vfs->base = *unix_vfs;
    vfs->base.pNext = NULL;
    vfs->base.zName = strdup(name);
    vfs->base.szOsFile = (int)sizeof(handle) + unix_vfs->szOsFile;
    vfs->base.xOpen = vfs_open;
    vfs->base.xDelete = vfs_delete;
    vfs->base.xAccess = vfs_access;
    vfs->real = unix_vfs;
    vfs->temporary.path = "";
    pthread_mutex_init(&vfs->mutex, NULL);
    if (vfs->base.zName != NULL && sqlite3_vfs_register(&vfs->base, 0) == SQLITE_OK) return vfs;
    free_vfs(vfs);
    return NULL;
}

void fault_vfs_destroy(fault_vfs *vfs) {
    sqlite3_vfs_unregister(&vfs->base);
    pthread_mutex_lock(&vfs->mutex);
    vfs->is_doomed = true;
    bool is_idle = vfs->handles == 0;
    pthread_mutex_unlock(&vfs->mutex);
    if (is_idle) free_vfs(vfs);
}

bool fault_vfs_fail(
    fault_vfs *vfs, fault_operation operation, const char *suffix, uint64_t nth, int64_t count, int sqlite_code,
    int system_errno, fault_manner manner) {
    if (nth == 0 || strlen(suffix) > MAX_SUFFIX) return false;
    fault new = {
        .operation = operation, .skip = nth - 1, .left = count, .code = sqlite_code, .system = system_errno,
        .manner = manner};
    strcpy(new.suffix, suffix);
    pthread_mutex_lock(&vfs->mutex);
    bool fits = vfs->fault_count < MAX_FAULTS;
    if (fits) vfs->faults[vfs->fault_count++] = new;
    return end(vfs, fits);
}

void fault_vfs_clear(fault_vfs *vfs) {
    pthread_mutex_lock(&vfs->mutex);
    vfs->fault_count = 0;
    vfs->cut_is_set = false;
    pthread_mutex_unlock(&vfs->mutex);
}

uint64_t fault_vfs_count(fault_vfs *vfs, fault_operation operation, const char *suffix) {
    pthread_mutex_lock(&vfs->mutex);
    uint64_t sum = suffix[0] == '\0' ? vfs->temporary.counts[operation] : 0;
    for (disk_file *file = vfs->files; file != NULL; file = file->next) {
        if (ends_with(file->path, suffix)) sum += file->counts[operation];
    }
    pthread_mutex_unlock(&vfs->mutex);
    return sum;
}

void fault_vfs_cut_after(fault_vfs *vfs, uint64_t n) {
    pthread_mutex_lock(&vfs->mutex);
    vfs->cut_is_set = true;
    vfs->cut_after = n;
    pthread_mutex_unlock(&vfs->mutex);
}

void fault_vfs_cut(fault_vfs *vfs) {
    pthread_mutex_lock(&vfs->mutex);
    cut(vfs);
    pthread_mutex_unlock(&vfs->mutex);
}

void fault_vfs_on_cut(fault_vfs *vfs, void (*function)(void *context), void *context) {
    pthread_mutex_lock(&vfs->mutex);
    vfs->on_cut = function;
    vfs->context = context;
    pthread_mutex_unlock(&vfs->mutex);
}

bool fault_vfs_is_cut(fault_vfs *vfs) {
    pthread_mutex_lock(&vfs->mutex);
    return end(vfs, vfs->is_cut);
}

bool fault_vfs_lose_unsynced(fault_vfs *vfs, uint64_t seed) {
    pthread_mutex_lock(&vfs->mutex);
    cut(vfs);
    int error = 0;
    for (disk_file *file = vfs->files; file != NULL; file = file->next) {
        if (!lose_unsynced(file, &seed) && error == 0) error = errno != 0 ? errno : EIO;
    }
    reset(vfs);
    pthread_mutex_unlock(&vfs->mutex);
    if (error != 0) errno = error;
    return error == 0;
}

void fault_vfs_reset(fault_vfs *vfs) {
    pthread_mutex_lock(&vfs->mutex);
    reset(vfs);
    pthread_mutex_unlock(&vfs->mutex);
}
