// The files of `migrations/`, as texts of the library. In Swift, a literal of their size takes the compiler seconds.

#include "CJournalSchema.h"

// `#embed` is part of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

const char *schema_0001_journal(void) {
    static const char text[] = {
#embed "../../migrations/0001_journal.sql" suffix(, 0)
    };
    return text;
}
