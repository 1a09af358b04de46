import JournalStore

/// Packed by a person, who takes a moment, and picked up by a van some time later.
enum Order: String, Codable, Sendable {
    case new, packing, waiting, shipped
    /// It could not be packed, or an operator has cancelled that. It goes on when an operator retries the effect.
    case stuck
}

enum OrderAction: Codable, Sendable { case place, packed, notPacked, pickUp }

struct Warehouse: Sendable {
    var pack: @Sendable (_ stream: String) async throws -> Void
    /// How long a packed order waits for the van.
    var wait: Duration
}

let order = Machine<OrderAction, Order, Warehouse>("order", initialState: .new) { action, order, warehouse in
    switch (action, order) {
    case (.place, .new):
        order = .packing
        return .run("pack", retry: .exponential(maxAttempts: 5)) { context in
            try await warehouse.pack(context.stream)
            return .packed
        }
        // Without these, the order would be packing for ever.
        .onFailure(.notPacked)
        .onCancel(.notPacked)
    case (.notPacked, .packing), (.notPacked, .stuck):
        order = .stuck
        return .none
    case (.packed, .packing), (.packed, .stuck):
        order = .waiting
        // Nothing runs and the stream may be closed meanwhile: the host opens it when the time has come.
        return .after(warehouse.wait, .pickUp)
    case (.pickUp, .waiting):
        order = .shipped
        return .none
    default:
        return .reject("The order is \(order.rawValue).")
    }
}
.connected(to: tally, stream: "tally") { step in step.after == .shipped ? .shipped : nil }

enum TallyAction: Codable, Sendable { case shipped }

/// Counts the shipped orders. A message arrives exactly once, so the count is right whatever was killed.
let tally = Machine<TallyAction, Int, Void>("tally", initialState: 0) { _, count, _ in
    count += 1
    return .none
}
