import JournalStore

/// A host and the times of its calls.
struct HostedStreams: Sendable {
    let journal: Journal
    let host: MachineHost<BenchAction, BenchState>

    /// - Parameters:
    ///   - open: how many streams may be open.
    ///   - openings: how many are opened at the same time at the start.
    @concurrent
    init(
        _ path: String, open: Int, openings: Int = HostOptions().maxOpenings, durability: Durability = .normal
    ) async throws {
        var options = Journal.Options()
        options.durability = durability
        journal = try Journal(path: path, options: options)
        host = try journal.host(
            StoreLibrary.machine,
            options: Self.changed(HostOptions()) { ($0.maxOpenStreams, $0.maxOpenings) = (open, openings) })
        _ = await host.recovery()
    }

    /// One dispatch to each stream, from many tasks.
    @concurrent
    func dispatch(to streams: Range<Int>, tasks: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for number in stride(from: streams.lowerBound + task, to: streams.upperBound, by: tasks) {
                        try await host.dispatch(StoreLibrary.action(number), to: "stream-\(number)")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Dispatches to streams of their own from some tasks, until the body returns.
    @concurrent
    func underLoad<Value: Sendable>(
        tasks: Int, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var number = 0
                    while !Task.isCancelled {
                        try await host.dispatch(StoreLibrary.action(number), to: "load-\(task)")
                        number += 1
                    }
                }
            }
            defer { group.cancelAll() }
            return try await body()
        }
    }

    /// How long single dispatches take, one after another.
    @concurrent
    func latencies(of streams: Range<Int>) async throws -> [Duration] {
        var times: [Duration] = []
        for number in streams {
            let start = ContinuousClock.now
            try await host.dispatch(StoreLibrary.action(number), to: "stream-\(number)")
            times.append(ContinuousClock.now - start)
        }
        return times
    }

    /// All dispatches go to one stream.
    @concurrent
    func dispatch(_ count: Int, toOneFrom tasks: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    for number in 0..<count / tasks {
                        try await host.dispatch(StoreLibrary.action(number), to: "stream-0")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func changed<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
        var value = value
        change(&value)
        return value
    }
}
