// The sources of chance and time of a simulated process.
//
// Linked into an executable, this target defines the C library's clocks and `getentropy` for the whole process. They
// behave as usual until a simulation begins.
#ifndef CSIMULATOR_H
#define CSIMULATOR_H

#include "CFailingCalls.h"

#include <stdbool.h>
#include <stdint.h>

/// Makes a copy of SQLite's "unix" VFS the default, with random numbers from the simulation's seed; lets its memory run out, and
/// its tables refuse rows, when told to. Call it once, before anything else of SQLite. False if that is not possible.
bool simulator_take_sqlite(void);

/// From now on all clocks stand at `microseconds` since 1970, and all random numbers follow from the seed.
void simulator_begin(uint64_t seed, int64_t microseconds);

/// Moves the clocks.
void simulator_set_time(int64_t microseconds);

/// The nth allocation of SQLite from now fails (1 is the next); with 0 none does.
void simulator_fail_allocation(uint64_t nth);

/// From now on the open connections that write accept no row in this table of a journal. Each connection forgets it when it is
/// closed. False if a connection cannot do that.
bool simulator_refuse_rows(const char *table);

/// All rows are accepted again.
void simulator_accept_rows(void);

/// Gives the real clocks and random numbers back.
void simulator_end(void);

#endif
