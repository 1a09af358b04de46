#ifndef CSCHEMA_H
#define CSCHEMA_H

/// The text of `migrations/0001_journal.sql`.
const char *schema_0001_journal(void);

#endif
