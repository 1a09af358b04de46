#ifndef CFUTEX_H
#define CFUTEX_H

#include <stdint.h>

/// Waits until another thread wakes it, if the word has the expected value. Can return earlier.
/// https://man7.org/linux/man-pages/man2/futex.2.html
void futex_wait(const uint32_t *word, uint32_t expected);

/// Wakes one thread that waits for the word.
void futex_wake(const uint32_t *word);

#endif
