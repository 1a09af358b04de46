// Wraps what Swift cannot import from sqlite3.h: function-like macros and variadic functions.
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which the importer drops.
// https://www.sqlite.org/c3ref/c_static.html
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, bytes, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}

// The importer drops SQLITE_STATIC as well. The bound bytes must stay valid until the statement has run.
static inline int csqlite_bind_lent_text(sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, bytes, length, SQLITE_STATIC, SQLITE_UTF8);
}

static inline int csqlite_bind_lent_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_STATIC);
}

static inline void csqlite_result_blob(sqlite3_context *context, const void *bytes, int length) {
    sqlite3_result_blob(context, bytes, length, SQLITE_TRANSIENT);
}

// sqlite3_db_config is variadic; each option used here takes (int, int *).
// https://www.sqlite.org/c3ref/db_config.html
static inline int csqlite_db_config(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}

#endif
