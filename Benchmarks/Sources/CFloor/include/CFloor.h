// The floor: what plain SQLite takes for the same rows, in the same tables, with the same settings, and nothing else.
// Functions that can fail return one of SQLite's result codes; 0 is success.
#ifndef CFLOOR_H
#define CFLOOR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cfloor cfloor;

// What is inserted, over and over. Made beforehand: the floor neither encodes nor hashes.
typedef struct {
    const uint8_t *text;    // all actions, back to back
    const int32_t *ends;    // where in it each one ends
    const uint8_t *digests; // 16 bytes for each
    int32_t count;
} cfloor_payloads;

const char *cfloor_sqlite_version(void);

// Opens a database and makes the schema in it, with so many streams, which take turns. The handle must be closed after a
// failure too.
int cfloor_make(const char *path, const char *schema, bool full, int64_t streams, cfloor **opened);

// Opens one that is there, to scan it.
int cfloor_open(const char *path, cfloor **opened);

int cfloor_append(cfloor *floor, const cfloor_payloads *payloads, int64_t transactions, int64_t entries_each);

// Steps through all entries, stream by stream in the order of their steps, and reads every column.
int cfloor_scan(cfloor *floor, int64_t *entries, int64_t *bytes);

const char *cfloor_message(cfloor *floor);

void cfloor_close(cfloor *floor);

// How long each of so many writes of 4 KiB to a new file takes, with its sync: what the disk does by itself.
// Returns an errno; 0 is success.
int cfloor_sync_times(const char *path, int32_t count, int64_t *nanoseconds);

#endif
