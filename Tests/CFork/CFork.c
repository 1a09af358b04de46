#define _GNU_SOURCE
#include "CFork.h"

#include <fcntl.h>
#include <unistd.h>

int cfork_waiting_child(void) {
    pid_t child = fork();
    if (child != 0) return child;
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    _exit(0);
}

int cfork_pipe(int ends[2]) {
#ifdef __linux__
    return pipe2(ends, O_CLOEXEC);
#else
    if (pipe(ends) != 0) return -1;
    for (int index = 0; index < 2; index++) fcntl(ends[index], F_SETFD, FD_CLOEXEC);
    return 0;
#endif
}
