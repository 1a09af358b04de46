#include "CFutex.h"

// On macOS a lock of the system is used.
#if defined(__linux__)

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void futex_wait(const uint32_t *word, uint32_t expected) {
    // SQLite reports the error of the last system call. A lock is no part of that.
    int error = errno;
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, (void *)0, (void *)0, 0);
    errno = error;
}

void futex_wake(const uint32_t *word) {
    int error = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, (void *)0, (void *)0, 0);
    errno = error;
}

#endif
