-- SQLite keeps a comment only inside of a statement. So that `.schema` shows them, those of tables and views are there.

CREATE TABLE migration (
    -- The journal: what happened, in order, and what it resulted in.
    --
    -- Start with the views: journal, running_effects, effects, attempts, dispatch_ids, interventions, openings.
    -- Times are microseconds since 1970, UTC; the views show them as ISO text, those after the year 9999 as NULL.
    -- JSON is text with sorted keys, except in step_record.effects. Actions and states are what the machine's codec
    -- writes: JSON, unless the app has chosen another codec.
    -- Digests are the first 16 bytes of a SHA-256.
    -- A row_digest is the digest of the row's other columns, with the table's name; it detects a row that was damaged
    -- or changed by hand. docs/decisions/row-digests.md specifies it.
    -- Digests come before the texts that can be long: SQLite reads all pages of a long text to find the columns behind
    -- it (https://www.sqlite.org/fileformat2.html#cell_payload_overflow_pages).

    -- The migrations that made this schema. The digest detects a migration that was edited after its release.
    number      INTEGER PRIMARY KEY,           -- PRAGMA user_version is the last one
    name        TEXT    NOT NULL,
    digest      BLOB    NOT NULL,              -- of the migration's text
    applied     INTEGER NOT NULL,              -- when it was applied to this file
    row_digest  BLOB    NOT NULL
) STRICT;

CREATE TABLE writer (
    -- The one process that may write: that of the last opening for writing. Every such opening raises the epoch, and
    -- every write transaction compares it, so that an overtaken writer cannot write any more. The path is where the
    -- file was opened: it detects a file that was renamed or linked while a process had it open.
    id          INTEGER PRIMARY KEY CHECK (id = 1),
    journal     BLOB    NOT NULL,              -- 16 random bytes: a backup keeps them, a fork or detached copy does not
    epoch       INTEGER NOT NULL,
    path        TEXT    NOT NULL,              -- empty if no process has opened it yet
    surplus     INTEGER NOT NULL,              -- the last position minus the number of steps: a fork leaves entries out
    row_digest  BLOB    NOT NULL
) STRICT;

CREATE TABLE opening (
    -- The newest 10,000 openings for writing by an app; those by the tool are not recorded. What the app did between
    -- two of them ran in one process.
    number      INTEGER PRIMARY KEY,           -- 1, 2, 3 …; a fork goes on with those of the original
    time        INTEGER NOT NULL,
    process     INTEGER NOT NULL,              -- its process ID
    library     TEXT    NOT NULL,              -- the version of the library that wrote from then on
    row_digest  BLOB    NOT NULL
) STRICT;

CREATE TABLE stream (
    -- One machine instance. In a fork, a row named "… (before the fork)" stands for a stream that is not in the fork,
    -- and had sent messages to the one that is.
    id            INTEGER PRIMARY KEY,
    name          TEXT    NOT NULL UNIQUE,
    machine       TEXT    NOT NULL,            -- the name of the machine
    created       INTEGER NOT NULL,
    seed          BLOB    NOT NULL,            -- 16 random bytes: the root of every "random" value a reducer sees
    head_step     INTEGER NOT NULL DEFAULT 0,  -- the newest entry; 0 if there is none
    head_digest   BLOB    NOT NULL,            -- its digest; without an entry that of the seed, name and machine
    settled_step  INTEGER NOT NULL DEFAULT 0,  -- the settlement watermark: every outcome up to it is recorded
    pruned_step   INTEGER NOT NULL DEFAULT 0,  -- entries up to here were removed, except those that live effects
                                               -- need; the snapshot of this step, a base, replaces them
    begun         INTEGER NOT NULL DEFAULT 0 CHECK (begun IN (0, 1)), -- whether the machine's initial effect is settled
    -- JSON, while an opening that restored effects is not stable yet, or if it ended before it was: how many of these
    -- there were in a row (openings), when the last one began (began), how long the longest lasted in microseconds
    -- (longest), which effects may have crashed the process (suspects: all from the first to the last, each a step and
    -- an ordinal), and how many openings in a row ended while suspects ran (suspicions).
    crash_loop    TEXT,
    last_transaction INTEGER NOT NULL DEFAULT 0, -- the number of the newest transaction that changed the stream
    records_digest BLOB   NOT NULL,            -- the XOR of the row digests of its records, which are its rows in the
                                               -- other tables but entry, and of snapshots only the bases: detects a
                                               -- missing record
    live_digest   BLOB    NOT NULL,            -- the same for those that an opening restores
    row_digest    BLOB    NOT NULL
) STRICT;

CREATE TABLE seed (
    -- Seeds that replace the stream's first seed for the steps after this one. A fork and a detached copy have
    -- one, so that their next steps draw other random values than those of the journal they come from.
    stream  INTEGER NOT NULL REFERENCES stream (id),
    step    INTEGER NOT NULL,
    seed    BLOB    NOT NULL,                  -- 16 random bytes
    row_digest BLOB NOT NULL,
    PRIMARY KEY (stream, step)
) STRICT, WITHOUT ROWID;

CREATE TABLE entry (
    -- One action from outside the reducer. Immutable.
    -- position is an explicit key: an implicit rowid may change in VACUUM (https://www.sqlite.org/lang_vacuum.html).
    position     INTEGER PRIMARY KEY,          -- the order over all streams
    stream       INTEGER NOT NULL REFERENCES stream (id),
    step         INTEGER NOT NULL,             -- 1, 2, 3 … in its stream
    time         INTEGER NOT NULL,
    -- 0 dispatched by the app; 1 sent by an effect; 2 by a restart instead of an effect (on_restart, on_orphan); 3 by
    -- another machine; 4 by an effect, and it counts only if no earlier step has cancelled that effect.
    origin       INTEGER NOT NULL,
    cause_stream INTEGER REFERENCES stream (id), -- of a message: the stream that sent it
    cause_step   INTEGER,                      -- the step whose effect or message sent this
    cause_run    INTEGER,                      -- the ordinal of the effect or message among those of that step
    version      INTEGER NOT NULL,             -- of the machine that encoded the action
    digest       BLOB    NOT NULL,             -- chains this entry to the one before it
    action       TEXT    NOT NULL,
    cancel_id    TEXT                          -- JSON: the ID, if any, that cancels all that this dispatch leads to
) STRICT;

CREATE UNIQUE INDEX entry_by_step ON entry (stream, step);

-- Finds the provisional actions: each counts only if its effect is still live when its turn comes.
CREATE INDEX entry_provisional ON entry (stream, step) WHERE origin = 4;

-- A message from another machine arrives once.
CREATE UNIQUE INDEX entry_by_sender ON entry (stream, cause_stream, cause_step, cause_run)
    WHERE cause_stream IS NOT NULL;

CREATE TABLE step_record (
    -- The outcome of a step; no row if it is only a new state.
    stream   INTEGER NOT NULL REFERENCES stream (id),
    step     INTEGER NOT NULL,
    digest   BLOB    NOT NULL,                 -- of the entry this is the outcome of
    -- Rejected by the reducer; skipped by an operator; cancelled: an earlier step of the same transaction had cancelled
    -- the effect that sent the action, so the action did not count.
    outcome  TEXT    NOT NULL DEFAULT 'reduced' CHECK (
                outcome = 'reduced' OR outcome = 'rejected' OR outcome = 'skipped' OR outcome = 'cancelled'),
    row_digest BLOB  NOT NULL,
    reason   TEXT,                             -- why it was rejected, if the reducer gave a reason
    cascade  TEXT,                             -- the actions that .next added, in order: [ACTION,…]
    -- JSON: what it returned, in order. An effect is {"run":NAME} for a closure, "perform" for a described effect,
    -- "timer", "send" for a message, "ephemeral" for a closure without a record, each with its "id" and "queue" if it
    -- has them; or {"cancel":ID}, with "where" for a condition; or {"updateQueue":QUEUE}.
    effects  TEXT,
    PRIMARY KEY (stream, step)
) STRICT, WITHOUT ROWID;

-- The steps that an operator skipped: they are not reduced.
CREATE INDEX step_skipped ON step_record (stream, step) WHERE outcome = 'skipped';

-- The steps whose effects had been cancelled by an earlier step of the same transaction: they are not reduced.
CREATE INDEX step_cancelled ON step_record (stream, step) WHERE outcome = 'cancelled';

CREATE TABLE dispatch_id (
    -- Dispatch IDs: the same ID again returns the first one's step. Pruning keeps them.
    stream         INTEGER NOT NULL REFERENCES stream (id),
    id             TEXT    NOT NULL,
    step           INTEGER NOT NULL,
    action_digest  BLOB    NOT NULL,           -- of the action: the same ID with another action is refused
    row_digest     BLOB    NOT NULL,
    PRIMARY KEY (stream, id)
) STRICT, WITHOUT ROWID;

-- Finds the dispatch ID of a step.
CREATE INDEX dispatch_id_by_step ON dispatch_id (stream, step);

CREATE TABLE snapshot (
    -- The state after a step. A base cannot be computed again: the entries before it were pruned, or were reduced by an
    -- older version of the machine. Every other snapshot only saves time.
    stream   INTEGER NOT NULL REFERENCES stream (id),
    step     INTEGER NOT NULL,                 -- 0 for the state before step 1
    version  INTEGER NOT NULL,                 -- of the machine that encoded the state
    time     INTEGER NOT NULL,                 -- when it was taken
    is_base  INTEGER NOT NULL DEFAULT 0 CHECK (is_base IN (0, 1)),
    digest   BLOB    NOT NULL,                 -- of the entry after which this was the state; of step 0: as head_digest
    state_digest BLOB NOT NULL,                -- of the state
    state_bytes INTEGER NOT NULL,              -- the length of the state as UTF-8
    row_digest BLOB  NOT NULL,                 -- of the other columns without the state
    state    TEXT    NOT NULL
) STRICT;

CREATE UNIQUE INDEX snapshot_by_step ON snapshot (stream, step);
CREATE INDEX snapshot_base ON snapshot (stream) WHERE is_base;

CREATE TABLE effect_run (
    -- One effect of one step, also a timer or a message to another machine; not an ephemeral effect. The initial effect
    -- of a machine belongs to step 0.
    stream      INTEGER NOT NULL REFERENCES stream (id),
    step        INTEGER NOT NULL,
    ordinal     INTEGER NOT NULL,              -- its number among the effects of the step, from 0
    root_step   INTEGER NOT NULL,              -- the dispatch or message that led to it; 0: the initial effect did
    -- It waits for its turn in its queue (waiting), until not_before, or for the receiver of a message (delayed), or
    -- runs (running); it is set aside until the app or an operator decides (asked), because it seems to crash the
    -- process (parked), or because the code does not return it any more (orphaned); or its on_cancel action is to be
    -- sent (cancelling). Or it has ended: by itself (completed, failed), by a cancel or its restart policy (cancelled),
    -- to make room in its queue for a newer one (evicted), or without a start, because its queue was full (discarded).
    status      TEXT    NOT NULL CHECK (       -- not IN: with three words or more, each statement would build a table
                    status = 'waiting' OR status = 'delayed' OR status = 'running'
                    OR status = 'asked' OR status = 'parked' OR status = 'orphaned' OR status = 'cancelling'
                    OR status = 'completed' OR status = 'failed' OR status = 'cancelled'
                    OR status = 'evicted' OR status = 'discarded'),
    row_digest  BLOB    NOT NULL,
    name        TEXT    NOT NULL,              -- of a message: the receiver's stream
    effect_id   TEXT,                          -- JSON: {TYPE:VALUE}
    queue       TEXT,                          -- JSON: {TYPE:VALUE}; effect_queue.key
    cancel_id   TEXT,                          -- JSON: the ID, if any, that cancels everything its root led to
    attempts    INTEGER NOT NULL DEFAULT 0,    -- how often its body has started
    failures    INTEGER NOT NULL DEFAULT 0,    -- how many attempts have failed
    -- What a restart does if its body had started: 'resume' runs it again, 'cancel' cancels it, 'ask' sets it aside,
    -- 'dispatch' dispatches an action and ends it.
    restart     TEXT    NOT NULL DEFAULT 'resume',
    -- JSON: the retry policy, if there is one: maxAttempts, firstDelay, factor, maxDelay, jitter, deadline, and the
    -- errors that are not retried (final). Its delays and the deadline are seconds.
    retry       TEXT,
    priority    INTEGER,                       -- of its task, as Swift counts, if the effect or its dispatch sets one
    delay       INTEGER,                       -- the delay or interval it was given, in microseconds
    not_before  INTEGER,                       -- the earliest start, after a delay or for a retry; when a timer is due
    started     INTEGER,                       -- the first start of its body; null for a timer or a message
    ended       INTEGER,
    error       TEXT,                          -- the last one; a later attempt may have completed
    delivered   INTEGER NOT NULL DEFAULT 0,    -- how many entries its body, timer or message has sent
    -- JSON, null for a closure: a described effect {TYPE:VALUE}; a timer {"timer":…} with "after", or "every" and what
    -- happens to missed ticks ("missed": "one", "all" or "none"), in microseconds, or the time "at"; a message
    -- {"message":…} with the stream, the machine and the machine's version that it is for.
    described   TEXT,
    entry_time  INTEGER,                       -- null for a closure: that of its step, whose entry may have been pruned
    entry_digest BLOB,                         -- the same: the digest of that entry
    version     INTEGER NOT NULL,              -- of the machine that wrote described and the actions that follow
    sends       TEXT,                          -- the action of a timer or a message (whose version is in described)
    on_restart  TEXT,                          -- dispatched instead of running it again; null for a closure
    on_failure  TEXT,                          -- dispatched when its last attempt has failed; null for a closure
    on_cancel   TEXT,                          -- the action that is dispatched when it is cancelled
    on_orphan   TEXT,                          -- the action that is dispatched if the code no longer returns it
    twin        INTEGER NOT NULL DEFAULT 0,    -- how many effects with its name and ID its step returned before it
    PRIMARY KEY (stream, step, ordinal)
) STRICT, WITHOUT ROWID;

-- Finds the few live runs among the many ended ones.
CREATE INDEX effect_run_open ON effect_run (stream, step, ordinal)
    WHERE status = 'waiting' OR status = 'delayed' OR status = 'running'
        OR status = 'asked' OR status = 'parked' OR status = 'orphaned' OR status = 'cancelling';

-- Finds the failed ones, which operators look for.
CREATE INDEX effect_run_failed ON effect_run (stream, step, ordinal) WHERE status = 'failed';

CREATE TABLE effect_attempt (
    -- One attempt of an effect that had, or waits for, a second one, or was cancelled after it had failed: the first
    -- and the newest 1,000 are kept. Of any other the row in effect_run says when its attempt started and ended.
    stream   INTEGER NOT NULL REFERENCES stream (id),
    step     INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL,
    attempt  INTEGER NOT NULL,                 -- 1, 2, 3 …
    started  INTEGER,
    ended    INTEGER,                          -- null if it is under way, was cut off by a restart, or ended the effect
    row_digest BLOB  NOT NULL,
    error    TEXT,                             -- what it threw, unless it ended the effect
    PRIMARY KEY (stream, step, ordinal, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE effect_step (
    -- One remembered step of an effect's body: a later attempt does not do it again.
    stream   INTEGER NOT NULL REFERENCES stream (id),
    step     INTEGER NOT NULL,
    ordinal  INTEGER NOT NULL,
    path     TEXT    NOT NULL,                 -- the steps around it, each with its nth: /order/1/item/2; or empty
    name     TEXT    NOT NULL,
    nth      INTEGER NOT NULL,                 -- 1, 2, 3 …: the nth use of that name
    row_digest BLOB  NOT NULL,
    result   TEXT    NOT NULL,                 -- JSON
    PRIMARY KEY (stream, step, ordinal, path, name, nth)
) STRICT, WITHOUT ROWID;

CREATE TABLE effect_queue (
    -- What a queue remembers, if it has described effects, a delay, or a rule that was changed. The row is deleted when
    -- all effects of the queue have ended and the longest delay after its last start is over.
    stream      INTEGER NOT NULL REFERENCES stream (id),
    key         TEXT    NOT NULL,              -- JSON: {TYPE:VALUE}; effect_run.queue
    row_digest  BLOB    NOT NULL,
    -- JSON: the policy ("runNewest", "suspendNew" or "discardNew"), its maxCount, whether the effects of a step count
    -- as one (countsSteps, absent if not), the shortest and longest delay in microseconds (delay, absent if there is
    -- none), and the step and the ordinal of the effect or update that brought this rule (since).
    policy      TEXT    NOT NULL,
    last_start  INTEGER,                       -- null if it has no delay, or has started no effect with it yet
    PRIMARY KEY (stream, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE intervention (
    -- An act of an operator, or of the app, on an effect or on a step that crashes the app.
    id       INTEGER PRIMARY KEY,              -- 1, 2, 3 … over all streams
    time     INTEGER NOT NULL,
    stream   INTEGER NOT NULL REFERENCES stream (id),
    step     INTEGER NOT NULL,
    ordinal  INTEGER,                          -- the effect; null if it is the step itself
    act      TEXT    NOT NULL CHECK (act IN ('cancel', 'retry', 'release', 'skip')),
    before   TEXT,                             -- the effect's status before; null for a step
    row_digest BLOB  NOT NULL,
    reason   TEXT,
    user     TEXT                              -- the operator's user name on the computer, or what the app passed as
                                               -- user; null for an act of the app without one
) STRICT;

CREATE INDEX intervention_by_stream ON intervention (stream);

CREATE VIEW journal AS
-- For people: every entry, oldest first. outcome is null until it is recorded.
SELECT
    stream.name AS stream,
    entry.step,
    strftime('%Y-%m-%dT%H:%M:%S', entry.time / 1000000 - (entry.time % 1000000 < 0), 'unixepoch')
        || printf('.%06dZ', (entry.time % 1000000 + 1000000) % 1000000) AS time,
    CASE
        WHEN NOT json_valid(entry.action) THEN NULL
        WHEN json_type(entry.action) = 'object' THEN (SELECT key FROM json_each(entry.action) LIMIT 1)
        WHEN json_type(entry.action) = 'text' THEN json_extract(entry.action, '$')
    END AS name,
    entry.action,
    CASE entry.origin
        WHEN 0 THEN 'dispatched' WHEN 1 THEN 'effect' WHEN 2 THEN 'restart' WHEN 3 THEN 'machine' WHEN 4 THEN 'effect'
    END AS origin,
    CASE
        WHEN entry.cause_stream IS NOT NULL THEN printf('%s step %d', sender.name, entry.cause_step)
        WHEN entry.cause_run IS NOT NULL THEN printf('step %d, effect %d', entry.cause_step, entry.cause_run)
        WHEN entry.cause_step IS NOT NULL THEN printf('step %d', entry.cause_step)
    END AS cause,
    CASE
        WHEN step_record.outcome IS NOT NULL THEN step_record.outcome
        WHEN entry.step <= stream.settled_step THEN 'reduced'
    END AS outcome,
    CASE step_record.outcome
        WHEN 'skipped' THEN (
            SELECT intervention.reason FROM intervention
            WHERE intervention.stream = entry.stream AND intervention.step = entry.step AND intervention.act = 'skip'
            ORDER BY intervention.id DESC LIMIT 1)
        ELSE step_record.reason
    END AS reason
FROM entry
JOIN stream ON stream.id = entry.stream
LEFT JOIN stream AS sender ON sender.id = entry.cause_stream
LEFT JOIN step_record ON step_record.stream = entry.stream AND step_record.step = entry.step
ORDER BY entry.position;

CREATE VIEW running_effects AS
-- For people: the effects that have not ended.
SELECT
    stream.name AS stream,
    effect_run.step,
    effect_run.ordinal AS effect,
    effect_run.name,
    CASE
        WHEN effect_run.sends IS NULL THEN 'effect'
        WHEN substr(effect_run.described, 1, 11) = '{"message":' THEN 'message'
        ELSE 'timer'
    END AS kind,
    effect_run.effect_id AS id,
    effect_run.queue,
    effect_run.status,
    effect_run.attempts,
    strftime('%Y-%m-%dT%H:%M:%S', effect_run.started / 1000000 - (effect_run.started % 1000000 < 0), 'unixepoch')
        || printf('.%06dZ', (effect_run.started % 1000000 + 1000000) % 1000000) AS started,
    strftime('%Y-%m-%dT%H:%M:%S', effect_run.not_before / 1000000 - (effect_run.not_before % 1000000 < 0), 'unixepoch')
        || printf('.%06dZ', (effect_run.not_before % 1000000 + 1000000) % 1000000) AS not_before,
    effect_run.restart,
    effect_run.error AS last_error
FROM effect_run INDEXED BY effect_run_open
JOIN stream ON stream.id = effect_run.stream
WHERE effect_run.status = 'waiting' OR effect_run.status = 'delayed' OR effect_run.status = 'running'
    OR effect_run.status = 'asked' OR effect_run.status = 'parked' OR effect_run.status = 'orphaned'
    OR effect_run.status = 'cancelling'
ORDER BY effect_run.stream, effect_run.step, effect_run.ordinal;

CREATE VIEW effects AS
-- For people: every recorded effect, also those that have ended. seconds is the time from its first start to its end.
SELECT
    stream.name AS stream,
    effect_run.step,
    effect_run.ordinal AS effect,
    effect_run.name,
    CASE
        WHEN effect_run.sends IS NULL THEN 'effect'
        WHEN substr(effect_run.described, 1, 11) = '{"message":' THEN 'message'
        ELSE 'timer'
    END AS kind,
    effect_run.effect_id AS id,
    effect_run.queue,
    effect_run.status,
    effect_run.attempts,
    effect_run.failures,
    strftime('%Y-%m-%dT%H:%M:%S', effect_run.started / 1000000 - (effect_run.started % 1000000 < 0), 'unixepoch')
        || printf('.%06dZ', (effect_run.started % 1000000 + 1000000) % 1000000) AS started,
    strftime('%Y-%m-%dT%H:%M:%S', effect_run.ended / 1000000 - (effect_run.ended % 1000000 < 0), 'unixepoch')
        || printf('.%06dZ', (effect_run.ended % 1000000 + 1000000) % 1000000) AS ended,
    (effect_run.ended - effect_run.started) / 1000000.0 AS seconds,
    strftime('%Y-%m-%dT%H:%M:%S', effect_run.not_before / 1000000 - (effect_run.not_before % 1000000 < 0), 'unixepoch')
        || printf('.%06dZ', (effect_run.not_before % 1000000 + 1000000) % 1000000) AS not_before,
    effect_run.restart,
    effect_run.error AS last_error
FROM effect_run
JOIN stream ON stream.id = effect_run.stream
ORDER BY effect_run.stream, effect_run.step, effect_run.ordinal;

CREATE VIEW dispatch_ids AS
-- For people: the dispatch IDs. time and name are null if the entry was pruned.
SELECT
    stream.name AS stream,
    dispatch_id.id,
    dispatch_id.step,
    strftime('%Y-%m-%dT%H:%M:%S', entry.time / 1000000 - (entry.time % 1000000 < 0), 'unixepoch')
        || printf('.%06dZ', (entry.time % 1000000 + 1000000) % 1000000) AS time,
    CASE
        WHEN NOT json_valid(entry.action) THEN NULL
        WHEN json_type(entry.action) = 'object' THEN (SELECT key FROM json_each(entry.action) LIMIT 1)
        WHEN json_type(entry.action) = 'text' THEN json_extract(entry.action, '$')
    END AS name
FROM dispatch_id
JOIN stream ON stream.id = dispatch_id.stream
LEFT JOIN entry ON entry.stream = dispatch_id.stream AND entry.step = dispatch_id.step
ORDER BY dispatch_id.stream, dispatch_id.step;

CREATE VIEW openings AS
-- For people: when an app opened the journal for writing.
SELECT
    number,
    strftime('%Y-%m-%dT%H:%M:%S', time / 1000000 - (time % 1000000 < 0), 'unixepoch')
        || printf('.%06dZ', (time % 1000000 + 1000000) % 1000000) AS time,
    process,
    library
FROM opening ORDER BY number;

CREATE VIEW interventions AS
-- For people: what operators and the app did, oldest first. effect is null if the act concerns the step itself; name is
-- then null too, and if the effect was pruned.
SELECT
    strftime('%Y-%m-%dT%H:%M:%S', intervention.time / 1000000 - (intervention.time % 1000000 < 0), 'unixepoch')
        || printf('.%06dZ', (intervention.time % 1000000 + 1000000) % 1000000) AS time,
    stream.name AS stream,
    intervention.step,
    intervention.ordinal AS effect,
    effect_run.name,
    intervention.act,
    intervention.before,
    intervention.user,
    intervention.reason
FROM intervention
JOIN stream ON stream.id = intervention.stream
LEFT JOIN effect_run ON effect_run.stream = intervention.stream AND effect_run.step = intervention.step
    AND effect_run.ordinal = intervention.ordinal
ORDER BY intervention.id;

CREATE VIEW attempts AS
-- For people: the attempts of every recorded effect whose body has started, of each the first and the newest 1,000. The
-- last one ended with its effect, if that has ended, or before: an effect can be cancelled while it waits for a retry.
SELECT
    stream.name AS stream,
    run.step,
    run.ordinal AS effect,
    run.name,
    coalesce(attempt.attempt, run.attempts) AS attempt,
    CASE WHEN attempt.started IS NOT NULL OR run.attempts = 1 THEN
        strftime(
            '%Y-%m-%dT%H:%M:%S',
            coalesce(attempt.started, run.started) / 1000000
                - (coalesce(attempt.started, run.started) % 1000000 < 0), 'unixepoch')
            || printf('.%06dZ', (coalesce(attempt.started, run.started) % 1000000 + 1000000) % 1000000)
    END AS started,
    CASE WHEN attempt.ended IS NOT NULL OR coalesce(attempt.attempt, run.attempts) = run.attempts THEN
        strftime(
            '%Y-%m-%dT%H:%M:%S',
            coalesce(attempt.ended, run.ended) / 1000000 - (coalesce(attempt.ended, run.ended) % 1000000 < 0),
            'unixepoch')
            || printf('.%06dZ', (coalesce(attempt.ended, run.ended) % 1000000 + 1000000) % 1000000)
    END AS ended,
    CASE
        WHEN attempt.ended IS NOT NULL THEN iif(attempt.error IS NULL, 'cancelled', 'failed')
        WHEN attempt.attempt < run.attempts THEN 'cut off'
        WHEN run.ended IS NOT NULL OR run.status = 'running' THEN run.status
        ELSE 'cut off'
    END AS outcome,
    CASE
        WHEN attempt.ended IS NOT NULL THEN attempt.error
        WHEN coalesce(attempt.attempt, run.attempts) = run.attempts AND run.status = 'failed' THEN run.error
    END AS error
FROM effect_run AS run
JOIN stream ON stream.id = run.stream
LEFT JOIN effect_attempt AS attempt
    ON attempt.stream = run.stream AND attempt.step = run.step AND attempt.ordinal = run.ordinal
WHERE run.attempts > 0
ORDER BY run.stream, run.step, run.ordinal, attempt.attempt;
