/* The interface of a library whose machines journal-replay can replay.
 * Only bytes cross it, so the tool and the library can be built at different times, with different compilers. The
 * library exports one function,
 *
 *     const struct journal_replay_plugin *journal_replay_machines(void);
 *
 * which takes one line of Swift with JournalReplayKit: see ReplayPlugin. The table it returns must never be freed; the
 * tool never unloads the library.
 */
#ifndef JOURNAL_REPLAY_H
#define JOURNAL_REPLAY_H

#include <stddef.h>
#include <stdint.h>

/* The version of the table's layout and of the requests. */
#define JOURNAL_REPLAY_ABI 1

/* Receives one answer: a line of JSON, valid during the call. Returns 0 to go on; any other value stops the answers. */
typedef int32_t (*journal_replay_answer)(void *context, const uint8_t *bytes, size_t count);

struct journal_replay_plugin {
    /* JOURNAL_REPLAY_ABI. */
    uint32_t abi;
    uint32_t reserved;
    /* Handles a request, a line of JSON: calls `answer` for each answer, then returns. An error is an answer too. */
    void (*call)(const uint8_t *request, size_t count, void *context, journal_replay_answer answer);
};

#endif
