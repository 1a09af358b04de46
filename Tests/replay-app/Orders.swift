import JournalStore
import Synchronization

// The orders of a shop, one stream each: the journal that docs/operating.md looks at.

enum CheckoutAction: Codable, Sendable, Equatable {
    case place(postcode: String)
    case pay
    case charged(receipt: String)
    case shipped(parcel: String)
}

struct Checkout: Codable, Sendable, Equatable {
    var postcode: String?
    var receipt: String?
    var parcel: String?
}

let checkout = Machine<CheckoutAction, Checkout, Void>("order", initialState: Checkout()) { action, state, _ in
    switch action {
    case .place(let postcode):
        guard state.postcode == nil else { return .reject("already placed") }
        state.postcode = postcode
    case .pay:
        guard state.postcode != nil else { return .reject("nothing is placed") }
        guard state.receipt == nil else { return .reject("already paid") }
        return .run("charge", id: "payment") { context in .charged(receipt: "R-\(context.step)") }
    case .charged(let receipt):
        state.receipt = receipt
        let patience = RetryPolicy.constant(maxAttempts: 3, delay: .milliseconds(1))
        return .run("ship", retry: patience) { [postcode = state.postcode ?? ""] context in
            .shipped(parcel: try await Warehouse.ship(to: postcode, context))
        }
    case .shipped(let parcel): state.parcel = parcel
    }
    return .none
}

/// A warehouse that does not know every postcode, and never answers for some.
enum Warehouse {
    struct Refusal: Error, CustomStringConvertible {
        var description: String
    }

    static func ship(to postcode: String, _ context: EffectContext) async throws -> String {
        switch postcode {
        case "8O05": throw Refusal(description: "warehouse: 422 unknown postcode 8O05")
        case "3000": try await context.clock.sleep(for: .seconds(86_400))
        default: break
        }
        return "P-\(context.step)"
    }
}

extension ReplayApp {
    /// Writes the journal of a shop with four orders, and leaves it as a process that ended would.
    static func writeOrders(_ path: String) async throws {
        let seconds = Atomic<Int64>(1_763_632_800)
        var options = Journal.Options()
        // One of the effects fails.
        options.report = { _ in }
        options.wallClock = { Timestamp(microseconds: seconds.add(1, ordering: .relaxed).newValue * 1_000_000) }
        let journal = try Journal(path: path, options: options)
        for (number, postcode) in [(16, "8005"), (17, "8O05"), (18, "3000")] {
            let store = try await journal.open(checkout, stream: "order-\(number)")
            try await store.dispatch(.place(postcode: postcode))
            try await store.dispatch(.pay, id: "checkout-\(number)")
            // The third one waits for the warehouse until the process ends.
            if number == 18 { try await waitForReceipt(store) } else { await store.join() }
            if number == 17 { try await store.dispatch(.pay, id: "second-click") }
            try await store.close()
        }
        let refused = try await journal.open(checkout, stream: "order-19")
        try await refused.dispatch(.pay, id: "checkout-19")
        try await refused.close()
        try await journal.close()
    }

    private static func waitForReceipt(_ store: Store<CheckoutAction, Checkout>) async throws {
        for try await transition in store.transitions(from: 1) where transition.after.receipt != nil { return }
    }
}
