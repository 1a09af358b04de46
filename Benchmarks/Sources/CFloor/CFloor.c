#include "CFloor.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <time.h>

// As in the library: once the WAL has this many pages, it is copied into the database between two commits.
#define CHECKPOINT_PAGES 1000

struct cfloor {
    sqlite3 *db;
    sqlite3_stmt *begin, *insert, *update, *commit;
    int64_t streams;
    int64_t position;
    int wal_pages;
};

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        int code_ = (call);                                                                                            \
        if (code_ != SQLITE_OK) return code_;                                                                          \
    } while (0)

const char *cfloor_sqlite_version(void) { return sqlite3_libversion(); }

const char *cfloor_message(cfloor *floor) { return floor && floor->db ? sqlite3_errmsg(floor->db) : "out of memory"; }

void cfloor_close(cfloor *floor) {
    if (!floor) return;
    sqlite3_finalize(floor->begin);
    sqlite3_finalize(floor->insert);
    sqlite3_finalize(floor->update);
    sqlite3_finalize(floor->commit);
    sqlite3_close(floor->db);
    free(floor);
}

static int count_pages(void *floor, sqlite3 *db, const char *name, int pages) {
    (void)db;
    (void)name;
    ((cfloor *)floor)->wal_pages = pages;
    return SQLITE_OK;
}

static int execute(cfloor *floor, const char *sql) { return sqlite3_exec(floor->db, sql, NULL, NULL, NULL); }

static int prepare(cfloor *floor, const char *sql, sqlite3_stmt **statement) {
    return sqlite3_prepare_v3(floor->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

// The same settings as the library's connections, so that they do not affect the comparison.
int cfloor_open(const char *path, cfloor **opened) {
    cfloor *floor = calloc(1, sizeof *floor);
    *opened = floor;
    if (!floor) return SQLITE_NOMEM;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    TRY(sqlite3_open_v2(path, &floor->db, flags, NULL));
    sqlite3_wal_autocheckpoint(floor->db, 0);
    TRY(sqlite3_db_config(floor->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0));
    TRY(execute(floor, "PRAGMA trusted_schema = OFF"));
    TRY(execute(floor, "PRAGMA cell_size_check = ON"));
    return execute(floor, "PRAGMA mmap_size = 0");
}

int cfloor_make(const char *path, const char *schema, bool full, int64_t streams, cfloor **opened) {
    TRY(cfloor_open(path, opened));
    cfloor *floor = *opened;
    floor->streams = streams;
    sqlite3_wal_hook(floor->db, count_pages, floor);
    TRY(execute(floor, "PRAGMA journal_mode = WAL"));
    TRY(execute(floor, full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL"));
    TRY(execute(floor, "PRAGMA journal_size_limit = 67108864"));
    TRY(execute(floor, schema));
    sqlite3_stmt *fill = NULL;
    TRY(prepare(floor,
                "WITH RECURSIVE number (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM number WHERE id < ?) "
                "INSERT INTO stream (id, name, machine, created, seed, head_digest, records_digest, "
                "live_digest, row_digest) "
                "SELECT id, 'stream-' || id, 'machine', 0, zeroblob(16), zeroblob(16), zeroblob(16), zeroblob(16), "
                "zeroblob(16) FROM number",
                &fill));
    sqlite3_bind_int64(fill, 1, streams);
    sqlite3_step(fill);
    TRY(sqlite3_finalize(fill));
    TRY(prepare(floor, "BEGIN IMMEDIATE", &floor->begin));
    TRY(prepare(floor,
                "INSERT INTO entry (position, stream, step, time, origin, cause_stream, cause_step, cause_run, "
                "version, action, digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                &floor->insert));
    TRY(prepare(floor, "UPDATE stream SET head_step = ?, head_digest = ? WHERE id = ?", &floor->update));
    return prepare(floor, "COMMIT", &floor->commit);
}

static int run(sqlite3_stmt *statement) {
    sqlite3_step(statement);
    // Returns the error of the step, if there was one: https://www.sqlite.org/c3ref/reset.html
    return sqlite3_reset(statement);
}

static int64_t microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// Entries go round-robin: the first to the first stream, the next to the next stream.
static int64_t stream_at(cfloor *floor, int64_t position) { return 1 + (position - 1) % floor->streams; }
static int64_t step_at(cfloor *floor, int64_t position) { return 1 + (position - 1) / floor->streams; }

static int append_one(cfloor *floor, const cfloor_payloads *payloads, int64_t time) {
    int64_t position = ++floor->position;
    int64_t index = position % payloads->count;
    int32_t start = index == 0 ? 0 : payloads->ends[index - 1];
    sqlite3_stmt *insert = floor->insert;
    sqlite3_bind_int64(insert, 1, position);
    sqlite3_bind_int64(insert, 2, stream_at(floor, position));
    sqlite3_bind_int64(insert, 3, step_at(floor, position));
    sqlite3_bind_int64(insert, 4, time);
    sqlite3_bind_int64(insert, 5, 0);
    sqlite3_bind_null(insert, 6);
    sqlite3_bind_null(insert, 7);
    sqlite3_bind_null(insert, 8);
    sqlite3_bind_int64(insert, 9, 1);
    sqlite3_bind_text(insert, 10, (const char *)payloads->text + start, payloads->ends[index] - start, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 11, payloads->digests + 16 * index, 16, SQLITE_STATIC);
    return run(insert);
}

static int append_transaction(cfloor *floor, const cfloor_payloads *payloads, int64_t entries) {
    TRY(run(floor->begin));
    int64_t time = microseconds();
    for (int64_t entry = 0; entry < entries; entry++) TRY(append_one(floor, payloads, time));
    // The newest entry of each stream in this transaction.
    int64_t heads = entries < floor->streams ? entries : floor->streams;
    for (int64_t position = floor->position - heads + 1; position <= floor->position; position++) {
        sqlite3_bind_int64(floor->update, 1, step_at(floor, position));
        sqlite3_bind_blob(floor->update, 2, payloads->digests + 16 * (position % payloads->count), 16, SQLITE_STATIC);
        sqlite3_bind_int64(floor->update, 3, stream_at(floor, position));
        TRY(run(floor->update));
    }
    return run(floor->commit);
}

int cfloor_append(cfloor *floor, const cfloor_payloads *payloads, int64_t transactions, int64_t entries_each) {
    for (int64_t transaction = 0; transaction < transactions; transaction++) {
        TRY(append_transaction(floor, payloads, entries_each));
        if (floor->wal_pages < CHECKPOINT_PAGES) continue;
        TRY(sqlite3_wal_checkpoint_v2(floor->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL));
        floor->wal_pages = 0;
    }
    return SQLITE_OK;
}

int cfloor_scan(cfloor *floor, int64_t *entries, int64_t *bytes) {
    sqlite3_stmt *select = NULL;
    TRY(prepare(floor,
                "SELECT position, stream, step, time, origin, cause_step, cause_run, cause_stream, version, action, digest "
                "FROM entry WHERE stream >= 1 ORDER BY stream, step",
                &select));
    *entries = 0;
    *bytes = 0;
    while (sqlite3_step(select) == SQLITE_ROW) {
        for (int column = 0; column < 9; column++) sqlite3_column_int64(select, column);
        sqlite3_column_text(select, 9);
        *bytes += sqlite3_column_bytes(select, 9);
        sqlite3_column_blob(select, 10);
        sqlite3_column_bytes(select, 10);
        *entries += 1;
    }
    return sqlite3_finalize(select);
}
