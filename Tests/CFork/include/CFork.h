// fork() is not to be had from Swift. This one makes a child that only waits.
#ifndef CFORK_H
#define CFORK_H

/// Forks. The child waits until standard input is closed, then ends; it never returns from here.
/// Returns the child's process ID, or -1.
int cfork_waiting_child(void);

#endif
