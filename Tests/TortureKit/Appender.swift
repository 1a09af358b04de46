package import JournalStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The child of a kill round: appends from several tasks to several streams, and prints each step after its commit
/// returned. It ends when it is killed, or when each task has appended `count` entries.
package struct Appender: Sendable {
    package var path: String
    package var durability: Durability
    package var streams: Int
    package var tasks: Int
    package var count: Int

    package init(path: String, durability: Durability, streams: Int = 3, tasks: Int = 8, count: Int = .max) {
        self.path = path
        self.durability = durability
        self.streams = streams
        self.tasks = tasks
        self.count = count
    }

    package func run() async throws {
        var options = Journal.Options()
        options.durability = durability
        options.snapshots = SnapshotPolicy(everySteps: 50)
        // Often enough that kills hit checkpoints too.
        options.checkpointPages = 40
        let journal = try Journal(path: path, options: options)
        var open: [JournalStream] = []
        for index in 0..<streams { open.append(try await journal.openStream("stream-\(index)", machine: "torture")) }
        let process = getpid()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                let stream = open[task % open.count]
                group.addTask {
                    var number = 0
                    while number < count {
                        number += 1
                        let token = "\(process)-\(task)-\(number)"
                        let appended = try await stream.append(#"{"append":{"token":"\#(token)"}}"#)
                        Acknowledgement(stream: stream.name, step: appended.step, token: token).print()
                        stream.offerSnapshot(at: appended.step) { #"{"after":"\#(token)"}"# }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await journal.close()
    }
}

/// One line of the child's output: an entry that the journal acknowledged.
package struct Acknowledgement: Hashable, Sendable {
    package var stream: String
    package var step: Int
    package var token: String

    package init(stream: String, step: Int, token: String) {
        self.stream = stream
        self.step = step
        self.token = token
    }

    package init?(line: some StringProtocol) {
        let parts = line.split(separator: " ")
        guard parts.count == 3, let step = Int(parts[1]) else { return nil }
        self.init(stream: String(parts[0]), step: step, token: String(parts[2]))
    }

    /// Writes the line at once, without a buffer that a kill could lose.
    func print() {
        let line = Array("\(stream) \(step) \(token)\n".utf8)
        _ = line.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
