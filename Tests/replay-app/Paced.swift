import Dispatch
import Foundation
import JournalStore

/// What ``Paced`` dispatches.
enum Tick: Codable, Hashable, Sendable {
    case add(Int)
    case ask
    case answer(Int)
}

/// Counts. One in ten of the paced actions starts an effect, whose result is another step.
let meter = Machine<Tick, [String: Int], Void>("meter", initialState: [:]) { action, counts, _ in
    switch action {
    case .add(let amount): counts["sum", default: 0] += amount
    case .ask:
        let number = counts["asked", default: 0] + 1
        counts["asked"] = number
        return .run("ask") { _ in .answer(number) }
    case .answer: counts["answered", default: 0] += 1
    }
    return .none
}

/// Dispatches to a journal, for the tests of the live page.
enum Paced {
    /// `replay-app pace FILE RATE SECONDS`: so many steps a second, or as many as possible for 0. Prints how many there
    /// were, and the rate that was kept.
    static func run(_ path: String, rate: Int, seconds: Int) async throws {
        let (journal, store) = try await open(path)
        let start = ContinuousClock.now
        let end = start.advanced(by: .seconds(seconds))
        var count = 0
        while ContinuousClock.now < end {
            if rate > 0 {
                let due = start.advanced(by: .microseconds(count * 1_000_000 / rate))
                if due > end { break }
                // A task wakes some time later: what is due by then is dispatched at once.
                if due > .now { try await Task.sleep(until: due) }
            }
            try await dispatch(count, store)
            count += 1
        }
        let time = ContinuousClock.now - start
        await store.join()
        try await store.close()
        try await journal.close()
        let seconds: Double = time / Duration.seconds(1)
        print(count, Double(count) / seconds)
    }

    /// `replay-app steps FILE`: for each line of the input, as many steps as it says, and then a line. The journal
    /// stays open until the input ends.
    static func obey(_ path: String) async throws {
        let (journal, store) = try await open(path)
        while let line = await nextLine() {
            for number in 0..<(Int(line) ?? 0) { try await dispatch(number, store) }
            await store.join()
            try FileHandle.standardOutput.write(contentsOf: Data("done\n".utf8))
        }
        try await store.close()
        try await journal.close()
    }

    private static func open(_ path: String) async throws -> (Journal, Store<Tick, [String: Int]>) {
        var options = Journal.Options()
        options.durability = .normal
        let journal = try Journal(path: path, options: options)
        return (journal, try await journal.open(meter, stream: "paced"))
    }

    private static func dispatch(_ number: Int, _ store: Store<Tick, [String: Int]>) async throws {
        try await store.dispatch(number % 10 == 9 ? .ask : .add(1))
    }

    private static let input = DispatchQueue(label: "replay-app.input")

    private static func nextLine() async -> String? {
        await withCheckedContinuation { continuation in
            input.async { continuation.resume(returning: readLine()) }
        }
    }
}
