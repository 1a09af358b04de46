// Calls that Swift cannot make: fork(), and a pipe that children do not inherit.
#ifndef CFORK_H
#define CFORK_H

#include <stdbool.h>

/// Forks. The child waits until standard input is closed, then ends; it never returns from here.
/// Returns the child's process ID, or -1.
int cfork_waiting_child(void);

/// Forks, calls a function in the child, and ends the child without more. Returns whether the child has ended in order.
bool cfork_call(void (*body)(void *), void *context);

/// Opens a pipe whose ends are closed on exec. Neither has the number of a standard stream, even if this process was
/// started without one. Returns 0, or -1 with errno.
int cfork_pipe(int ends[2]);

#endif
