#ifndef CLINUX_H
#define CLINUX_H

#include <stdint.h>

// System calls of Linux that Swift cannot call. On macOS nothing of this is needed.

/// Waits until another thread wakes it, if the word has the expected value. Can return earlier.
/// https://man7.org/linux/man-pages/man2/futex.2.html
void futex_wait(const uint32_t *word, uint32_t expected);

/// Wakes one thread that waits for the word.
void futex_wake(const uint32_t *word);

/// Finds the device, the inode and the size of a file without asking for its times: if these are asked for between two
/// writes, each write updates them, and a sync must write that as well.
/// https://man7.org/linux/man-pages/man2/statx.2.html
///
/// \returns 0, or -1 with errno.
int file_identity(const char *path, uint64_t *device, uint64_t *inode, int64_t *size);

/// Renames a file, and fails with EEXIST if the name is taken. Some file systems fail with EINVAL.
/// https://man7.org/linux/man-pages/man2/rename.2.html
///
/// \returns 0, or -1 with errno.
int rename_to_free_name(const char *from, const char *target);

/// Makes a stream socket of the Unix domain that no child inherits. With two calls, a child that is started between
/// them would have it.
/// https://man7.org/linux/man-pages/man2/socket.2.html
///
/// \returns a descriptor, or -1 with errno.
int local_socket(void);

/// Accepts a connection, which no child inherits either.
/// https://man7.org/linux/man-pages/man2/accept4.2.html
///
/// \returns a descriptor, or -1 with errno.
int accept_local(int listener);

#endif
