import JournalTesting
import Testing

@testable import JournalStore

/// The writer appends messages to streams that no store has open.
@Suite struct `Messages to closed streams` {
    private let clock = ManualClock()
    private let journal: Journal
    private let executor: (any TaskExecutor)?
    /// The receivers by the number that is sent.
    private let stream: @Sendable (Int) -> String = { number in
        switch number {
        case 7: "of another machine"
        case 8: ""
        default: "to \(number / 2)"
        }
    }

    init() throws {
        var options = Journal.Options()
        options.follow(clock)
        executor = options.executor
        journal = try Journal.inMemory(options: options)
    }

    private func machine(_ name: String) -> Machine<Int, [Int], Void> {
        Machine(name, initialState: [], update: { $0.append($1) })
    }

    /// Lets a sender for each number send it to its stream.
    ///
    /// - Returns: how many of the messages of each failed, and the number of commits.
    private func send(_ numbers: Range<Int>) async throws -> (failures: [Int], commits: Int) {
        var senders: [Store<Int, [Int]>] = []
        for number in numbers {
            let sender = machine("sender").connected(to: machine("receiver")) { [stream] step in
                (stream(step.action), step.action)
            }
            senders.append(try await journal.open(sender, stream: "from \(number)", clock: clock))
        }
        let before = try await journal.metrics().commits
        // All begin in one job of the journal's executor, which has one thread, so the order of all that follows is
        // fixed.
        let failures = try await Task.detached(executorPreference: executor) { [senders] in
            try await withThrowingTaskGroup(of: (Int, failures: Int).self) { group in
                for (sender, number) in zip(senders, numbers) {
                    group.addTask {
                        let dispatched = try await sender.dispatch(number)
                        await dispatched.completion()
                        return (number, dispatched.errors.count)
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.failures }
            }
        }.value
        return (numbers.map { failures[$0] ?? -1 }, try await journal.metrics().commits - before)
    }

    @Test func `share a transaction if they wait together`() async throws {
        let sent = try await send(100..<200)
        #expect(sent.failures == Array(repeating: 0, count: 100))
        // Two for each message would be 200: its stream is created, and it is appended.
        #expect(sent.commits < 20)
        for number in 50..<100 {
            let actions = try journal.reader.entries(in: "to \(number)", limit: 10).map(\.action)
            #expect(actions.sorted() == ["\(2 * number)", "\(2 * number + 1)"])
        }
        #expect(try journal.reader.verify().isSound)
    }

    @Test func `do not fail because of one that cannot be delivered`() async throws {
        try await journal.open(machine("another"), stream: "of another machine", clock: clock).close()
        #expect(try await send(5..<11).failures == [0, 0, 1, 1, 0, 0])
        let receivers = try journal.reader.streams().map(\.name).filter { !$0.hasPrefix("from") }.sorted()
        #expect(receivers == ["of another machine", "to 2", "to 3", "to 4", "to 5"])
        #expect(try journal.reader.entries(in: "of another machine", limit: 10).isEmpty)
        #expect(try journal.reader.entries(in: "to 4", limit: 10).map(\.action) == ["9"])
    }
}
