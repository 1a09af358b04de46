#define _GNU_SOURCE
#include "CFork.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

int cfork_waiting_child(void) {
    pid_t child = fork();
    if (child != 0) return child;
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    _exit(0);
}

bool cfork_call(void (*body)(void *), void *context) {
    pid_t child = fork();
    if (child == 0) {
        body(context);
        _exit(0);
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static int move_above_standard_streams(int *end) {
    if (*end > STDERR_FILENO) return 0;
    int copy = fcntl(*end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (copy < 0) return -1;
    close(*end);
    *end = copy;
    return 0;
}

int cfork_pipe(int ends[2]) {
#ifdef __linux__
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
#else
    if (pipe(ends) != 0) return -1;
    for (int index = 0; index < 2; index++) fcntl(ends[index], F_SETFD, FD_CLOEXEC);
#endif
    if (move_above_standard_streams(&ends[0]) == 0 && move_above_standard_streams(&ends[1]) == 0) return 0;
    int code = errno;
    for (int index = 0; index < 2; index++) close(ends[index]);
    errno = code;
    return -1;
}
