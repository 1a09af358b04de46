// The floor: plain SQLite that writes the same rows to the same tables with the same settings, and does nothing else.
// Functions that can fail return one of SQLite's result codes; 0 is success.
#ifndef CFLOOR_H
#define CFLOOR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cfloor cfloor;

// The data to insert, repeated as needed. Prepared beforehand: the floor neither encodes nor hashes.
typedef struct {
    const uint8_t *text;    // all actions, back to back
    const int32_t *ends;    // the offset in text at which each one ends
    const uint8_t *digests; // 16 bytes for each action
    int32_t count;
} cfloor_payloads;

const char *cfloor_sqlite_version(void);

// Creates a database with the schema and this many streams, which take turns. The handle must be closed after a failure
// too.
int cfloor_make(const char *path, const char *schema, bool full, int64_t streams, cfloor **opened);

// Opens an existing database, to scan it.
int cfloor_open(const char *path, cfloor **opened);

int cfloor_append(cfloor *floor, const cfloor_payloads *payloads, int64_t transactions, int64_t entries_each);

// Steps through all entries, stream by stream in the order of their steps, and reads every column.
int cfloor_scan(cfloor *floor, int64_t *entries, int64_t *bytes);

const char *cfloor_message(cfloor *floor);

void cfloor_close(cfloor *floor);

// Measures this many writes of 4 KiB to a new file, each with its sync: the speed of the disk itself.
// Returns an errno; 0 is success.
int cfloor_sync_times(const char *path, int32_t count, int64_t *nanoseconds);

#endif
