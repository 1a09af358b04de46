import Foundation

extension Child {
    /// The exit status and the output of a program that has ended.
    package struct Outcome: Sendable, Equatable {
        package var status: Int32
        package var output: String
        package var errors: String
    }

    /// Runs a program to its end. Its standard input is empty.
    package static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            // Waiting for a process would block a thread of the cooperative pool.
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try Child(program, arguments, environment: environment, keepsErrors: true).outcome()
                    })
            }
        }
    }

    /// Reads standard output and standard error until the child closes both, then waits for its end.
    package func outcome() -> Outcome {
        closeInput()
        // Both at once: a full pipe that is not read would block the program.
        var sources = [output, errors].map { pollfd(fd: $0 ?? -1, events: Int16(POLLIN), revents: 0) }
        var texts = [buffer, []]
        var more = [UInt8](repeating: 0, count: 65_536)
        while sources.contains(where: { $0.fd >= 0 }) {
            guard poll(&sources, nfds_t(sources.count), -1) > 0 else { continue }
            for index in sources.indices where sources[index].revents != 0 {
                let count = read(sources[index].fd, &more, more.count)
                if count > 0 {
                    texts[index] += more[..<count]
                } else if count == 0 || errno != EINTR {
                    sources[index].fd = -1
                }
            }
        }
        return Outcome(
            status: wait(), output: String(decoding: texts[0], as: UTF8.self),
            errors: String(decoding: texts[1], as: UTF8.self))
    }
}
