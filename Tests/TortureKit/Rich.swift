import Foundation
package import JournalStore

/// A machine whose journal has rows in every table and in every index. It must go on replaying the journals in
/// `Tests/Fixtures`.
package enum Rich {
    package enum Action: Codable, Sendable, Equatable {
        case add(Int)
        case refuse
        case start(String)
        case done(String)
        case tell(Int)
    }

    package struct State: Codable, Sendable, Equatable {
        package var sum = 0
        package var done: [String] = []
        package var luck: [UInt64] = []
    }

    struct NotYet: Error {}
    struct Job: Codable, Sendable { var name: String }
    struct Line: Oldest1SuspendNewEffectQueue {}

    /// A queue with a delay has a row, and so has one of described effects.
    struct Pace: Oldest1SuspendNewEffectQueue {
        var effectQueueDelay: EffectQueueDelay { .constant(.milliseconds(1)) }
    }

    /// Tells that a body has come to its end, or to where it stays.
    package final class Arrivals: Sendable {
        private let arrivals = AsyncStream.makeStream(of: String.self)

        package init() {}

        func arrive(_ name: String) { arrivals.continuation.yield(name) }

        func wait(for count: Int) async {
            var iterator = arrivals.stream.makeAsyncIterator()
            for _ in 0..<count { _ = await iterator.next() }
        }
    }

    private static let reducer = Reducer<Action, State, Arrivals> { action, state, arrivals, step in
        switch action {
        case .add(let number):
            state.sum += number
            if number.isMultiple(of: 9) { state.luck.append(step.next()) }
            return number == 5 ? .next(.add(100)) : .none
        case .refuse: return .reject("no")
        case .done(let name):
            state.done.append(name)
            return .none
        case .tell: return .none
        case .start("steps"):
            return .run("steps", id: "steps") { context in
                let first = try await context.step("first") { 1 }
                try await context.step("second") {}
                arrivals.arrive("steps")
                try await Task.sleep(for: .seconds(1_000_000))
                return .done("steps \(first)")
            }
        case .start("quick"):
            return .run("quick") {
                arrivals.arrive("quick")
                return .done("quick")
            }
        case .start("failing"): return .fireAndForget("failing") { throw NotYet() }
        case .start("line"):
            return ["a", "b"].map { name in
                .run(name, id: name, queue: Line(), restart: .cancel) {
                    arrivals.arrive(name)
                    try await Task.sleep(for: .seconds(1_000_000))
                    return .done(name)
                }
            }.reduce(.none, +)
        case .start("described"):
            let retry = RetryPolicy.constant(maxAttempts: 3, delay: .zero)
            return .perform(Job(name: "described"), id: "described", queue: Pace(), retry: retry)
        case .start("loser"):
            return .run("loser", id: "loser") {
                try await Task.sleep(for: .seconds(1_000_000))
                return .done("loser")
            }
        case .start("stop"): return .cancel(id: "loser")
        case .start("timer"): return .after(.seconds(1_000_000), .done("timer"), id: "timer")
        case .start: return .none
        }
    }
    .handling(Job.self) { job, arrivals, context in
        // So that its first attempt is recorded.
        if context.attempt == 1 { throw NotYet() }
        arrivals.arrive(job.name)
        try await Task.sleep(for: .seconds(1_000_000))
        return .done(job.name)
    }

    private static let plain = Machine("rich", initialState: State(), reducer: reducer)

    package static let machine = plain.connected(to: plain) { step in
        if case .tell(let number) = step.action { ("other", .add(number)) } else { nil }
    }

    /// Appends the steps 28 to 30, as a process leaves them that is killed before it settles them: one that is skipped
    /// then, one that cancels the effect of step 27, and the result of that effect, which does not count.
    private static func appendUnsettled(to journal: Journal) async throws {
        let stream = try await journal.openStream("rich", machine: "rich")
        let codec = JSONCodec()
        _ = try await journal.commit(
            Batch(entries: [
                NewEntry(stream: stream.id, action: try codec.encode(Action.add(1_000))),
                NewEntry(stream: stream.id, action: try codec.encode(Action.start("stop"))),
                NewEntry(
                    stream: stream.id, action: try codec.encode(Action.done("loser")), origin: .effect,
                    cause: Cause(step: 27, run: 0), isProvisional: true),
            ]))
        try await stream.close()
        try await journal.skip(28, in: "rich")
    }

    /// Makes a journal that was killed while effects ran, and one of the same life that was closed.
    package static func make(killed: String, closed: String) async throws {
        var options = Journal.Options()
        options.snapshots = SnapshotPolicy(everySteps: 10)
        options.retention = Retention(last: 3, everySteps: nil)
        // One of the effects fails.
        options.report = { _ in }
        let arrivals = Arrivals()
        let folder = try TemporaryFolder()
        var journal = try Journal(path: folder.path("first.db"), options: options)
        var store = try await journal.open(machine, stream: "rich", environment: arrivals)
        for number in 1...26 { try await store.dispatch(.add(number), id: "add-\(number)") }
        try await store.dispatch(.start("loser"))
        try await store.close()
        _ = try await journal.prune("rich", before: 25)
        try await appendUnsettled(to: journal)
        store = try await journal.open(machine, stream: "rich", environment: arrivals)
        try await store.dispatch(.refuse)
        await (try store.dispatch(.start("quick"), trackingFeedback: true)).completion()
        await (try store.dispatch(.tell(7))).completion()
        try await store.close()
        // A detached copy has a random seed of its own.
        try await journal.backup(to: closed, detached: true)
        try await journal.close()

        journal = try Journal(path: closed, options: options)
        store = try await journal.open(machine, stream: "rich", environment: arrivals)
        for name in ["steps", "line", "described", "timer"] { try await store.dispatch(.start(name), cancelID: "all") }
        await arrivals.wait(for: 4)
        for number in 31...38 { try await store.dispatch(.add(number), id: "add-\(number)") }
        // An index has the failed effects.
        await (try store.dispatch(.start("failing"))).completion()
        try await store.flush()
        // The newest transaction has no entry.
        if let run = try await store.liveRuns().first(where: { $0.name == "a" }) { try await store.cancel(run.key) }
        for suffix in ["", "-wal", "-lock"] {
            try FileManager.default.copyItem(atPath: closed + suffix, toPath: killed + suffix)
        }
        try await journal.close()
    }
}
