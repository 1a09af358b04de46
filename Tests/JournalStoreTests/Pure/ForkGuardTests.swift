import CFork
import Foundation
import Testing

@testable import JournalStore

@Suite struct `Pure, the fork guard` {
    // In a process of its own: the fork takes along whatever else is open.
    @Test func `a forked child closes all that are registered, however many, and nothing else`() async {
        await #expect(processExitsWith: .success) {
            var released: [Int32] = [-1, -1]
            var guarded: [Int32] = [-1, -1]
            var input: [Int32] = [-1, -1]
            for result in [pipe(&released), pipe(&guarded), pipe(&input)] { #expect(result == 0) }
            // The child waits for the end of its input, which it holds open itself: it lives until it is killed.
            #expect(dup2(input[0], STDIN_FILENO) == STDIN_FILENO)

            let free = (0..<100).map { _ in dup(released[1]) }
            for descriptor in free { ForkGuard.register(descriptor) }
            for descriptor in free { ForkGuard.unregister(descriptor) }
            // More than before, so that places are used again and others are added.
            let closed = (0..<150).map { _ in dup(guarded[1]) } + [guarded[1]]
            for descriptor in closed { ForkGuard.register(descriptor) }
            #expect((free + closed).allSatisfy { $0 >= 0 })

            let child = cfork_waiting_child()
            #expect(child > 0)
            defer {
                kill(child, SIGKILL)
                waitpid(child, nil, 0)
            }
            for descriptor in closed {
                ForkGuard.unregister(descriptor)
                close(descriptor)
            }
            // The other end is told when the last of them is closed, here and there.
            var ending = pollfd(fd: guarded[0], events: Int16(POLLIN), revents: 0)
            #expect(poll(&ending, 1, 20_000) == 1)
            #expect(ending.revents & Int16(POLLHUP) != 0)

            for descriptor in free + [released[1]] { close(descriptor) }
            var open = pollfd(fd: released[0], events: Int16(POLLIN), revents: 0)
            #expect(poll(&open, 1, 0) == 0)
            #expect(ForkGuard.generation == 0)
        }
    }
}
