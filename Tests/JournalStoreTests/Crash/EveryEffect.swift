import JournalStore
import JournalTesting

/// A machine with an effect of each kind. A test selects one by name; add a new kind as a case of `effect(_:)`.
enum Every: Codable, Sendable, Equatable {
    case start(String)
    case did(String)
    case stop(String)
}

struct Log: Codable, Sendable, Equatable {
    var lines: [String] = []
    /// Independent of the order: effects that run at the same time can end in another order after a restart.
    var counts: [String: Int] = [:]
}

struct SingleFile: Oldest1SuspendNewEffectQueue {}
struct LastOnly: Newest1EffectQueue {}
struct Unhurried: EffectQueue {
    var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 2, .suspendNew) }
    var effectQueueDelay: EffectQueueDelay { .constant(1.0) }
}

struct FirstOnly: Oldest1DiscardNewEffectQueue {}

struct ServiceIsBusy: Error {}

/// Performed by a handler.
struct Job: Codable, Sendable { var name: String }

private let reducer = Reducer<Every, Log, Outside> { action, state, outside in
    switch action {
    case .start(let name):
        return effect(name, outside)
    case .did(let what):
        state.lines.append(what)
        state.counts[what, default: 0] += 1
        // An effect that follows another one.
        if what == "first" { return effect("second", outside) }
        return what == "tick" && state.counts[what] == 3 ? .cancel(id: "ticks") : .none
    case .stop(let id):
        return .cancel(id: id)
    }
}
.handling(Job.self) { job, outside, context in
    outside.call(job.name, key: context.idempotencyKey)
    if job.name == "bad" { throw ServiceIsBusy() }
    return .did(job.name)
}

private let unconnected = Machine("every", initialState: Log(), reducer: reducer)

/// Linked to itself, in the matrix's stream, and to a stream that is never opened.
let every = unconnected.connected(to: unconnected) { step in
    switch step.action {
    case .did("to itself"): ("matrix", .did("from itself"))
    case .did("to another"), .did("from itself"): ("elsewhere", .did("something"))
    default: nil
    }
}

private func effect(_ name: String, _ outside: Outside) -> Effect<Every> {
    switch name {
    case "silent": .fireAndForget(name) { outside.call(name, key: $0.idempotencyKey) }
    case "only":
        .fireAndForget(name, queue: FirstOnly()) { outside.call(name, key: $0.idempotencyKey) }
    case "stream":
        .stream(name) { send, context in
            for number in context.delivered..<3 {
                outside.call(name, key: "\(context.idempotencyKey) \(number)")
                try await send(.did("\(name) \(number)"))
            }
        }
    case "sequence":
        .sequence(name) { context in
            AsyncStream { continuation in
                for number in context.delivered..<3 { continuation.yield(.did("\(name) \(number)")) }
                continuation.finish()
            }
        }
    case "flaky":
        .run(name, retry: .exponential(maxAttempts: 5)) { context in
            try outside.call(name, key: context.idempotencyKey) { times throws(ServiceIsBusy) in
                if times == 1 { throw ServiceIsBusy() }
            }
            return .did(name)
        }
    case "hopeless":
        .run(name, retry: .constant(maxAttempts: 2)) { _ in throw ServiceIsBusy() }
    case "lane":
        .combine(["a", "b", "c"].map { work("\(name) \($0)", outside, queue: SingleFile()) })
    case "slow":
        .combine(["a", "b", "c"].map { work("\(name) \($0)", outside, queue: Unhurried()) })
    case "newest":
        sleeping("\(name) a", outside, queue: LastOnly()) + sleeping("\(name) b", outside, queue: LastOnly())
    case "delayed": .run(name, delay: .seconds(5)) { .did(name) }
    case "cascade": .next(.did("one")) + .next(.start("plain")) + .next(.did("two"))
    case "long": sleeping(name, outside)
    case "undone": sleeping(name, outside).onCancel(.did("undone"))
    case "refused": .next(.did(name)) + .reject("no")
    case "passing": .ephemeral(name) { _ in }
    case "once": work(name, outside, restart: .cancel)
    case "told": work(name, outside, restart: .dispatch(.did("dispatched after a restart")))
    case "asked": work(name, outside, restart: .ask)
    case "steps":
        .run(name, retry: .constant(maxAttempts: 3)) { context in
            let first = try await context.step("a") {
                outside.call("\(name) a", key: "\(context.idempotencyKey) a")
                return 1
            }
            for number in 1...2 {
                try await context.step("b") {
                    try await context.step("inside") {
                        outside.call("\(name) b", key: "\(context.idempotencyKey) b \(number)")
                    }
                }
            }
            return .did("\(name) \(first)")
        }
    case "described": .perform(Job(name: name), id: name, queue: SingleFile()) + .perform(Job(name: "beside"))
    case "described failure":
        .perform(Job(name: "bad"), retry: .constant(maxAttempts: 2)).onFailure(.did("failed"))
    case "failure": .run(name) { throw ServiceIsBusy() }.onFailure { _ in .did("failed: \(name)") }
    case "after": .after(.seconds(30), .did(name), id: name)
    case "at": .at(ManualClock().wallClock().advanced(bySeconds: 45), .did(name))
    case "every": .every(.seconds(10), .did("tick"), missed: .all, id: "ticks")
    case "message": .run("itself") { .did("to itself") }
    case "messages": .run("one") { .did("to another") } + .run("two") { .did("to another") }
    default: work(name, outside)
    }
}

/// One request, one result.
private func work(
    _ name: String, _ outside: Outside, queue: (any EffectQueue)? = nil, restart: Effect<Every>.Restart = .resume
) -> Effect<Every> {
    .run(name, id: name, queue: queue, restart: restart) { context in
        outside.call(name, key: context.idempotencyKey)
        return .did(name)
    }
}

/// An effect that takes a minute.
private func sleeping(_ name: String, _ outside: Outside, queue: (any EffectQueue)? = nil) -> Effect<Every> {
    .run(name, id: name, queue: queue) { context in
        try await context.clock.sleep(for: .seconds(60))
        outside.call(name, key: context.idempotencyKey)
        return .did(name)
    }
}

extension Timestamp {
    fileprivate func advanced(bySeconds seconds: Int64) -> Timestamp {
        Timestamp(microseconds: microseconds + seconds * 1_000_000)
    }
}
