import CFork
import Foundation
import Testing

@testable import JournalStore

private struct Pipe {
    var reading: Int32
    var writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (reading, writing) = (ends[0], ends[1])
    }

    /// Whether the last copy of the writing end, here and in the child, is closed within this many milliseconds.
    func isOver(within milliseconds: Int32) -> Bool {
        var ending = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        return poll(&ending, 1, milliseconds) == 1 && ending.revents & Int16(POLLHUP) != 0
    }
}

@Suite struct `Pure, the fork guard` {
    // In its own process: a forked child inherits every open descriptor.
    @Test func `a forked child closes all registered descriptors, however many, and no others`() async {
        await #expect(processExitsWith: .success) {
            // The child waits for the end of its input, which it keeps open itself, so it lives until it is killed.
            let input = try Pipe()
            #expect(dup2(input.reading, STDIN_FILENO) == STDIN_FILENO)

            let released = try (0..<30).map { _ in try Pipe() }
            for pipe in released { ForkGuard.register(pipe.writing) }
            for pipe in released { ForkGuard.unregister(pipe.writing) }
            // More than before, so that free slots are used again and new ones are added.
            let guarded = try Pipe()
            let copies = (0..<100).map { _ in dup(guarded.writing) } + [guarded.writing]
            for descriptor in copies { ForkGuard.register(descriptor) }

            let child = cfork_waiting_child()
            try #require(child > 0)
            defer {
                kill(child, SIGKILL)
                waitpid(child, nil, 0)
            }
            for descriptor in copies {
                ForkGuard.unregister(descriptor)
                close(descriptor)
            }
            #expect(guarded.isOver(within: 600_000))
            for pipe in released {
                close(pipe.writing)
                #expect(!pipe.isOver(within: 0))
            }
            #expect(ForkGuard.generation == 0)
        }
    }
}
