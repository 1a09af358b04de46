#define _GNU_SOURCE

#include "CSimulator.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// A simulation runs on one thread. Other threads see the values as they are: it does not begin before they have ended.
static bool simulates;
static int64_t now;
static uint64_t state;

/// splitmix64: https://prng.di.unimi.it/splitmix64.c
static uint64_t next_random(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static void fill(unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) bytes[i] = (unsigned char)next_random();
}

void simulator_begin(uint64_t seed, int64_t microseconds) {
    simulates = true;
    state = seed;
    now = microseconds;
    // SQLite then takes a new seed from the default VFS.
    sqlite3_randomness(0, NULL);
}

void simulator_set_time(int64_t microseconds) { now = microseconds; }

void simulator_end(void) { simulates = false; }

// MARK: The C library's clocks and random numbers

#ifdef __linux__

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!simulates) return (int)syscall(SYS_clock_gettime, clock, time);
    time->tv_sec = now / 1000000;
    time->tv_nsec = now % 1000000 * 1000;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec exact;
    int result = clock_gettime(CLOCK_REALTIME, &exact);
    time->tv_sec = exact.tv_sec;
    time->tv_usec = exact.tv_nsec / 1000;
    return result;
}

time_t time(time_t *result) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (result != NULL) *result = exact.tv_sec;
    return exact.tv_sec;
}

int getentropy(void *bytes, size_t count) {
    if (simulates) {
        fill(bytes, count);
        return 0;
    }
    return syscall(SYS_getrandom, bytes, count, 0) == (long)count ? 0 : -1;
}

#endif

// MARK: SQLite

static sqlite3_vfs seeded;

static int seeded_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    if (simulates) {
        fill((unsigned char *)bytes, (size_t)count);
        return count;
    }
    sqlite3_vfs *real = sqlite3_vfs_find("unix");
    return real->xRandomness(real, count, bytes);
}

static sqlite3_mem_methods memory;
static uint64_t allocations_left;

void simulator_fail_allocation(uint64_t nth) { allocations_left = nth; }

static bool allocation_fails(void) { return allocations_left > 0 && --allocations_left == 0; }

static void *failing_malloc(int size) { return allocation_fails() ? NULL : memory.xMalloc(size); }

static void *failing_realloc(void *old, int size) { return allocation_fails() ? NULL : memory.xRealloc(old, size); }

static bool take_memory(void) {
    // https://www.sqlite.org/c3ref/c_config_covering_index_scan.html
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory) != SQLITE_OK) return false;
    sqlite3_mem_methods failing = memory;
    failing.xMalloc = failing_malloc;
    failing.xRealloc = failing_realloc;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) == SQLITE_OK;
}

// The open connections. There are few at a time; one that finds no place refuses no rows.
static sqlite3 *connections[64];

static void forget(void *place) { *(sqlite3 **)place = NULL; }

static void no_function(sqlite3_context *context, int count, sqlite3_value **values) {
    (void)count;
    (void)values;
    sqlite3_result_null(context);
}

/// Called for each new connection. A function of its own is how SQLite says that the connection is closed.
static int remember(sqlite3 *connection, char **message, const struct sqlite3_api_routines *api) {
    (void)message;
    (void)api;
    for (size_t i = 0; i < sizeof connections / sizeof *connections; i++) {
        if (connections[i] != NULL) continue;
        connections[i] = connection;
        return sqlite3_create_function_v2(
            connection, "simulator_connection", 0, SQLITE_UTF8, &connections[i], no_function, NULL, NULL, forget);
    }
    return SQLITE_OK;
}

static bool on_writing_connections(const char *sql) {
    bool is_done = true;
    for (size_t i = 0; i < sizeof connections / sizeof *connections; i++) {
        if (connections[i] == NULL || sqlite3_db_readonly(connections[i], "main") != 0) continue;
        is_done = sqlite3_exec(connections[i], sql, NULL, NULL, NULL) == SQLITE_OK && is_done;
    }
    return is_done;
}

bool simulator_refuse_rows(const char *table) {
    char sql[200];
    // A temporary trigger belongs to its connection: nothing of it is in the file.
    sqlite3_snprintf(
        sizeof sql, sql,
        "CREATE TEMP TRIGGER IF NOT EXISTS refuse BEFORE INSERT ON \"%w\" BEGIN SELECT RAISE(ABORT, 'refused'); END", table);
    return on_writing_connections(sql);
}

void simulator_accept_rows(void) { on_writing_connections("DROP TRIGGER IF EXISTS temp.refuse"); }

bool simulator_take_sqlite(void) {
    if (!take_memory()) return false;
    if (sqlite3_auto_extension((void (*)(void))remember) != SQLITE_OK) return false;
    sqlite3_vfs *real = sqlite3_vfs_find("unix");
    if (real == NULL) return false;
    seeded = *real;
    seeded.pNext = NULL;
    seeded.zName = "seeded";
    seeded.xRandomness = seeded_randomness;
    return sqlite3_vfs_register(&seeded, 1) == SQLITE_OK;
}
