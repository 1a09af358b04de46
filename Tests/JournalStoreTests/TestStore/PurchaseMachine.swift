import JournalStore
import JournalTesting

struct Purchase: Codable, Sendable, Equatable {
    var items: [String] = []
    var receipt: String?
    var drawn: [String] = []
}

enum PurchaseAction: Codable, Sendable, Equatable {
    case add(String)
    /// Adds the item twice, the second time by `.next`.
    case addTwo(String)
    case pay
    case paid(String)
    case failed
    /// Sends `add("reminder")` after a minute.
    case remind
    /// Adds `tick` each second.
    case watch
    case unwatch
    /// Runs until it is cancelled.
    case wait
    /// Runs until it is cancelled, without a record.
    case listen
    /// Charges without a record.
    case probe
    case cancelPayment
    case draw
}

/// What a test decides about the effects.
struct PurchaseWorld: Sendable {
    var charge: @Sendable (_ items: [String]) async throws -> String = { "\($0.count) items" }
    var restart = Effect<PurchaseAction>.Restart.resume
    /// Only a test may make a reducer impure.
    var impurity: @Sendable () -> String? = { nil }
}

let purchase = Machine<PurchaseAction, Purchase, PurchaseWorld>("purchase", initialState: Purchase()) {
    action, state, world, step in
    switch action {
    case .add(let item):
        state.items.append(item + (world.impurity() ?? ""))
        return .none
    case .addTwo(let item):
        state.items.append(item)
        return .next(.add(item))
    case .pay:
        if state.items.isEmpty { return .reject("Nothing is ordered.") }
        return .run("charge", id: "payment", restart: world.restart) { [items = state.items] in
            .paid(try await world.charge(items))
        }
    case .paid(let receipt):
        if state.receipt != nil { return .reject("It is paid.") }
        state.receipt = receipt
        return .none
    case .failed:
        state.receipt = "failed"
        return .none
    case .remind: return .after(.seconds(60), .add("reminder"), id: "reminder")
    case .watch: return .every(.seconds(1), .add("tick"), id: "watch")
    case .unwatch: return .cancel(id: "watch")
    case .wait:
        return .fireAndForget("wait", id: 1, restart: world.restart) { context in
            try await context.clock.sleep(for: .seconds(1_000_000))
        }
    case .listen:
        return .ephemeral("listen") { context in try await context.clock.sleep(for: .seconds(1_000_000)) }
    case .probe: return .ephemeral("probe") { [items = state.items] _ in _ = try await world.charge(items) }
    case .cancelPayment: return .cancel(id: "payment")
    case .draw:
        state.drawn.append("\(step.time) \(step.uuid()) \(Int.random(in: 0..<1_000_000, using: &step))")
        return .none
    }
}

/// A test store whose failures the test reads, each with the line of the call.
struct Tested {
    let store: TestStore<PurchaseAction, Purchase>
    let failures = Box<[TestStoreFailure]>([])

    init(
        _ state: Purchase? = nil, world: PurchaseWorld = PurchaseWorld(), clock: ManualClock = ManualClock(),
        seed: UInt64 = 0, options: OpenOptions = OpenOptions()
    )
        async throws
    {
        store = try await TestStore(
            purchase, initialState: state, environment: world, clock: clock, seed: seed, options: options,
            report: { [failures] failure in failures.change { $0.append(failure) } })
        store.timeLimit = .zero
    }

    var messages: [String] { failures.value.map(\.message) }
}
