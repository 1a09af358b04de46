#include "CFloor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int sync_file(int file) {
#ifdef __APPLE__
    return fsync(file); // As SQLite does by default on this system: https://www.sqlite.org/pragma.html#pragma_fullfsync
#else
    return fdatasync(file);
#endif
}

int cfloor_sync_times(const char *path, int32_t count, int64_t *times) {
    char page[4096];
    memset(page, 'x', sizeof page);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    int error = 0;
    for (int32_t index = 0; index < count && !error; index++) {
        int64_t start = nanoseconds();
        ssize_t written = write(file, page, sizeof page);
        if (written != (ssize_t)sizeof page) {
            error = written < 0 ? errno : ENOSPC;
        } else if (sync_file(file) != 0) {
            error = errno;
        }
        times[index] = nanoseconds() - start;
    }
    close(file);
    return error;
}
