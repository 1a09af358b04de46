/* What a library gives journal-replay, so that the tool can replay the machines in it.
 *
 * Nothing but bytes crosses: the tool and the library can be built at different times, with different compilers. The library exports one
 * function,
 *
 *     const struct journal_replay_plugin *journal_replay_machines(void);
 *
 * which JournalReplayKit makes in one line of Swift: see ReplayPlugin. The table it gives is never freed, the library never unloaded.
 */
#ifndef JOURNAL_REPLAY_H
#define JOURNAL_REPLAY_H

#include <stddef.h>
#include <stdint.h>

/* The layout of the table and the requests that are understood. */
#define JOURNAL_REPLAY_ABI 1

/* Takes one answer: a line of JSON, valid during the call. Anything but 0 asks for no more. */
typedef int32_t (*journal_replay_answer)(void *context, const uint8_t *bytes, size_t count);

struct journal_replay_plugin {
    /* JOURNAL_REPLAY_ABI. */
    uint32_t abi;
    uint32_t reserved;
    /* Answers a request, a line of JSON, with as many answers as there are; then returns. An error is an answer too. */
    void (*call)(const uint8_t *request, size_t count, void *context, journal_replay_answer answer);
};

#endif
